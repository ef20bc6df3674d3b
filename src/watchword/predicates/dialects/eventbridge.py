"""Event patterns of Amazon EventBridge as subscriptions.

>>> print(from_eventbridge('''{
...     "source": ["aws.ec2"],
...     "detail": {"state": [{"anything-but": "initializing"}], "c-count": [{"numeric": [">=", 0, "<=", 5]}]}
... }'''))
source = 'aws.ec2' AND detail.state != 'initializing' AND detail."c-count" BETWEEN 0 AND 5
>>> print(from_eventbridge({"a": ["x"], "$or": [{"b": [1, 2]}, {"c": [{"exists": False}]}]}))
a = 'x' AND (b IN (1, 2) OR c IS MISSING)

The answers are those of EventBridge, for events whose fields are values or lists of values. docs/predicates.md lists
what the language cannot say: explicit nulls, objects that exist, and some conditions on lists.

A key with a dot in it is one key. Numbers compare by value, exactly. A field that stands beside ``$or`` and inside it
again is refused, for EventBridge forgets one of the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from watchword.predicates.dialects.aws import DEEPEST, PatternError, Tree, attribute, joined, read, write
from watchword.predicates.dialects.conditions import OPERATORS, field

__all__ = ["from_eventbridge"]


def from_eventbridge(pattern: str | bytes | Mapping[str, Any]) -> str:
    """Return the subscription with the answers of an event pattern, which is JSON or a mapping.

    A pattern that is wrong, or that no subscription can express, raises a `SubscriptionError` that names the place:

    >>> from_eventbridge({"detail": {"state": ["running", None]}})
    Traceback (most recent call last):
    ...
    watchword.predicates.dialects.aws.PatternError: detail.state[1]: null cannot be said: here an explicit null is the \
same as a missing key; use {"exists": false} to match both
    """
    return translated(read(pattern), nested=True)


def translated(pattern: Mapping[str, Any], *, nested: bool) -> str:
    """Return the text for a pattern that has been read; with `nested` false its fields are flat."""
    tree = fields(pattern, (), "", nested=nested)
    _asked(pattern, (), "")
    return write(tree)


def fields(pattern: Mapping[str, Any], names: tuple[str, ...], path: str, *, nested: bool) -> Tree:
    """Return the predicates of a pattern's object: all its fields. `names` lead to it, `path` is its place."""
    if not pattern:
        raise PatternError("an empty object matches nothing; name a field", path=path)
    if len(names) > DEEPEST or path.count("$or") > DEEPEST:
        raise PatternError(f"nested deeper than {DEEPEST} levels", path=path[:60] + "…")
    parts: list[Tree] = []
    for name, value in pattern.items():
        if not isinstance(name, str):
            raise PatternError(f"a key is a text, not {name!r}", path=path)
        here = f"{path}.{name}" if path else name
        if name == "$or" and _is_choice(value):
            choices = [fields(one, names, f"{here}[{at}]", nested=nested) for at, one in enumerate(value)]
            parts.append(joined("or", choices))
        elif isinstance(value, Mapping):
            if not nested:
                raise PatternError('message attributes are flat; for nested keys use scope="MessageBody"', path=here)
            parts.append(fields(value, (*names, name), here, nested=nested))
        else:
            parts.append(field(attribute((*names, name)), value, here))
    return joined("and", parts)


def _is_choice(value: Any) -> bool:
    """Return whether the value of ``$or`` is a choice (two or more objects of fields); if not, ``$or`` is a field."""
    return (
        isinstance(value, list | tuple)
        and len(value) > 1
        and all(isinstance(one, Mapping) and not OPERATORS & one.keys() for one in value)
    )


def _asked(pattern: Mapping[str, Any], names: tuple[str, ...], path: str) -> set[tuple[str, ...]]:
    """Return the fields that a pattern asks for. A field that stands beside a choice and again inside it is refused,
    because EventBridge would ignore the first of the two."""
    seen: set[tuple[str, ...]] = set()
    for name, value in pattern.items():
        here = f"{path}.{name}" if path else name
        if name == "$or" and _is_choice(value):
            found = set().union(*(_asked(one, names, f"{here}[{at}]") for at, one in enumerate(value)))
        else:
            found = _asked(value, (*names, name), here) if isinstance(value, Mapping) else {(*names, name)}
        for twice in sorted(found & seen):
            message = (
                f"{attribute(twice)} is asked for twice, of which EventBridge forgets one; write both into every choice"
            )
            raise PatternError(message, path=here)
        seen |= found
    return seen
