"""A whole language, through the plug alone: a subscription is a number, an event a list of numbers, or one.

>>> index = NumberIndex({"seven": "7", "nine": "9"})
>>> index.match([3, 7, 11])
['seven']
"""

from __future__ import annotations

from typing import Any, ClassVar

from watchword.arrays import offsets_of
from watchword.errors import EventError, SubscriptionSyntaxError
from watchword.index import ClauseReport, Explanation, Index, Method
from watchword.languages import LANGUAGES
from watchword.sets.boolean import Clause
from watchword.sets.count import Count
from watchword.sets.language import SetLanguage
from watchword.sets.packed import PackedRows
from watchword.sets.rows import Rows
from watchword.strings import from_texts


class Numbers(SetLanguage):
    """An atom is a number, and so is a subscription."""

    name = "numbers"
    methods: ClassVar = {"auto": Method(PackedRows), "count": Method(Count)}

    def compile_one(self, text: Any) -> list[Clause]:
        if not isinstance(text, str) or not text.isdecimal():
            raise SubscriptionSyntaxError("a subscription is digits, such as 7", text=str(text), position=0)
        return [Clause(((str(int(text)),),), ())]

    def read(self, events: Any, position: int) -> Rows:
        lists = [_numbers(event, position + row) for row, event in enumerate(events)]
        names = from_texts([str(number) for numbers in lists for number in numbers])
        return Rows(offsets_of([len(numbers) for numbers in lists]), self.vocabulary.find(names))

    def explain(self, event: Any, text: str) -> Explanation:
        return Explanation(text, (ClauseReport(text, () if matches(text, event) else (text,)),))


class NumberIndex(Index):
    plug = Numbers


LANGUAGES["numbers"] = "tests.contract.numbers:NumberIndex"


def matches(text: str, event: Any) -> bool:
    return int(text) in _numbers(event, 0)


def _numbers(event: Any, position: int) -> list[int]:
    numbers = event if isinstance(event, list) else [event]
    if not all(type(number) is int for number in numbers):
        raise EventError(f"an event is a number or a list of numbers, not {event!r}", position=position)
    return numbers
