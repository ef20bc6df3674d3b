"""What all tests of the command line share."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
from typer import testing


@pytest.fixture(scope="session", autouse=True)
def commands_are_made_once() -> Iterator[None]:
    """Let typer read the signatures of all commands once, not for each line: that takes longer than most commands."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(testing, "_get_command", cache(testing._get_command))
        yield
