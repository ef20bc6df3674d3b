"""Random expressions of CESQL, as `cesql_judge` has them, and random cloud events."""

from __future__ import annotations

from random import Random
from typing import Any

TEXTS = (
    *(
        "",
        "a",
        "ab",
        "abc",
        "aBc",
        "a%b",
        "a_b",
        "a\\b",
        "it's",
        'say "a"',
        "ä",
        "Äb",
        "true",
        "FALSE",
        "tru",
        "\u4f60\u597d",
    ),
    *("5", "05", "+5", "-5", "5 ", "12", "123", "-12", "0", "-0", "2147483647", "2147483648", "1e3", "٣"),
    *("2018-04-26", "2018-04-26T14:48:09Z", "2018-04-26T14:48:09+00:00", "com.example.error"),
)
NUMBERS = (0, 1, -1, 5, -5, 12, 123, -12, 2147483647, -2147483648)
STRINGS = ("type", "subject", "time")
"""Attributes that are always texts."""
OTHERS = ("hop", "region", "flag1")
PATTERNS = (
    "%",
    "a%",
    "%b",
    "%a%",
    "a_b",
    r"a\_b",
    r"a\%b",
    "__",
    "_",
    "",
    "1_",
    "12%",
    "-%",
    "_%",
    "%_",
    r"a\b",
    "5",
    "t%",
    "2018-%",
)
CALLS = ("INT", "BOOL", "STRING", "LENGTH", "LOWER", "UPPER", "LEFT", "RIGHT", "SUBSTRING")


def event(random: Random) -> dict[str, Any]:
    """Return an event; some attributes are missing, or null."""
    found: dict[str, Any] = {"id": "1", "source": "s", "specversion": "1.0", "type": random.choice(TEXTS)}
    found |= {name: random.choice(TEXTS) for name in STRINGS[1:] if random.random() < 0.7}
    choices: tuple[Any, ...] = (*TEXTS, *NUMBERS, True, False)
    found |= {name: random.choice((*choices, None)) for name in OTHERS if random.random() < 0.8}
    return found


def condition(random: Random, depth: int = 3) -> tuple:
    """Return an expression that is a Boolean."""
    choice = random.random()
    if depth and choice < 0.45:
        kind = random.choice(("and", "or", "xor", "not"))
        parts = [condition(random, depth - 1) for _ in range(1 if kind == "not" else 2)]
        return (kind, *parts)
    if choice < 0.5:
        return ("exists", random.choice((*STRINGS, *OTHERS)))
    if choice < 0.55:
        return (
            "=",
            condition(random, 0),
            random.choice((condition(random, 0), ("value", random.choice((True, "true", 1))))),
        )
    if choice < 0.65:
        return ("like", asked(random), random.choice(PATTERNS))
    if choice < 0.75:
        return ("in", asked(random), [constant(random) for _ in range(random.randint(1, 3))])
    sides = [asked(random), constant(random)]
    if random.random() < 0.2:
        sides.reverse()
    return (random.choice(("=", "=", "!=", "<", "<=", ">", ">=")), *sides)


def constant(random: Random) -> tuple:
    """Return a literal."""
    return ("value", random.choice((random.choice(TEXTS), random.choice(TEXTS), random.choice(NUMBERS), True, False)))


def asked(random: Random) -> tuple:
    """Return an attribute, or a function of one."""
    name = ("name", random.choice((*STRINGS, *OTHERS)))
    if random.random() < 0.65:
        return name
    function = random.choice(CALLS)
    if function in ("LEFT", "RIGHT"):
        return ("call", function, [name, ("value", random.randint(0, 4))])
    if function == "SUBSTRING":
        numbers = [random.randint(-4, 4), *([random.randint(0, 3)] if random.random() < 0.5 else [])]
        return ("call", function, [name, *(("value", number) for number in numbers)])
    return ("call", function, [name])
