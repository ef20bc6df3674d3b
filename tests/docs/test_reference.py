"""`make docs`: it builds without a warning, every public name is in the reference, options have their defaults."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

import pytest
from lxml import html

from tests.docs.pages import ROOT, anchors, links, pages
from watchword.languages import language_class, language_options
from watchword.options import Option

MODULES = (
    "watchword",
    "watchword.errors",
    "watchword.index.report",
    "watchword.patterns",
    "watchword.paths",
    "watchword.predicates",
    "watchword.feeds",
    "watchword.store",
    "watchword.archive",
    "watchword.preview",
    "watchword.following",
    "watchword.spark",
    "watchword.papers.models.estimate",
)
"""What users import; the rest is for who works on the package, and read in the source."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site as `make docs` does; a warning is an error, and a link that leads nowhere is a warning."""
    folder = tmp_path_factory.mktemp("site")
    words = [*shlex.split(command("docs")), "-d", str(folder / "trees"), str(ROOT), str(folder / "html")]
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return folder / "html"


def command(target: str) -> str:
    """Return the arguments that the Makefile gives to Python for a target, up to the folders."""
    found = re.search(rf"^{target}:.*\n\t@\$\(BIN\)/python (.*?) \.", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert found is not None
    return found[1]


def names(file: Path) -> set[str]:
    return {str(found) for found in html.parse(file).xpath("//@id")}


@pytest.mark.slow
def test_every_public_name_is_there(built: Path) -> None:
    shown = {file.stem: names(file) for file in (built / "docs" / "reference").glob("*.html")}
    last = {name.rpartition(".")[2] for ids in shown.values() for name in ids}
    for module in MODULES:
        public = getattr(import_module(module), "__all__", [])
        assert [name for name in public if name not in last] == [], module
    index = {name.rpartition("Index.")[2] for name in shown["indexes"]}
    methods = {"match", "match_many", "match_batches", "explain", "check", "save", "open", "stats", "update", "options"}
    assert (
        methods <= index and {"watchword.PatternIndex.stream", "watchword.PathIndex.match_stream"} <= shown["indexes"]
    )
    assert "watchword.patterns.stream.StreamMatcher" in shown["languages"]


@pytest.mark.slow
def test_a_page_has_a_sidebar_a_search_and_nothing_from_a_network(built: Path) -> None:
    """Titles in the sidebar are those of docs/index.md; pages, styles and scripts lie beside each other."""
    page = html.parse(built / "README.html")
    titles = [link.text_content() for link in page.xpath("//*[contains(@class, 'sidebar-tree')]//a")]
    assert titles[:3] == ["Begin here", "Cookbook", "Questions"] and "Indexes" in titles and "Changelog" in titles
    assert not [title for title in titles if title.endswith(".md")]
    assert page.xpath("//input[@type='search']|//input[@name='q']") and (built / "searchindex.js").is_file()
    assert page.xpath("//*[contains(@class, 'theme-toggle')]")
    assert page.xpath("//div[contains(@class, 'highlight-python')]//span[@class='kn']")
    assert "README.html" in (built / "index.html").read_text(encoding="utf-8")
    for file in built.rglob("*.html"):
        loaded = html.parse(file).xpath("//script/@src|//img/@src|//link[@rel='stylesheet']/@href")
        assert not [one for one in loaded if re.match(r"(https?:)?//", str(one))], file


@pytest.mark.slow
def test_no_link_leads_nowhere(built: Path) -> None:
    files = {file.resolve(): names(file) for file in built.rglob("*.html")}
    assert {page.stem for page in pages()} <= {file.stem for file in files}
    checked = 0
    for file in files:
        for link in html.parse(file).xpath("//article//@href"):
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
    for module in MODULES:
        loaded = import_module(module)
        assert loaded.__doc__
        for name in getattr(loaded, "__all__", ()):
            found = getattr(loaded, name)
            assert (found.__doc__ or "") and not found.__doc__.startswith(f"{name}("), f"{module}.{name}"
