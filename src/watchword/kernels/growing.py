"""Arrays that are copied and grow inside of a kernel."""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import inline, kernel


@inline
def copy_into(target, at, source, begin, stop):
    """Write ``source[begin:stop]`` into `target` from `at` on.

    An assignment of slices does the same, and takes numba a second to compile: it checks the sizes and words an error.
    """
    for k in range(stop - begin):
        target[at + k] = source[begin + k]


@kernel
def with_room(array, used, size):
    """Return an array with the first `used` entries of this one, and room for at least `size`."""
    if size <= len(array):
        return array
    longer = np.empty(2 * size, array.dtype)
    copy_into(longer, 0, array, 0, used)
    return longer
