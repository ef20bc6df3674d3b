"""Parses the text of a subscription into literals, with errors that give the reason and the place.

>>> declared = Declared(["sports", "politics", "arts"])
>>> declared.parse("sports=1 politics=0"), declared.parse("10*"), declared.parse("arts=*")
([1, 2], [1, 2], [])
>>> declared.show([1, 2])
'sports=1 AND politics=0'

The result is a list of *literals*, in the order of the properties: ``2 * p + 1`` asks that property `p` is 1, ``2 *
p`` that it is 0. The grammar::

    subscription := ternary | pair (joint pair)*
    ternary      := one of 0, 1 and * for each property, in their order
    pair         := name "=" (0 | 1 | *)           spaces may stand around =
    joint        := spaces | "," | spaces AND spaces
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from watchword.errors import SubscriptionError, SubscriptionSyntaxError
from watchword.likeness import hinted
from watchword.visible import brief, counted, shown, visible

SPACES = " \t\n\r\v\f"
"""Those of ASCII: any other is part of a name."""

_PAIR = re.compile(r"([^ \t\n\r\v\f,=]*)([ \t\n\r\v\f]*)(=?)[ \t\n\r\v\f]*([01*]?)")
_JOINT = re.compile(r"[ \t\n\r\v\f]*,[ \t\n\r\v\f]*|[ \t\n\r\v\f]+AND[ \t\n\r\v\f]+|[ \t\n\r\v\f]+")
_VALUES = {"0": 0, "1": 1, "*": 2}
_REMEDIES = {
    "OR": "there is no OR; make it two subscriptions",
    "NOT": "there is no NOT; ask for a property to be 0, as in {0}=0",
    "AND": "AND needs a property on either side, as in {0}=1 AND {1}=0",
}


class Declared:
    """The properties of an index, by name and by number."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.numbers = {name: number for number, name in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self.names)

    def parse(self, text: Any) -> list[int]:
        """Return the literals of a subscription; none if it asks nothing."""
        if not isinstance(text, str):
            raise SubscriptionError(f"a subscription is a str, not {type(text).__name__}")
        stripped = text.strip(SPACES)
        if not stripped:
            hint = f"as in {self.names[0]}=1, or {self._stars()} for every event"
            raise SubscriptionSyntaxError(f"nothing is asked; name a property, {hint}", text=text, position=0)
        if not stripped.strip("01*"):
            return self._ternary(text, stripped)
        try:
            return self._values(text)
        except SubscriptionSyntaxError as error:
            raise hinted(error, "properties") from None

    def _values(self, text: str) -> list[int]:
        """Return the literals of names with values."""
        values: dict[int, int] = {}
        for name, value, position in self._pairs(text):
            number = self._number(name, text, position)
            if values.setdefault(number, value) != value:
                raise SubscriptionSyntaxError(
                    f"{name} is asked to be {_shown(values[number])} and {_shown(value)}; leave one out",
                    text=text,
                    position=position,
                )
        return sorted(2 * number + value for number, value in values.items() if value < 2)

    def show(self, literals: Iterable[int]) -> str:
        """Return literals as a user would write them."""
        return " AND ".join(self.literal(literal) for literal in literals) or self._stars()

    def literal(self, literal: int) -> str:
        """Return one literal as a user would write it."""
        return f"{self.names[literal >> 1]}={literal & 1}"

    def some(self) -> str:
        """Return the declared names, or the first of them, for errors."""
        more = f" and {len(self) - 5:,} more" if len(self) > 5 else ""
        return ", ".join(self.names[:5]) + more

    @property
    def shown_count(self) -> str:
        """Return the number of declared properties, for errors."""
        return counted(len(self), "declared property", "declared properties")

    def _ternary(self, text: str, stripped: str) -> list[int]:
        if len(stripped) != len(self):
            raise SubscriptionSyntaxError(
                f"a string of {counted(len(stripped), 'value')} for {self.shown_count}; give one for each",
                text=text,
                position=text.index(stripped) + min(len(stripped), len(self)),
            )
        values = [_VALUES[character] for character in stripped]
        return [2 * number + value for number, value in enumerate(values) if value < 2]

    def _pairs(self, text: str) -> Iterable[tuple[str, int, int]]:
        """Yield name, value and position of each pair."""
        at, end = len(text) - len(text.lstrip(SPACES)), len(text.rstrip(SPACES))
        while True:
            found = _PAIR.match(text, at, end)
            if found is None or not (found[1] and found[3] and found[4]):
                self._refuse(text, at, found)
            yield found[1], _VALUES[found[4]], at
            at = found.end()
            if at == end:
                return
            joint = _JOINT.match(text, at, end)
            if joint is None:
                raise SubscriptionSyntaxError("a value is one of 0, 1 and *", text=text, position=at - 1)
            at = joint.end()

    def _refuse(self, text: str, at: int, found: re.Match[str] | None) -> NoReturn:
        """Raise the error for the pair at a position."""
        name, equals = (visible(brief(found[1])), found[3]) if found is not None else ("", "")
        if not name:
            message = "a property is missing here" + (" before =" if equals else f"; declared are {self.some()}")
        elif not equals:
            message = f"{name} has no value; write {name}=1, {name}=0 or {name}=*"
            if name in _REMEDIES:
                message = _REMEDIES[name].format(self.names[0], self.names[-1])
        else:
            message, at = f"{name} has no value; a value is one of 0, 1 and *", text.index("=", at) + 1
        raise SubscriptionSyntaxError(message, text=text, position=min(at, len(text)))

    def _number(self, name: str, text: str, position: int) -> int:
        number = self.numbers.get(name)
        if number is None:
            remedy = "leave parentheses out; " if name.startswith("(") else ""
            message = f"{shown(name)} is not a declared property; {remedy}declared are {self.some()}"
            raise SubscriptionSyntaxError(message, text=text, position=position)
        return number

    def _stars(self) -> str:
        return "*" * min(len(self), 10) + ("…" if len(self) > 10 else "")


def _shown(value: int) -> str:
    return "01*"[value]
