from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from watchword.kernels.handles import Handles, array_at, bytes_at


@njit
def total(handles, text):
    return array_at(handles, 0, np.int32).sum() + array_at(handles, 1, np.uint8)[1] + bytes_at(text, np.uint8).sum()


def test_a_kernel_finds_the_arrays_again():
    numbers, small = np.arange(5, dtype=np.int32), np.array([7, 8], np.uint8)
    assert total(Handles(np.int32, np.uint8).of((numbers,), (small,)), b"\x01\x02") == 10 + 8 + 3


def test_handles_are_kept_until_a_group_is_another():
    handles = Handles(np.int32)
    group = (np.arange(3, dtype=np.int32),)
    first = handles.of(group)
    assert handles.of(group) is first
    other = (np.arange(4, dtype=np.int32),)
    assert handles.of(other).tolist() == [other[0].ctypes.data, 4]


@pytest.mark.parametrize(
    "array", [np.zeros(3, np.int64), np.zeros((2, 2), np.int32), np.zeros(6, np.int32)[::2], np.zeros(3, np.float32)]
)
def test_another_array_than_expected_is_refused(array):
    with pytest.raises(ValueError, match="expected int32 in one piece"):
        Handles(np.int32).of((array,))


def test_one_array_too_few_is_refused():
    with pytest.raises(ValueError, match="longer"):
        Handles(np.int32, np.int32).of((np.zeros(1, np.int32),))
