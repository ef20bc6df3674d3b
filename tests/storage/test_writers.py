"""The lock of writers: a place that cannot be written to is refused before anything is."""

from __future__ import annotations

from datetime import datetime

import pytest

from watchword.errors import SnapshotError
from watchword.storage.writers import lock


class FullPlace:
    """A place with no room: markers can be listed and removed, and none can be written."""

    def ages(self, folder: str) -> dict[str, datetime | None]:
        return {}

    def read(self, name: str) -> bytes:
        raise FileNotFoundError(name)

    def write(self, name: str, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    def remove(self, name: str) -> None:
        raise FileNotFoundError(name)

    def label(self, name: str = "") -> str:
        return "s3://full/index"


def test_a_place_that_cannot_be_written_to_is_not_locked() -> None:
    with pytest.raises(SnapshotError, match=r"s3://full/index: cannot write there: .*No space left"), lock(FullPlace()):
        pytest.fail("the lock was given without a marker")
