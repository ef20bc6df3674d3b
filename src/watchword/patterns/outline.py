"""Indented text drawings of automata and of packed patterns, for tests and documents.

Of an automaton, a line per state: its number, the key that leads to it, its share degree from two on, and the
subscriptions that are accepted and half accepted there. Of packed patterns, a line per key, and below it one per
pattern. Literals that look like wildcards are escaped.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np

from watchword.kernels.patterns.keyed.fingerprints import fingerprint_of
from watchword.kernels.patterns.keyed.grams import EMPTY, KeyTable, head_in, offset_in
from watchword.kernels.patterns.keyed.hashing import gram_at, level_of
from watchword.kernels.patterns.keyed.key_store import KeyStore, body_of
from watchword.kernels.patterns.keyed.word_heads import (
    FINGERPRINTS,
    SPARE,
    block_of,
    fingerprint_count,
    head_after,
    size_of,
    spelling_of,
)
from watchword.kernels.patterns.nfa import ANY, LOOP
from watchword.kernels.sequences.share_trie import KEY, PARENT, SHARE, STATE_WORDS, STATES_END, ShareTrie
from watchword.outline import outline as indented_lines

_NAMES = {ANY: "?", LOOP: "*"}


def outline(trie: ShareTrie, notes: Mapping[str, Callable[[int], Iterable[str]]]) -> str:
    """Return the drawing of all states but the initial one; `notes` has lines for states, by heading."""
    states = trie.states[: STATE_WORDS * int(trie.figures[STATES_END])].reshape(-1, STATE_WORDS).tolist()
    below: dict[int, list[int]] = defaultdict(list)
    for number in sorted(range(1, len(states)), key=lambda number: states[number][KEY]):
        if states[number][SHARE] > 0:
            below[states[number][PARENT]].append(number)

    def text(number: int) -> str:
        parts = [f"{number} {_name(states[number][KEY])}"]
        if states[number][SHARE] > 1:
            parts.append(f"×{states[number][SHARE]}")
        for heading, names in notes.items():
            if found := sorted(names(number)):
                parts.append(f"{heading} [{', '.join(found)}]")
        return " ".join(parts)

    return indented_lines(below[0], below, text)


def key_outline(table: KeyTable, store: KeyStore, name: Callable[[int], str]) -> str:
    """Return the drawing of packed patterns.

    A key has its gram, and the payloads of the patterns that are nothing else; a gram that too many keys share is
    ``crowded``. A pattern has its payload and its guard; the patterns of a key with very many patterns have no guard.
    """
    offsets = {head_in(first): offset_in(second) for first, second in table.table.reshape(-1, 2) if first != EMPTY}
    lines = []
    for key in _keys(store):
        block, size = block_of(store.heads, key), size_of(store.heads, key)
        singles, others = store.arena[block : block + 2].tolist()
        gram = "crowded"
        if key in offsets:
            start = spelling_of(store.heads, key) + offsets[key]
            gram = _escaped(_text(store.spelled[start : start + level_of(size)].tobytes()))
        lines.append(f"{_escaped(_word(store, key))} gram {gram}")
        if singles:
            payloads = store.arena[block + 2 : block + 2 + singles].tolist()
            lines[-1] += f" [{', '.join(map(name, payloads))}]"
        for i in range(others):
            body = body_of(store.arena, block, singles + i)
            lines.append(f"  {_pattern(store, body)}{_guard(store, key, i, body)} [{name(int(store.arena[body]))}]")
    return "\n".join(lines)


def _keys(store: KeyStore) -> Iterator[int]:
    """Yield the heads of words that are keys."""
    head = 0
    while head + SPARE < len(store.heads):
        if block_of(store.heads, head):
            yield head
        head = head_after(store.heads, head)


def _word(store: KeyStore, head: int) -> str:
    start = spelling_of(store.heads, head)
    return _text(store.spelled[start : start + size_of(store.heads, head)].tobytes())


def _words(store: KeyStore, body: int) -> list[int]:
    """Return the heads of a pattern's words."""
    heads: list[int] = store.arena[body + 3 : body + 3 + 3 * int(store.arena[body + 1]) : 3].tolist()
    return heads


def _pattern(store: KeyStore, body: int) -> str:
    heads = _words(store, body)
    gaps = store.arena[body + 2 : body + 3 + 3 * len(heads) : 3].tolist()
    wildcards = ["?" * (gap >> 1) + "*" * (gap & 1) for gap in gaps]
    words = [_escaped(_word(store, head)) for head in heads]
    return "".join(gap + word for gap, word in zip(wildcards, [*words, ""], strict=True))


def _guard(store: KeyStore, key: int, i: int, body: int) -> str:
    """Return the guard of pattern `i` of a key: its other word whose fingerprint the key's head has."""
    if i >= fingerprint_count(store.heads, key):
        return ""
    wanted = int(store.heads[key + FINGERPRINTS + i])
    others = [head for head in _words(store, body) if head != key] or [key]
    guard = next(head for head in others if _fingerprint(store, head) == wanted)
    return f" guard {_escaped(_word(store, guard))}"


def _fingerprint(store: KeyStore, head: int) -> int:
    level = level_of(size_of(store.heads, head))
    first = np.uint64(gram_at(store.spelled, spelling_of(store.heads, head), level))
    return int(fingerprint_of(first, level))


def _text(raw: bytes) -> str:
    """Return bytes as text; they may begin or end inside a character."""
    return raw.decode("utf-8", "backslashreplace")


def _escaped(text: str) -> str:
    return "".join(_name(ord(character)) for character in text)


def _name(key: int) -> str:
    if key in _NAMES:
        return _NAMES[key]
    character = chr(key)
    if character in "?*\\":
        return "\\" + character
    return character if character.isprintable() and not character.isspace() else ascii(character)
