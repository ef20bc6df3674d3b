"""The one way in which kernels are compiled."""

from __future__ import annotations

from numba import njit

kernel = njit(cache=True, nogil=True, boundscheck=False)
"""Compile once per signature, keep the machine code on disk, and let other threads run meanwhile."""

inline = njit(cache=True, nogil=True, boundscheck=False, inline="always")
"""As `kernel`, for small functions that kernels call in their inner loops."""
