"""A server over a home of island news, for each module, and somebody who is signed in."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serve.console.visitors import Visitor
from tests.serve.desk import Desk, desk
from watchword.demo.filling import YOU, fill
from watchword.home import Home


@pytest.fixture(scope="session")
def island_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with ten days of stories, to be copied."""
    home = Home.make(tmp_path_factory.mktemp("island") / "home")
    assert fill(home, days=10) > 700
    return home.path


@pytest.fixture(scope="module")
def island(island_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("desk")
    shutil.copytree(island_home, folder / "home")
    with desk(folder) as made:
        yield made


@pytest.fixture(scope="module")
def you(island: Desk) -> Iterator[Visitor]:
    with Visitor(island, YOU) as visitor:
        yield visitor


@pytest.fixture(scope="module")
def ada(island: Desk) -> Iterator[Visitor]:
    """Somebody without anything."""
    with Visitor(island, "ada") as visitor:
        yield visitor
