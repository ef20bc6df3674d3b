"""A signal that comes while a kernel runs is handled when the kernel returns, and what its handler raises is raised."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import numpy as np
import pytest

from watchword.kernels.sets.compact_count import sort_by_atom

POSTINGS = 1_000_000


@pytest.fixture
def interrupts() -> Iterator[None]:
    """SIGALRM does as Ctrl-C."""
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_ctrl_c_while_a_kernel_runs_that_returns_arrays(interrupts: None) -> None:
    rows = np.arange(POSTINGS, dtype=np.int32)
    arguments = (rows, np.arange(POSTINGS + 1), rows % 1_000, 1_000)
    sort_by_atom(*arguments)  # compiled
    for _ in range(20):
        signal.setitimer(signal.ITIMER_REAL, 0.001)
        with pytest.raises(KeyboardInterrupt):
            while True:
                sort_by_atom(*arguments)
