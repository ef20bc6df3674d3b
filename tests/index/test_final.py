"""`Index` is final: a language plugs in below it, and its class adds methods and overrides none."""

from __future__ import annotations

import ast
import inspect
import io
import textwrap
from collections.abc import Iterator

import pytest

from watchword import PathIndex
from watchword.index import LANGUAGES, Index, Language, language_class

OWN = {"plug", "__doc__", "__module__", "__annotations__", "__abstractmethods__", "__parameters__", "__orig_bases__"}
OWN |= {"language", "methods", "reads", "_abc_impl", "_plugged", "__firstlineno__", "__static_attributes__"}
COUNTERS = {"_events", "_operations", "_nulls"}


def overridden(kind: type[Index]) -> set[str]:
    """Return the names of `Index` that a class gives a meaning of its own."""
    return set(vars(kind)) & set(dir(Index)) - OWN


def written(kind: type) -> set[str]:
    """Return the attributes that the code of a class assigns."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    names = [
        node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    ]
    return set(names)


@pytest.mark.parametrize("language", list(LANGUAGES))
def test_a_language_overrides_nothing_of_the_index_and_leaves_its_counters_alone(language: str) -> None:
    kind = language_class(language)
    assert overridden(kind) == set()
    assert not written(kind) & COUNTERS


def test_the_checks_find_what_they_look_for() -> None:
    class Bad(PathIndex):
        def match_many(self, events: object) -> None:  # type: ignore[override]
            self._events = 1

    assert overridden(Bad) == {"match_many"}
    assert written(Bad) & COUNTERS == {"_events"}


def classes(kind: type[Language]) -> Iterator[type[Language]]:
    for below in kind.__subclasses__():
        yield below
        yield from classes(below)


def test_every_language_is_made_by_the_constructor_of_language() -> None:
    for language in LANGUAGES:
        language_class(language)
    assert len(list(classes(Language))) >= len(LANGUAGES)
    for kind in classes(Language):
        if "__init__" in vars(kind):
            assert "super().__init__(method, " in inspect.getsource(kind.__init__), kind


def test_a_stream_goes_on_with_what_is_subscribed_after_everything_was_unsubscribed() -> None:
    index = PathIndex({"s1": "//a"})
    matches = index.match_stream(io.BytesIO(b"<a/><a/><b/>"))
    assert next(matches).ids == ["s1"]
    index.clear()
    index["s2"] = "//b"
    assert [match.ids for match in matches] == [[], ["s2"]]


def test_an_open_file_is_a_batch_of_documents() -> None:
    index = PathIndex({"s1": "//a", "s2": "/b/a"})
    table = index.match_many(io.BytesIO(b"<a/><c/><b><a/></b>"))
    assert table.to_pydict() == {"event": [0, 2, 2], "subscription": ["s1", "s1", "s2"]}
    assert index.stats().events == 3
