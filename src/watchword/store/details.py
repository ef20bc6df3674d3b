"""The details of a subscription: checked, tried on its examples, and written as columns.

    Details(name="Storms", tags=("sea",), examples=(Example("the ferry in a storm", True),))
    ('Storms', '', '["sea"]', 0, None, '[["the ferry in a storm", 1]]')       a `DetailsRow`

An example is read as an item with this text is: by predicates and properties as an object, if it is a JSON object. It
is decided by the language with the store's options, as events are; so a subscription that keeps its examples cannot be
edited into one that misses them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from watchword.errors import SubscriptionError, WatchwordError
from watchword.items import Item, columns_of, event_of
from watchword.store.engine import Session, read_value
from watchword.store.options import Options
from watchword.store.records import (
    PLAIN,
    Details,
    Example,
    Request,
    format_list,
    format_time,
    is_storable,
    parse_list,
    parse_time,
)
from watchword.visible import brief, shown

if TYPE_CHECKING:
    from watchword.index import Index

NAME_CHARACTERS = 200
"""The most characters of a subscription's name."""
NOTE_CHARACTERS = 4_000
"""The most characters of its note."""
MOST_TAGS = 32
"""The most tags of a subscription."""
TAG_CHARACTERS = 64
"""The most characters of a tag."""
MOST_EXAMPLES = 50
"""The most examples of a subscription."""
EXAMPLE_BYTES = 64 << 10
"""The most bytes of an example's event in UTF-8."""


class DetailsRow(NamedTuple):
    """Details as the store keeps them; by default of a subscription that was given none."""

    name: str = ""
    note: str = ""
    tags: str = "[]"
    paused: int = 0
    snoozed: str | None = None
    examples: str = "[]"


DETAILS = DetailsRow._fields
"""The columns of the table `subscriptions` for the fields of `Details`."""
NO_DETAILS = DetailsRow()

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_CONTROLS_OF_NOTES = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


# Checking


def check_details(given: Details) -> Details:
    """Return details with each tag once; a `SubscriptionError` names what cannot be kept, and why."""
    if not isinstance(given, Details):
        raise SubscriptionError(f"details are a Details, not {shown(given)}")
    if not isinstance(given.paused, bool):
        raise SubscriptionError(f"paused is True or False, not {shown(given.paused)}")
    name = check_line("the name", given.name, NAME_CHARACTERS)
    note = _check_text("the note", given.note, NOTE_CHARACTERS, _CONTROLS_OF_NOTES)
    _check_snoozed(given)
    return Details(name, note, _check_tags(given.tags), given.paused, given.snoozed, _check_examples(given.examples))


def check_line(what: str, text: object, most: int) -> str:
    """Return a text if it is one line of at most `most` characters; a `SubscriptionError` says what it is instead."""
    return _check_text(what, text, most, _CONTROLS)


def _check_text(what: str, text: object, most: int, refused: re.Pattern[str]) -> str:
    if not isinstance(text, str) or not is_storable(text):
        raise SubscriptionError(f"{what} is a text, not {shown(text)}")
    if len(text) > most:
        raise SubscriptionError(f"{what} has {len(text):,} characters, and {most:,} are the most: shorten it")
    found = refused.search(text)
    if found is not None:
        raise SubscriptionError(f"{what} has the control character {found[0]!r} at {found.start()}: remove it")
    return text


def _check_snoozed(given: Details) -> None:
    try:
        if given.snoozed is not None:
            format_time(given.snoozed)
    except (AttributeError, TypeError):
        raise SubscriptionError(f"snoozed is a time, or None, not {shown(given.snoozed)}") from None
    except ValueError as error:
        raise SubscriptionError(f"snoozed: {error}") from None


def _check_tags(tags: object) -> tuple[str, ...]:
    if isinstance(tags, str) or not isinstance(tags, Iterable):
        raise SubscriptionError(f"tags are a tuple of texts, not {shown(tags)}")
    found = tuple(dict.fromkeys(check_line("a tag", tag, TAG_CHARACTERS) for tag in tags))
    if any(not tag.strip() for tag in found):
        raise SubscriptionError("a tag is blank: leave it out")
    if len(found) > MOST_TAGS:
        raise SubscriptionError(f"there are {len(found)} tags, and {MOST_TAGS} are the most: remove some")
    return found


