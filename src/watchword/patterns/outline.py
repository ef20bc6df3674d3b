"""Indented text drawings of automata, for tests and documents.

A line per state: its number, the key that leads to it, its share degree from two on, and the subscriptions that
are accepted and half accepted there. Literals that look like wildcards are escaped.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from watchword.kernels.patterns.nfa import ANY, LOOP
from watchword.kernels.sequences.share_trie import KEY, PARENT, SHARE, STATE_WORDS, STATES_END, ShareTrie
from watchword.outline import outline as indented_lines

_NAMES = {ANY: "?", LOOP: "*"}


def outline(trie: ShareTrie, notes: Mapping[str, Callable[[int], Iterable[str]]]) -> str:
    """Return the drawing of all states but the initial one; `notes` says what hangs at a state, by heading."""
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


def _name(key: int) -> str:
    if key in _NAMES:
        return _NAMES[key]
    character = chr(key)
    if character in "?*\\":
        return "\\" + character
    return character if character.isprintable() and not character.isspace() else ascii(character)
