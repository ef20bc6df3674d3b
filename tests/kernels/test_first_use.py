"""Compiling for the first time: what is said about it, and what is not compiled or loaded at all."""

from __future__ import annotations

import io
import logging
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from numba import types

from watchword.kernels import jit
from watchword.kernels.first_use import FirstUse
from watchword.kernels.growing import with_room


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_one_line_says_that_kernels_are_compiled_once_it_takes_longer_than_a_second(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    times = iter([10.0, 10.5, 11.5, 20.0])
    first_use = FirstUse(lambda: next(times))
    with caplog.at_level(logging.INFO, "watchword.kernels"):
        first_use.compiles("/kept")
        first_use.compiles("/kept")
        assert not caplog.messages
        first_use.compiles("/kept")
        first_use.compiles("/kept")
    assert caplog.messages == ["compiling for the first use, which may take half a minute; kept in /kept"]
    assert terminal.getvalue() == f"watchword: {caplog.messages[0]}\n"


def test_a_notebook_shows_the_line_below_its_cell(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Seen in a kernel of IPython 9: its streams are no terminals, and its shell has the kernel."""
    for kernel, said in [({"kernel": object()}, "watchword: compiling for the first use"), ({}, "")]:
        shell = SimpleNamespace(**kernel)
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda shell=shell: shell))
        times = iter([0.0, 5.0])
        first_use = FirstUse(lambda times=times: next(times))
        first_use.compiles("/kept")
        first_use.compiles("/kept")
        shown = capsys.readouterr()
        assert shown.err == "" and shown.out.startswith(said) and bool(shown.out) == bool(said)


def test_into_a_pipe_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    times = iter([0.0, 5.0])
    first_use = FirstUse(lambda: next(times))
    first_use.compiles("/kept")
    first_use.compiles("/kept")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("found", "compiled"), [(None, 1), ("machine code", 0), (OSError("unreadable"), 1)])
def test_only_what_cannot_be_loaded_is_compiled(
    found: Any, compiled: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def load(signature: object, target: object) -> Any:
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(jit, "first_use", first_use := FirstUse())
    made = SimpleNamespace(_cache=SimpleNamespace(load_overload=load, cache_path="/kept"))
    jit._watch(made)
    assert made._cache.load_overload(None, None) == (None if compiled else found)
    assert first_use.compiled == compiled
    assert len(caplog.messages) == isinstance(found, Exception)


def test_a_kernel_is_not_compiled_again_for_a_constant() -> None:
    array = types.int64[::1]
    with_room.get_call_template([array, types.literal(3), types.int64], {})
    assert (array, types.int64, types.int64) in with_room.signatures
    assert not any(isinstance(kind, types.Literal) for signature in with_room.signatures for kind in signature)


SECOND = """
import sys
from watchword import KeywordIndex
assert KeywordIndex({"s1": "greece"}).match("Greece") == ["s1"]
print([name for name in ("numba.np.linalg", "watchword.sets.poset", "watchword.sets.tries") if name in sys.modules])
"""


@pytest.mark.slow
def test_a_second_process_loads_neither_what_numba_compiles_with_nor_other_methods() -> None:
    for _ in range(2):  # the first may have to compile
        done = subprocess.run([sys.executable, "-c", SECOND], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"
