"""``watchword warm``: kernels compiled ahead of their first use, and an archive of them for other machines."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Protocol

import typer

from watchword.cli.reporting import fail, note, reports_errors, say, size_of
from watchword.visible import counted


class Advance(Protocol):
    """Takes the name of the step that begins."""

    def __call__(self, step: str) -> None: ...


@reports_errors
def warm(
    languages: Annotated[
        list[str] | None, typer.Argument(metavar="[LANGUAGE]...", help="keywords, paths, ...; all, if none is named.")
    ] = None,
    archive: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write what is compiled into a file such as warm.tar.gz.")
    ] = None,
) -> None:
    """Compile what languages need, ahead of their first use: about half a minute for each.

    Compiled kernels are kept in the folder that `WATCHWORD_CACHE` names, else beside the package or in the cache of the
    user. An archive serves machines with the same kind of processor and the same versions of Python and numba. Unpack
    it there into a folder, and let `WATCHWORD_CACHE` name that.

    [bold]Example[/bold]

      watchword warm keywords predicates --archive warm.tar.gz
    """
    from watchword.kernels import jit
    from watchword.kernels.cache.folders import machine, places
    from watchword.warming import STEPS, exercises, warm, write_archive

    known = exercises()
    wanted = languages or list(known)
    if unknown := sorted(set(wanted) - set(known)):
        fail(f"no language {unknown[0]!r}; there are: {', '.join(known)}")
    before = jit.first_use.compiled
    with _bar(sum(len(known[language].batches) + STEPS for language in wanted)) as advance:
        for language in wanted:
            for step in warm(language):
                advance(f"{language}: {step}")
    folder = places().writable
    say(f"{counted(jit.first_use.compiled - before, 'kernel')} compiled for {machine()}")
    if folder is None:
        fail("there is no folder to keep them in; WATCHWORD_CACHE can name one")
    note(f"kept in {folder}")
    if archive is not None:
        count, size = write_archive(archive)
        say(f"{archive}: {counted(count, 'file')}, {size_of(size)}, {size_of(archive.stat().st_size)} compressed")


@contextmanager
def _bar(total: int) -> Iterator[Advance]:
    """Show a progress bar of steps, where standard error is a terminal."""
    if not sys.stderr.isatty():
        yield lambda step: None
        return
    from rich.console import Console
    from rich.progress import Progress, TimeElapsedColumn

    with Progress(*Progress.get_default_columns()[:3], TimeElapsedColumn(), console=Console(stderr=True)) as progress:
        task = progress.add_task("compiling", total=total)

        def advance(step: str) -> None:
            progress.update(task, description=step, advance=1)

        yield advance
