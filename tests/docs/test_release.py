"""A release says its version once: the package, its metadata, CITATION.cff and CHANGELOG.md agree."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
import yaml

import watchword
from tests.docs.pages import ROOT


def project() -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def citation() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    return found


def test_every_file_has_the_version_of_the_package():
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest is not None
    assert {project()["version"], str(citation()["version"]), newest[1]} == {watchword.__version__}


@pytest.mark.parametrize("part", ["cff-version", "message", "title", "authors", "type", "license"])
def test_the_citation_has_the_parts_that_the_format_requires(part: str):
    assert citation()[part]


def test_the_citation_names_license_authors_and_the_five_papers():
    found = citation()
    assert found["license"] == project()["license"]
    assert found["authors"] == [{"name": "The Watchword authors"}]
    assert [paper["year"] for paper in found["references"]] == [2011, 2004, 2010, 2019, 2005]
    for paper in found["references"]:
        assert paper["type"] in ("thesis", "generic") and paper["title"] and paper["authors"]


def test_every_version_of_the_changelog_is_in_the_same_parts():
    versions = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    assert len(versions) >= 2
    for version in versions:
        parts = re.findall(r"^### (.*)$", version, re.MULTILINE)
        assert parts == ["Added", "Changed", "Fixed"], version.splitlines()[0]
