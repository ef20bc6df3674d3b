"""Expat's C functions, as the standard library's own parser hands them on to other modules.

`pyexpat` has a capsule, ``pyexpat.expat_CAPI``, that points to a struct: a magic string, the struct's size, expat's
version, then addresses of functions in a fixed order, to which later versions only add at the end (CPython,
Include/pyexpat.h; the standard library's ElementTree is driven through it). With them kernels drive the parser without
the interpreter (`kernels.paths.drive`), several times as fast as with handlers in Python::

    magic  pyexpat.expat_CAPI 1.1     size  176      version  2 5 0      functions  19 addresses

If magic or size differ from the known values, if expat is older than 2.4.1, which has no protection against exploding
entities, or if C's `long` is not 64 bits, there are no such functions, and documents are read by handlers in Python
(`watchword.paths.parsing.plain`), with the same results.
"""

from __future__ import annotations

import ctypes
import pyexpat
import secrets
from functools import cache

import numpy as np

from watchword.arrays import Int64
from watchword.kernels.paths import drive, handlers

_NAME = b"pyexpat.expat_CAPI"
_MAGIC = b"pyexpat.expat_CAPI 1.1"
_OLDEST = (2, 4, 1)
_DEFERS = (2, 6, 0)


class _Head(ctypes.Structure):
    _fields_ = (
        ("magic", ctypes.c_char_p),
        ("size", ctypes.c_int),
        ("major", ctypes.c_int),
        ("minor", ctypes.c_int),
        ("micro", ctypes.c_int),
    )


_PLACES = {
    1: drive.ERROR_CODE,
    2: drive.ERROR_COLUMN,
    3: drive.ERROR_LINE,
    4: drive.PARSE,
    5: drive.CREATE,
    6: drive.FREE,
    7: drive.SET_TEXT,
    8: drive.SET_COMMENT,
    10: drive.SET_ELEMENTS,
    12: drive.SET_INSTRUCTION,
    14: drive.SET_USER,
    15: drive.SET_DOCTYPE,
    18: drive.SET_SALT,
}
"""The positions of the functions in the struct."""

_DEFERRAL = 19
"""The position in the struct of a function that expat has from 2.6 on."""

_UTF_8 = ctypes.create_string_buffer(b"UTF-8")
_SEPARATOR = ctypes.create_string_buffer(b"}")


@cache
def functions() -> Int64 | None:
    """Return the addresses of expat's functions, or None if kernels cannot drive expat."""
    addresses = _struct_functions()
    if addresses is None:
        return None
    found = np.zeros(drive.FUNCTIONS, np.int64)
    for place, target in _PLACES.items():
        found[target] = addresses[place]
    found[drive.SET_DEFERRAL] = addresses[_DEFERRAL] if len(addresses) > _DEFERRAL else 0
    found[drive.START_TAG] = handlers.start_tag.address
    found[drive.END_TAG] = handlers.end_tag.address
    found[drive.CHARACTER_DATA] = handlers.character_data.address
    found[drive.COMMENT] = handlers.comment.address
    found[drive.INSTRUCTION] = handlers.instruction.address
    found[drive.DOCTYPE] = handlers.doctype.address
    found[drive.SALT] = secrets.randbits(62) + 1
    found[drive.UTF_8] = ctypes.addressof(_UTF_8)
    found[drive.SEPARATOR] = ctypes.addressof(_SEPARATOR)
    return found


def _struct_functions() -> list[int] | None:
    """Return the addresses in the capsule's struct, or None if it is not the one known here."""
    capsule = getattr(pyexpat, "expat_CAPI", None)
    if capsule is None or ctypes.sizeof(ctypes.c_long) != 8:
        return None
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    address = pointer(capsule, _NAME)
    head = _Head.from_address(address)
    count = (head.size - ctypes.sizeof(_Head)) // 8
    version = (head.major, head.minor, head.micro)
    if head.magic != _MAGIC or count <= max(_PLACES) or version < _OLDEST or version != pyexpat.version_info:
        return None
    if version >= _DEFERS and count <= _DEFERRAL:
        return None
    addresses = (ctypes.c_void_p * count).from_address(address + ctypes.sizeof(_Head))
    found = [value or 0 for value in addresses]
    return found if all(found[place] for place in _PLACES) else None
