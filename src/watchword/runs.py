"""Several named arrays in one run of bytes, so that a snapshot has one file for the small arrays of many owners.

The arrays ``{"near": [2.0, 3.0], "atoms": [7]}`` are the run::

    0    8 bytes       how long the head is
    8    the head      JSON, a name, a type and a length or shape for each: [["near", "<f8", 2], ["atoms", "<i4", 1]]
    64   16 bytes      near; every array, and the run as a whole, ends at a multiple of 64
    128  4 bytes       atoms

Unpacking makes views: nothing is copied, and a page of a memory map is read when a view is.
"""

from __future__ import annotations

import json

import numpy as np

from watchword.arrays import Arrays, UInt8

_LINE = 64


def pack(arrays: Arrays) -> UInt8:
    """Return arrays in one run of bytes.

    >>> unpack(pack({"near": np.array([2.0, 3.0]), "none": np.empty(0, np.int32)}))
    {'near': array([2., 3.]), 'none': array([], dtype=int32)}
    """
    shapes = {name: len(array) if array.ndim == 1 else array.shape for name, array in arrays.items()}
    head = json.dumps([[name, array.dtype.str, shapes[name]] for name, array in arrays.items()]).encode()
    pieces = [np.frombuffer(len(head).to_bytes(8, "little") + head, np.uint8)]
    pieces += [np.ascontiguousarray(array).reshape(-1).view(np.uint8) for array in arrays.values()]
    run = np.zeros(sum(_padded(len(piece)) for piece in pieces), np.uint8)
    at = 0
    for piece in pieces:
        run[at : at + len(piece)] = piece
        at += _padded(len(piece))
    return run


def unpack(run: UInt8) -> Arrays:
    """Return the arrays of a run as views of it."""
    size = int.from_bytes(run[:8].tobytes(), "little")
    at, arrays = _padded(8 + size), {}
    for name, kind, shape in json.loads(run[8 : 8 + size].tobytes()):
        dtype = np.dtype(kind)
        used = dtype.itemsize * int(np.prod(shape))
        arrays[name] = run[at : at + used].view(dtype).reshape(shape)
        at += _padded(used)
    return arrays


def _padded(size: int) -> int:
    return -(-size // _LINE) * _LINE
