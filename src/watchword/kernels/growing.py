"""Arrays that grow inside of a kernel."""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel


@kernel
def with_room(array, used, size):
    """Return an array with the first `used` entries of this one, and room for at least `size`."""
    if size <= len(array):
        return array
    longer = np.empty(2 * size, array.dtype)
    longer[:used] = array[:used]
    return longer
