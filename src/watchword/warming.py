"""Compiles, ahead of use, the kernels that an index of a language needs, and puts them into an archive.

A language is warmed by a small life of an index: built from a mapping and from a table, changed, matched by single
events and by batches of every kind, asked for reasons and places, saved, opened, and changed again::

    for step in warm("keywords"):       # "build", "match", "match_many: list", ...
        print(step)

Kernels of methods other than `auto` are compiled when these are first used.
"""

from __future__ import annotations

import io
import json
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from watchword.kernels.cache.folders import folder_name, machine, places
from watchword.kernels.cache.sources import PACKAGE
from watchword.languages import language_class

STEPS = 6
"""Steps of every language, beside one for each batch."""
ROWS = 600
"""Subscriptions of the index: enough for a packed base with changes beside it."""
LARGE = 40_000
"""Subscriptions of the large index, whose atoms do not fit into 16 bits."""


@dataclass(frozen=True)
class Exercise:
    """The input of a small life: subscriptions, and a form of many different ones; events, batches by name; options."""

    subscriptions: list[str]
    distinct: str
    events: list[Any]
    batches: Mapping[str, Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    others: tuple[Mapping[str, Any], ...] = ()


def warm(language: str) -> Iterator[str]:
    """Compile what an index of a language needs, yielding the name of each step before it is taken."""
    exercise = exercises()[language]
    make = language_class(language)
    yield "build"
    index = make(_table(exercise.subscriptions), **exercise.options)
    yield "change"
    _change(index, exercise)
    yield "other ids and options"
    for options in ({}, *exercise.others):
        _live_with_numbers(make(_table(exercise.subscriptions, int), **exercise.options, **options), exercise)
    yield "large index"
    texts = [exercise.distinct.format(number) for number in range(LARGE)]
    make(pa.table({"id": range(LARGE), "subscription": texts}), **exercise.options).match_many(exercise.events)
    yield "match"
    _match(index, exercise)
    for name, batch in exercise.batches.items():
        yield f"match_many: {name}"
        index.match_many(batch)
    yield "save and open"
    with tempfile.TemporaryDirectory() as folder:
        index.save(Path(folder) / "index")
        opened = make.open(Path(folder) / "index")
        _match(opened, exercise)
        _change(opened, exercise)
        _match(opened, exercise)
        opened.save(Path(folder) / "again")


def write_archive(file: Path) -> tuple[int, int]:
    """Write the compiled kernels of this version and machine into an archive; return their number and their bytes.

    It unpacks into ``kernels/``; WATCHWORD_CACHE is to name the folder that has it.
    """
    count = size = 0
    with tarfile.open(file, "w:gz") as archive:
        for path, name in _compiled_files():
            content = path.read_bytes()
            entry = tarfile.TarInfo(f"kernels/{machine()}/{name}")
            entry.size, entry.mode = len(content), 0o644
            archive.addfile(entry, io.BytesIO(content))
            count, size = count + 1, size + len(content)
    return count, size


def _compiled_files() -> Iterator[tuple[Path, str]]:
    """Yield the files of kernels as they are now, each once, and their names in the folder of this machine."""
    folders = [folder_name(file) for file in sorted((PACKAGE / "kernels").rglob("*.py"))]
    seen = set()
    for place in places().readable:
        for folder in folders:
            for path in sorted((place / machine() / folder).glob("*.[ic]*")):
                name = f"{folder}/{path.name}"
                if name not in seen and path.suffix in (".index", ".code"):
                    seen.add(name)
                    yield path, name


def exercises() -> dict[str, Exercise]:
    """Return the exercise of each language."""
    return {
        "keywords": _keywords(),
        "paths": _paths(),
        "patterns": _patterns(),
        "predicates": _predicates(),
        "properties": _properties(),
    }


def _table(subscriptions: list[str], kind: type[str] | type[int] = str) -> pa.Table:
    ids = [kind(number) for number in range(ROWS)]
    return pa.table({"id": ids, "subscription": [subscriptions[k % len(subscriptions)] for k in range(ROWS)]})


def _change(index: Any, exercise: Exercise) -> None:
    """Add, replace and remove subscriptions, one at a time and in bulk."""
    for number, text in enumerate(exercise.subscriptions):
        index[f"new{number}"] = text
        index[str(number)] = exercise.subscriptions[number - 1]
    del index["new0"]
    index.update({f"more{number}": text for number, text in enumerate(exercise.subscriptions)})
    index.update(_table(exercise.subscriptions))


def _live_with_numbers(index: Any, exercise: Exercise) -> None:
    """Change and match an index whose ids are whole numbers."""
    for number, text in enumerate(exercise.subscriptions):
        index[ROWS + number] = text
        index[number] = text
        del index[2 * number]
    index.update(_table(exercise.subscriptions, int))
    index.match(exercise.events[0])
    index.match_many(exercise.events)


def _match(index: Any, exercise: Exercise) -> None:
    """Ask for answers, reasons and places of single events."""
    for event in exercise.events:
        for found in index.match(event)[:1]:
            index.explain(event, found)
        if hasattr(index, "occurrences"):
            index.occurrences(event)
    index.match_many(exercise.events)
    index.stats()


def _keywords() -> Exercise:
    subscriptions = [
        "greece AND crisis",
        "bailout NOT imf",
        '"debt crisis" OR (café AND athens)',
        "imf",
        "NOT weather",
        "storm OR ferry",
    ]
    texts = ["Greece in a debt crisis", "The IMF: bailout, bailout", "Café Athēns, naïve", "", "ferry " * 40]
    many = texts * 100
    lists = [text.lower().split() for text in many]
    return Exercise(subscriptions, "word{} other", [*texts, ["greece", "crisis"]], _text_batches(many) | {
        "terms": lists,
        "lists": pa.array(lists),
        "lists of numbers": pa.array(lists, pa.list_(pa.dictionary(pa.int32(), pa.string()))),
    })  # fmt: skip


def _patterns() -> Exercise:
    subscriptions = ["song?blue", "pie*tea", "café", "*a?c*xyz*", "\\*literal", "q"]
    texts = ["song-blue", "apple pie and green tea", "un café", "abcxyz", "a *literal star", "", "long text " * 30]
    return Exercise(subscriptions, "word{}*end", texts, _text_batches(texts * 100), others=({"ignore_case": True},))


def _text_batches(texts: list[str]) -> dict[str, Any]:
    column = pa.array(texts)
    return {
        "list": texts,
        "bytes": [text.encode() for text in texts],
        "string": column,
        "large string": column.cast(pa.large_string()),
        "dictionary": column.dictionary_encode(),
    }


def _paths() -> Exercise:
    subscriptions = ["/nitf/head//title", "//a/*/b", "//item[@lang='en']/title", "/a//b/c", "//*", "//p[text()='x']"]
    documents = [
        b"<nitf><head><x><title>t</title></x></head></nitf>",
        b"<a><c><b><c/></b></c></a>",
        b"<feed><item lang='en'><title/></item><p>x</p></feed>",
    ]
    many = documents * 100
    return Exercise(subscriptions, "/a/b{}", documents, {
        "bytes": many,
        "str": [document.decode() for document in many],
        "files": [io.BytesIO(document) for document in many],
        "stream": io.BytesIO(b"\n".join(many)),
        "binary": pa.array(many),
        "string": pa.array(many).cast(pa.string()),
    })  # fmt: skip


def _predicates() -> Exercise:
    subscriptions = [
        "name = 'RBS' AND value > 20",
        "value BETWEEN 10 AND 15 OR name IN ('x', 'y')",
        "NOT name = 'x' AND value != 3",
        "name STARTS WITH 'ab' AND value <= 7",
        "open = true",
        "topic KIND OF 'politics'",
        "tags = 'a' AND tags = 'b'",
        "address IN CIDR '10.0.0.0/8' AND EXISTS name",
        "name ENDS WITH 'c' IGNORING CASE OR value IS MISSING",
        "ANY parts (size > 3 AND colour = 'red')",
    ]
    events: list[Any] = [
        {"name": "RBS", "value": 21, "open": True},
        {"name": "abc", "value": 3.5, "topic": "national"},
        {"tags": ["a", "b"], "value": 12, "address": "10.1.2.3"},
        {"parts": [{"size": 4, "colour": "red"}, {"size": 1}]},
        {},
    ]
    many = events * 100
    table = pa.Table.from_pylist([{"name": "RBS", "value": 12, "open": True}, {"name": None, "value": 3}] * 100)
    batches = {"dicts": many, "JSON": pa.array([json.dumps(event) for event in many]), "table": table}
    options = {"hierarchies": {"topic": {"national": "politics"}}}
    texts = [json.dumps(event) for event in events]
    return Exercise(subscriptions, "number = {}", [*events, *texts], batches, options)


def _properties() -> Exercise:
    names = ["sports", "politics", "arts"]
    events: list[Any] = [{"sports"}, {"politics", "arts"}, set(), "110", {"sports": 1, "politics": 0}]
    many = events * 100
    lists = [["sports"], ["arts", "politics"]] * 100
    table = pa.table({name: [True, False] * 100 for name in names})
    return Exercise(["sports=1 politics=0", "*1*", "arts=0", "111"], "sports=1", events, {
        "sets": many,
        "bit strings": pa.array(["110", "001"] * 100),
        "lists": pa.array(lists),
        "structs": table.to_struct_array().combine_chunks(),
        "table": table,
        "table of integers": pa.table({name: pa.array([1, 0] * 100, pa.int8()) for name in names}),
    }, {"properties": names})  # fmt: skip