def _check_examples(examples: object) -> tuple[Example, ...]:
    if isinstance(examples, str) or not isinstance(examples, Iterable):
        raise SubscriptionError(f"examples are a tuple of Examples, not {shown(examples)}")
    found = tuple(examples)
    if len(found) > MOST_EXAMPLES:
        raise SubscriptionError(f"there are {len(found)} examples, and {MOST_EXAMPLES} are the most: remove some")
    for number, example in enumerate(found, 1):
        _check_example(f"example {number}", example)
    return found


def _check_example(which: str, example: object) -> None:
    if not isinstance(example, Example) or not isinstance(example.matches, bool) or not is_storable(example.event):
        raise SubscriptionError(f"{which} is an Example of a text, and True or False, not {shown(example)}")
    size = len(example.event.encode())
    if size > EXAMPLE_BYTES:
        raise SubscriptionError(f"{which} has {size:,} bytes, and {EXAMPLE_BYTES:,} are the most: shorten it")


# Trying examples


def try_examples(requests: Iterable[Request], kept: Mapping[str, str], options: Mapping[str, Options]) -> None:
    """Raise a `SubscriptionError` for the first request, by its row, that does not do to its examples what they ask.

    `kept` has the examples, as the store keeps them, of the subscriptions that keep theirs, by id.
    """
    indexes: dict[str, Index[str]] = {}
    for row, request in enumerate(requests):
        examples = parse_examples(kept.get(request.id or "", "[]")) if request.details is None else ()
        for number, example in enumerate(examples if request.details is None else request.details.examples, 1):
            fault = _fault(example, request, indexes, options)
            if fault is not None:
                raise SubscriptionError(f"example {number} ({brief(example.event)!r}) {fault}", row=row)


def _fault(
    example: Example, request: Request, indexes: dict[str, Index[str]], options: Mapping[str, Options]
) -> str | None:
    """Return the fault of an example of a request; None if the text does to it as it asks."""
    from watchword.index import language_class  # reading an inbox does not load the languages

    language = request.language
    if language not in indexes:
        indexes[language] = language_class(language)(**options.get(language, {}))
    index = indexes[language]
    try:
        explanation = index.explain_text(example_event(language, example.event, index.attributes), request.text)
    except WatchwordError as error:
        return f"cannot be read: {str(error).splitlines()[0]}; change or remove the example"
    if bool(explanation) == example.matches:
        return None
    wanted = "has to match" if example.matches else "must not match"
    return f"{wanted}, and this text gives: {explanation}; change the text, or remove the example"


def example_event(language: str, text: str, attributes: Any = None) -> Any:
    """Return the event that a language reads of an example: the text itself, or the object that it is.

    >>> example_event("keywords", "the ferry"), example_event("predicates", '{"price": 7}')
    ('the ferry', {'price': 7})
    """
    return event_of(language, columns_of(Item("example", text=text)) | {"title": None}, attributes)


# Columns


def details_row(details: Details) -> DetailsRow:
    """Return details as the store keeps them."""
    if details is PLAIN:
        return NO_DETAILS
    examples = json.dumps([(example.event, int(example.matches)) for example in details.examples])
    snoozed = None if details.snoozed is None else format_time(details.snoozed)
    return DetailsRow(details.name, details.note, format_list(details.tags), int(details.paused), snoozed, examples)


def details_of(row: DetailsRow) -> Details:
    """Return the details that `details_row` wrote as `row`."""
    if row == NO_DETAILS:
        return PLAIN
    name, note, tags, paused, snoozed, examples = row
    time = None if snoozed is None else parse_time(snoozed)
    return Details(name, note, parse_list(tags), bool(paused), time, parse_examples(examples))


def parse_examples(text: str) -> tuple[Example, ...]:
    """Return the examples of a column."""
    read: Callable[[str], Any] = json.loads
    return tuple(Example(event, bool(matches)) for event, matches in read_value(read, text))


def read_examples(session: Session, ids: Iterable[str]) -> dict[str, str]:
    """Return the examples, as the store keeps them, of subscriptions that have some, by id."""
    if session.row("SELECT 1 FROM subscriptions WHERE examples <> '[]' LIMIT 1") is None:
        return {}  # as in most stores, and most imports have many ids
    query = "SELECT examples FROM subscriptions WHERE id = ? AND examples <> '[]'"
    found = ((key, session.row(query, (key,))) for key in ids)
    return {key: str(row[0]) for key, row in found if row is not None}
