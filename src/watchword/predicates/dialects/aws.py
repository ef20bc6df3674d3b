"""What EventBridge patterns and SNS policies share: JSON in, and a small tree of predicates that is written as text.

>>> write(("and", ["a = 1", ("or", ["b = 2", ("not", ["c EXISTS"])])]))
'a = 1 AND (b = 2 OR NOT c EXISTS)'

What cannot be read, or cannot be said, is a `PatternError` with its place inside the pattern.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, TypeAlias

from watchword.errors import SubscriptionError, SubscriptionSyntaxError
from watchword.strings import first_repeated

Tree: TypeAlias = "str | tuple[str, list[Tree]]"
"""A predicate, or ("and" | "or" | "not", parts)."""

DEEPEST = 100
_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KEYWORDS = frozenset(
    {
        *("and", "any", "between", "by", "case", "cidr", "contains", "ends", "exists", "false", "ignoring", "in", "is"),
        *("kind", "like", "matches", "missing", "not", "null", "of", "or", "starts", "true", "with"),
    }
)


class PatternError(SubscriptionError):
    """A pattern or policy cannot be read or cannot be said here. ``path`` is the place inside it."""

    def __init__(self, message: str, *, path: str, row: int | None = None) -> None:
        super().__init__(f"{path or 'the pattern'}: {message}", row=row)
        self.path = path
        self._message = message

    def at_row(self, row: int | None) -> PatternError:
        """Return the same error, placed in a batch; with None, of a single subscription."""
        return PatternError(self._message, path=self.path, row=row)


def read(pattern: str | bytes | Mapping[str, Any], example: str = '{"source": ["aws.ec2"]}') -> Mapping[str, Any]:
    """Return a pattern as a mapping; JSON is parsed, a key that comes twice refused. `example` is for errors."""
    if isinstance(pattern, Mapping):
        return pattern
    if not isinstance(pattern, str | bytes):
        raise PatternError(f"JSON or a mapping is expected, not {type(pattern).__name__}", path="")
    try:
        text = pattern.decode("utf-8") if isinstance(pattern, bytes) else pattern
        found = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except SubscriptionError:
        raise
    except UnicodeDecodeError as error:
        raise PatternError(f"not UTF-8 at byte {error.start}", path="") from error
    except json.JSONDecodeError as error:
        raise SubscriptionSyntaxError(f"not JSON: {error.msg}", text=text, position=error.pos) from error
    except ValueError as error:  # an integer of thousands of digits
        raise PatternError(str(error), path="") from error
    except RecursionError as error:
        raise PatternError(f"nested deeper than {DEEPEST} levels", path="") from error
    if not isinstance(found, dict):
        raise PatternError(f"must be a JSON object, such as {example}", path="")
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = first_repeated(name for name, _ in pairs)
        raise PatternError("the key stands twice in one object; put all values into one array", path=str(twice))
    return found


def _no_constant(name: str) -> NoReturn:
    raise PatternError(f"{name} is no JSON number", path="")


def attribute(names: Sequence[str]) -> str:
    """Return a path of keys as an attribute, names quoted where they have to be.

    >>> attribute(["detail", "c-count"]), attribute(["a.b", "in"])
    ('detail."c-count"', '"a.b"."in"')
    """
    return ".".join(_name(name) for name in names)


def _name(name: str) -> str:
    if _BARE.fullmatch(name) and name.lower() not in _KEYWORDS:
        return name
    return '"' + name.replace('"', '""') + '"'


def quoted(text: str) -> str:
    """Return a text as a literal: ``it's`` is ``'it''s'``."""
    return "'" + text.replace("'", "''") + "'"


def joined(operator: str, parts: Sequence[Tree]) -> Tree:
    """Return several trees joined by "and" or "or"; one alone is itself."""
    return parts[0] if len(parts) == 1 else (operator, list(parts))


def write(tree: Tree, inside: str = "") -> str:
    """Return a tree as text, with parentheses only where they are needed."""
    if isinstance(tree, str):
        return tree
    operator, parts = tree
    if operator == "not":
        return f"NOT {write(parts[0], 'not')}"
    text = f" {operator.upper()} ".join(write(part, operator) for part in parts)
    return f"({text})" if inside == "not" or (inside, operator) == ("and", "or") else text
