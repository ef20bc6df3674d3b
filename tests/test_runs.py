"""Arrays in one run of bytes come back as they were, as views."""

from __future__ import annotations

import numpy as np
import pytest

from watchword.arrays import Arrays
from watchword.runs import pack, unpack


@pytest.mark.parametrize("sizes", [(), (0,), (1,), (8, 0, 3), (63, 64, 65), (1000, 1, 0)])
def test_arrays_come_back_as_aligned_views(sizes: tuple[int, ...]) -> None:
    kinds = [np.uint8, np.int32, np.float64]
    arrays: Arrays = {f"part.a{n}": np.arange(size).astype(kinds[n % 3]) for n, size in enumerate(sizes)}
    run = pack(arrays)
    several = np.concatenate([run, run])
    assert len(run) % 64 == 0
    for found in (unpack(run), unpack(several[len(run) :])):
        assert list(found) == list(arrays)
        for name, array in arrays.items():
            assert found[name].dtype == array.dtype and found[name].tolist() == array.tolist()
            assert found[name].flags.aligned and (not len(array) or not found[name].flags.owndata)
