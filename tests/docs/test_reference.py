"""`make docs`: every public name is in the reference, options have their defaults, and no link leads nowhere."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from lxml import html

import watchword
from tests.docs.pages import ROOT, anchors, links, pages
from watchword.languages import language_class, language_options
from watchword.options import Option


def load_builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("watchword_docs", ROOT / "docs" / "build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    said: list[str] = []
    load_builder().main([str(folder)], said.append)
    assert said == [str(folder / "index.html")]
    return folder


def names(file: Path) -> set[str]:
    return {str(found) for found in html.parse(file).xpath("//@id")}


@pytest.mark.slow
def test_every_public_name_is_there(built: Path) -> None:
    shown = {file.relative_to(built / "api").with_suffix(""): names(file) for file in (built / "api").rglob("*.html")}
    everywhere = set().union(*shown.values())
    for module in load_builder().MODULES:
        assert Path(module.replace(".", "/")) in shown
        public = getattr(import_module(module), "__all__", [])
        assert [name for name in public if name not in everywhere] == []
    assert {name for name in watchword.__all__ if name not in shown[Path("watchword")]} == set()
    methods = ("match", "match_many", "match_batches", "explain", "check", "save", "open", "stats", "update", "options")
    assert {f"Index.{name}" for name in methods} <= shown[Path("watchword")]
    assert {"PatternIndex.stream", "PatternIndex.occurrences", "PathIndex.match_stream"} <= shown[Path("watchword")]


@pytest.mark.slow
def test_named_tuples_are_shown_with_their_fields_and_indexes_as_indexes(built: Path) -> None:
    def text(module: str, name: str) -> str:
        (found,) = html.parse(built / "api" / f"{module}.html").xpath(f"//section[@id='{name}']")
        return " ".join(found.text_content().split())

    assert "Changes(changes: list[Change], counter: int)" in text("watchword/store", "Changes")
    assert "Alias for field" not in text("watchword/store", "Changes")
    assert "class PatternIndex(Index)" in text("watchword", "PatternIndex").replace("watchword.", "")
    assert "max_length (65,536)" in text("watchword", "PatternIndex")


@pytest.mark.slow
def test_no_link_leads_nowhere(built: Path) -> None:
    files = {file.resolve(): names(file) for file in built.rglob("*.html")}
    assert {page.stem for page in pages()} <= {file.stem for file in files}
    checked = 0
    for file in files:
        for link in html.parse(file).xpath("//@href"):
            path, _, fragment = str(link).partition("#")
            if re.match(r"[a-z]+:", path):
                continue
            target = (file.parent / path).resolve() if path else file
            assert target.exists(), f"{file.name}: {link}"
            assert not fragment or target not in files or fragment in files[target], f"{file.name}: {link}"
            checked += 1
    assert checked > 500


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_links_of_a_page_as_it_stands_in_the_repository(page: Path) -> None:
    known = {other.resolve(): anchors(other.read_text(encoding="utf-8")) for other in pages()}
    for link in links(page.read_text(encoding="utf-8")):
        path, _, fragment = link.partition("#")
        if re.match(r"[a-z]+:", path):
            continue
        target = (page.parent / path).resolve() if path else page.resolve()
        assert target.exists(), link
        assert not fragment or fragment in known[target], link


def test_a_link_that_leads_nowhere_is_an_error(tmp_path: Path) -> None:
    builder = load_builder()
    with pytest.raises(builder.BrokenLink, match=r"docs/index\.md: nowhere\.md leads nowhere"):
        builder._target(ROOT / "docs" / "index.md", "nowhere.md", {}, tmp_path)


def test_every_page_is_in_the_table_of_contents() -> None:
    index = ROOT / "docs" / "index.md"
    linked = {(index.parent / link).resolve() for link in links(index.read_text(encoding="utf-8"))}
    assert [page.name for page in pages() if page != index and page.resolve() not in linked] == []
    assert "docs/index.md" in links((ROOT / "README.md").read_text(encoding="utf-8"))


def default_in(docstring: str, name: str) -> str:
    """Return what stands in parentheses behind the name of an option in a class's list of them."""
    found = re.search(rf"^ *- .*`{name}` \(([^)]*)\)", docstring, re.MULTILINE)
    assert found is not None, name
    return found[1]


@pytest.mark.parametrize("language", ["keywords", "paths", "patterns", "predicates", "properties"])
def test_docstrings_have_every_option_with_its_default(language: str) -> None:
    docstring = language_class(language).__doc__ or ""
    methods: Mapping[str, Mapping[str, Option]] = getattr(
        import_module(f"watchword.{language}.options"), "METHOD_OPTIONS", {}
    )
    declared = {**language_options(language), **{name: one for own in methods.values() for name, one in own.items()}}
    for name, option in declared.items():
        written, default = default_in(docstring, name), option.default
        if name == "properties":
            assert written == "to be given always"
        elif name == "block":
            assert written == "25 for `compact-count`, 2 for `compact-trie`"
        elif default == () or default == {}:
            assert written == "none", name
        elif isinstance(default, str):
            assert written == f'"{default}"', name
        else:
            assert written == (f"{default:,}" if type(default) is int else str(default)), name


def test_public_names_say_what_they_are() -> None:
    """A dataclass without a docstring has its signature instead, which says nothing."""
    for module in load_builder().MODULES:
        loaded = import_module(module)
        assert loaded.__doc__
        for name in getattr(loaded, "__all__", ()):
            found = getattr(loaded, name)
            assert (found.__doc__ or "") and not found.__doc__.startswith(f"{name}("), f"{module}.{name}"
