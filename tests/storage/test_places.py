"""Which kind of place a path or URL names; nothing is made, read or asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from watchword.storage import place
from watchword.storage.local import LocalPlace
from watchword.storage.objects import ObjectPlace


def test_a_folder_is_a_place_of_this_machine(tmp_path: Path) -> None:
    assert isinstance(place(tmp_path / "index"), LocalPlace) and not (tmp_path / "index").exists()


@pytest.mark.parametrize("url", ["s3://bucket/index?region=eu-central-1", "gs://bucket/index"])
def test_a_url_is_a_place_in_an_object_store(url: str) -> None:
    """The region is named, as a server would be asked for it otherwise."""
    named = place(url)
    assert isinstance(named, ObjectPlace) and named.label("current.json").endswith("//bucket/index/current.json")


def test_a_removed_file_is_gone_and_one_that_is_not_there_is_no_error(tmp_path: Path) -> None:
    local = place(tmp_path)
    local.write("versions/000001.json", b"{}")
    assert local.read("versions/000001.json") == b"{}"
    for _ in range(2):
        local.remove("versions/000001.json")
        assert local.names("versions") == []
