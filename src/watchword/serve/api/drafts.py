"""Subscriptions as they come over HTTP: one (`Draft`), one with its id (`NewDraft`), many in lines (`Bulk`).

    {"id": "storms", "text": "ferry AND storm"}        line 1    {"line": 1, "id": "storms"}
    {"text": "ferry ("}                                line 2    {"line": 2, "error": "this parenthesis …"}

Many are made in one transaction, all or none. With ``on_error=skip`` the good ones are made: where it
refuses some, the lines are halved until the refused ones are alone, so that a thousand lines with one fault take about
twenty transactions, and lines that were made stay made.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from watchword.errors import SubscriptionError, SubscriptionSyntaxError, UnknownNameError
from watchword.languages import LANGUAGES
from watchword.serve.problems import Problem, problem_of
from watchword.serve.security import Caller
from watchword.store import Details, Example, Request, Store, Subscription
from watchword.visible import brief, visible


class Sample(BaseModel):
    """An event that the subscription has to match, or must not match."""

    model_config = ConfigDict(extra="forbid")
    event: str
    matches: bool


class Draft(BaseModel):
    """A subscription to make; details that are left out stay as they are."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"language": "keywords", "text": "ferry AND storm", "tags": ["sea"]}]},
    )
    language: str = Field("keywords", description="The language of the text.")
    text: str = Field(description="The subscription.")
    name: str | None = Field(None, description="A name, for people.")
    note: str | None = Field(None, description="A note, for people.")
    tags: list[str] | None = Field(None, description="Words to list and match by.")
    paused: bool | None = Field(None, description="True: it matches nothing until it is resumed.")
    snoozed: datetime | None = Field(None, description="The time until which nothing is delivered.")
    examples: list[Sample] | None = Field(
        None, description='Texts that it has to match, or must not: `[{"event": "a ferry", "matches": true}]`.'
    )

    def details(self, old: Details | None) -> Details | None:
        """Return the details with the given members; None if none is given."""
        given = {name: getattr(self, name) for name in DETAILS if name in self.model_fields_set and self._says(name)}
        if not given:
            return None
        if "tags" in given:
            given["tags"] = tuple(given["tags"])
        if "examples" in given:
            given["examples"] = tuple(Example(one.event, one.matches) for one in given["examples"])
        return Details(**({} if old is None else vars(old)) | given)

    def _says(self, name: str) -> bool:
        return name == "snoozed" or getattr(self, name) is not None


DETAILS = ("name", "note", "tags", "paused", "snoozed", "examples")


class NewDraft(Draft):
    """A subscription to make, with its id; without one the server gives it one."""

    id: str | None = Field(None, description="Its id; without one the server gives it one.")


@dataclass
class Read:
    """A draft that was read, and its id, if it has one."""

    id: str | None
    draft: Draft


def read_draft(body: bytes) -> Read:
    """Return the draft in a JSON object; a `Problem` 422 names the fault."""
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Problem(422, "bad-request", f"it is no JSON: {error.msg}, at {error.pos}", position=error.pos) from None
    try:
        found = NewDraft.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "it"
        raise Problem(422, "wrong-value", visible(brief(f"{place}: {first['msg']}", 300))) from None
    if found.language not in LANGUAGES:
        raise Problem(
            422, "wrong-value", f"no language {brief(found.language)!r}", remedy=f"one of: {', '.join(LANGUAGES)}"
        )
    return Read(found.id, found)


@dataclass
class Bulk:
    """Many drafts of one caller, made in the store; `made` has ids by line, `refused` problems by line.

    `keep` returns those of some ids that are the caller's already; `old` has the subscriptions of these as they were.
    """

    store: Store
    who: Caller
    keep: Callable[[list[str]], list[str]]
    old: dict[str, Subscription] = field(default_factory=dict)
    made: dict[int, str] = field(default_factory=dict)
    refused: dict[int, Problem] = field(default_factory=dict)
    counter: int = 0

    def subscribe(self, lines: list[tuple[int, bytes]], skip: bool) -> Bulk:
        """Subscribe the drafts of numbered lines; unless `skip`, a `Problem` 422 names the first refused line."""
        requests: list[tuple[int, Request]] = []
        seen: set[str] = set()
        for number, line in lines:
            try:
                read = read_draft(line)
                if read.id is not None and read.id in seen:
                    raise Problem(
                        422, "wrong-value", f"the id {brief(read.id)!r} is there twice", remedy="leave one out"
                    )
                seen.add(read.id or "")
                details = read.draft.details(None)
                text, language = read.draft.text, read.draft.language
                requests.append((number, Request(self.who.subscriber, text, read.id, language, details)))
            except Problem as problem:
                self._refuse(number, problem, skip)
        for id in self.keep([request.id for _, request in requests if request.id is not None]):
            with suppress(UnknownNameError):  # it is gone since
                self.old[id] = self.store.subscription(id)
        self._make(requests, skip)
        return self

    def ids(self) -> list[str]:
        """Return the ids of the subscriptions that were made."""
        return list(self.made.values())

    def lines(self) -> list[dict[str, Any]]:
        """Return what happened to each line, in their order."""
        found: dict[int, dict[str, Any]] = {number: {"line": number, "id": key} for number, key in self.made.items()}
        for number, problem in self.refused.items():
            found[number] = {"line": number, "error": problem.detail} | problem.extra
        return [found[number] for number in sorted(found)]

    def _make(self, requests: list[tuple[int, Request]], skip: bool) -> None:
        if not requests:
            return
        try:
            ids = self.store.subscribe_many(request for _, request in requests)
        except SubscriptionError as error:
            if not skip:
                number = requests[error.row or 0][0]
                self._refuse(number, self._problem(error), skip)
            elif len(requests) == 1:
                self._refuse(requests[0][0], self._problem(error), skip)
            else:
                half = len(requests) // 2
                self._make(requests[:half], skip)
                self._make(requests[half:], skip)
            return
        self.counter = max(self.counter, self.store.counter)
        self.made |= {number: key for (number, _), key in zip(requests, ids, strict=True)}

    def _problem(self, error: SubscriptionError) -> Problem:
        """Return the problem of a refused subscription, which says nothing of other subscribers."""
        if isinstance(error, SubscriptionSyntaxError) or "another subscriber" not in str(error):
            return problem_of(error)
        return Problem(422, "subscription-refused", "the id cannot be used", remedy="choose another id")

    def _refuse(self, number: int, problem: Problem, skip: bool) -> None:
        if not skip:
            detail = f"line {number}: {problem.detail}; nothing was changed"
            raise Problem(problem.status, problem.kind, detail, line=number, **problem.extra)
        self.refused[number] = problem
