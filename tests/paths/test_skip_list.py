"""The skip list of PMA's output tuples, against a sorted list."""

from __future__ import annotations

import random

import numpy as np

from watchword.kernels.paths.skip_list import KEYS, NEXT, copied, drop, first_from, new_keys, put, put_all

Key = tuple[int, int, int]


def held(keys: tuple[np.ndarray, ...]) -> list[Key]:
    """Return the keys of a list in its order."""
    words = keys[0].tolist()
    found, record = [], words[NEXT]
    while record >= 0:
        found.append((words[record], words[record + 1], words[record + 2]))
        record = words[record + NEXT]
    return found


def test_keys_are_put_dropped_and_found_in_order() -> None:
    draw = random.Random(3)
    for span in (2, 8, 40):
        keys, expected = new_keys(2000), set[Key]()
        for _ in range(600):
            key = (draw.randint(0, 2), draw.randint(0, span), draw.randint(0, 2))
            if draw.random() < 0.55:
                assert put(keys, *key) == (key not in expected)
                expected.add(key)
            else:
                assert drop(keys, *key) == (key in expected)
                expected.discard(key)
            wanted = (draw.randint(0, 3), draw.randint(0, span), draw.randint(0, 2))
            record, above = first_from(keys, *wanted), [key for key in sorted(expected) if key >= wanted]
            assert (tuple(keys.words[record : record + 3].tolist()) if record >= 0 else None) == (above or [None])[0]
        assert held(keys) == sorted(expected)
        assert keys.state[KEYS] == len(expected)


def test_what_is_dropped_in_any_order_leaves_room_for_the_same_keys() -> None:
    draw = random.Random(8)
    keys = new_keys(1000)
    ones, twos = np.repeat(np.arange(25), 40), np.tile(np.arange(40), 25)
    put_all(keys, ones, twos, ones)
    full, end = held(keys), int(keys.state[0])
    other = copied(keys)
    for _ in range(3):
        for key in draw.sample(full, len(full)):
            assert drop(keys, *key)
        assert held(keys) == []
        for key in draw.sample(full, len(full)):
            assert put(keys, *key)
        assert held(keys) == full
    assert keys.state[0] == end
    assert held(other) == full
