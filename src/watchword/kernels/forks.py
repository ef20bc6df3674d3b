"""A fork waits until no other thread compiles or loads a kernel.

numba compiles and loads kernels under one lock for all threads, inside LLVM, which has locks of its own. In the child
of a fork that comes meanwhile these stay held for ever, for the thread that holds them is not there. So a fork takes
the lock first, and parent and child release it.
"""

from __future__ import annotations

import os

from watchword.kernels.numba_private import optional, private

with optional("a process that is forked while another thread compiles may wait for ever"):
    _lock = private("numba.core.compiler_lock", "global_compiler_lock")
    _acquire, _release = private(_lock, "acquire"), private(_lock, "release")
    os.register_at_fork(before=_acquire, after_in_parent=_release, after_in_child=_release)
