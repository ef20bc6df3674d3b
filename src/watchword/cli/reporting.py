"""What people see besides results: errors in one message, progress bars, sizes in units."""

from __future__ import annotations

import functools
import inspect
import logging
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar

import typer

from watchword.errors import WatchwordError
from watchword.visible import visible

if TYPE_CHECKING:
    from watchword.tables import Source

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Item = TypeVar("Item")

SOME_UNREAD = 1
INTERRUPTED = 130
BROKEN_PIPE = 141
FAILED = 2


def reports_errors(command: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Make `command` end as a Unix tool does: a message and status 2 for what the user can put right,
    130 after Ctrl-C, and not a word (141) when the reader of its output has gone."""

    @functools.wraps(command)
    def run(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        try:
            return command(*args, **kwargs)
        except WatchwordError as error:
            from watchword.cli.wording import in_flags

            fail(in_flags(str(error)))
        except BrokenPipeError:
            _forget_output()
            raise typer.Exit(BROKEN_PIPE) from None
        except OSError as error:
            reason = error.strerror or str(error)
            fail(reason if error.filename is None else f"{error.filename}: {reason}")
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None

    run.__doc__ = help_text(command.__doc__ or "")
    return run


_BRACKET = re.compile(r"\[(?!/?bold\])")


def help_text(docstring: str) -> str:
    """Return a docstring for rich: each paragraph in one line, which rich folds to the terminal's width.

    Lines that are indented, as examples are, stay. A bracket is a bracket, unless it makes something bold.

    >>> help_text("Say why.\\n\\n    Two lines\\n    of one paragraph.\\n\\n      watchword explain a[1]\\n")
    'Say why.\\n\\nTwo lines of one paragraph.\\n\\n  watchword explain a\\\\[1]'
    """
    paragraphs = inspect.cleandoc(_BRACKET.sub(r"\\[", docstring)).split("\n\n")
    return "\n\n".join(text if text.startswith(" ") else " ".join(text.split("\n")) for text in paragraphs)


@contextmanager
def end_in_order() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the block as Ctrl-C does: half-written files are removed."""

    def leave(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    signals = [number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None]
    if threading.current_thread() is not threading.main_thread():
        signals = []
    before = {number: signal.signal(number, leave) for number in signals if signal.getsignal(number) == signal.SIG_DFL}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def fail(message: str) -> NoReturn:
    """Print `message` to standard error and end with status 2."""
    typer.echo(typer.style("error: ", fg="red", bold=True) + visible(message, lines=True), err=True)
    raise typer.Exit(FAILED) from None


def note(message: str) -> None:
    """Print `message` to standard error."""
    typer.echo(visible(message, lines=True), err=True)


def say(message: str) -> None:
    """Print `message` to standard output. Whatever strangers wrote into it is shown, and does nothing (`visible`)."""
    typer.echo(visible(message, lines=True))


class _Lines(logging.Handler):
    """Prints log messages, but for those with a trace: their error ends the command, which reports it."""

    def emit(self, record: logging.LogRecord) -> None:
        if not record.exc_info and (record.levelno >= logging.WARNING or record.name == PIPELINE):
            note(record.getMessage())


PIPELINE = "watchword.pipeline"
"""The logger that says what a batch is doing, at the level INFO."""


def print_logs_in_lines() -> None:
    """Print warnings, and what batches are doing, from now on, one line each; otherwise libraries would print traces.

    It is never switched off: Py4J reports a killed Java process as late as when the interpreter ends.
    """
    root = logging.getLogger()
    if not any(isinstance(handler, _Lines) for handler in root.handlers):
        root.addHandler(_Lines(logging.INFO))
    logging.getLogger(PIPELINE).setLevel(logging.INFO)


def spinner(message: str) -> AbstractContextManager[Any]:
    """Show a message with a moving sign while the block runs, if standard error is a terminal."""
    if not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console
    from rich.text import Text

    return Console(stderr=True).status(Text(visible(message)))  # a name with brackets is a name, not markup


def track(source: Source, found: Iterable[Item], shown: bool) -> Iterator[Item]:
    """Yield items read from a source under a progress bar, if `shown` and standard error is a terminal."""
    if not shown or not sys.stderr.isatty():
        yield from found
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = [
        SpinnerColumn(),
        *Progress.get_default_columns()[:3],
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    ]
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("matching", total=source.total)
        for item in found:
            yield item
            progress.update(task, completed=source.position())


def size_of(count: float) -> str:
    """Return a number of bytes with its unit: ``3.4 MB``."""
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def _forget_output() -> None:
    """Discard the output that the interpreter would flush at exit."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
    except (OSError, ValueError):
        pass
