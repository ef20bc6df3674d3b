"""`POST /match`: which subscriptions an event satisfies. It delivers nothing.

    {"event": "the ferry in the storm"}           {"matches": [{"id": "storms", "language": "keywords"}]}
    NDJSON, one event a line                      {"event": 0, "id": "storms"}, a line for each match
    an Arrow stream of events                     an Arrow stream: event, subscription

One event of at most `INLINE` bytes is matched on the event loop: that takes some microseconds, and a thread would take
a hundred. Larger bodies, reasons and batches go to threads; the answer to a batch is streamed, `CHUNK` events at a
time, and ends when its reader leaves.

A line of NDJSON is an event: a text, an object, a list of texts. An object with no other keys than `event` and
`language` is read as in the first form.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
import pyarrow as pa
from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from watchword.errors import EventError
from watchword.serve.api.parameters import (
    ANSWERS,
    ARROW,
    BODIES,
    NDJSON,
    PARAMETERS,
    XML,
    Parameters,
    read_parameters,
    wrong,
)
from watchword.serve.arrow_streams import read_events
from watchword.serve.limits import read_body
from watchword.serve.matching import (
    Asked,
    Pairs,
    check_language,
    consistently,
    explain,
    keep_rows,
    match_events,
    match_one,
)
from watchword.serve.problems import Problem
from watchword.serve.security import Caller
from watchword.serve.state import Service
from watchword.visible import brief, visible

if TYPE_CHECKING:
    from watchword.index import Index

router = APIRouter(tags=["matching"])

INLINE = 65_536
"""Bytes of a body up to which it is matched on the event loop."""
CHUNK = 4_096
"""Events of a batch that are matched at a time."""


@router.post(
    "/match",
    response_class=Response,
    responses={200: {"description": "The matches.", "content": ANSWERS}},
    openapi_extra={
        "x-scope": "match",
        "parameters": PARAMETERS,
        "requestBody": {"required": True, "content": BODIES},
    },
)
async def match(request: Request) -> Response:
    """Match one event, or a batch, against the caller's subscriptions; deliver nothing."""
    service: Service = request.app.state.service
    who = await service.security.admit(request, "match")
    wanted = read_parameters(request.scope["query_string"])
    kind = _media_type(request)
    is_batch = kind in NDJSON or kind == ARROW
    body = await read_body(request, service.limits.batch if is_batch else service.limits.body)
    if wanted.after > service.follower.counter:
        await _wait_for(service, wanted.after)
    asked = await asked_by(service, who, wanted)
    if is_batch:
        return await (_match_lines if kind in NDJSON else _match_table)(service, asked, wanted, body)
    event, language = _read_event(kind, body)
    if language is not None:
        asked = asked._replace(language=check_language(language))
    return await _match_event(service, asked, wanted, event, len(body))


def _media_type(request: Request) -> str:
    for name, value in request.scope["headers"]:
        if name == b"content-type":
            return str(value.decode("latin-1").partition(";")[0].strip().lower())
    return "application/json"


async def _wait_for(service: Service, counter: int) -> None:
    """Wait until the indexes have a change; a `Problem` 503 if it does not come."""
    if not await service.wait_for(counter):
        seconds = service.limits.wait_seconds
        raise Problem(
            503,
            "not-ready",
            f"change {counter} did not come within {seconds:g} s; the indexes have change {service.follower.counter}",
            headers={"Retry-After": "1"},
            remedy="take the number from the answer to PUT, of the same server",
        )


async def asked_by(service: Service, who: Caller, wanted: Parameters) -> Asked:
    """Return whose matches a caller asks for; a `Problem` 404 for those of another subscriber."""
    name = wanted.subscriber or who.subscriber
    everybody = name == "*"
    if everybody and "admin" not in who.scopes:
        raise Problem(403, "not-allowed", "everybody's subscriptions need the scope 'admin'")
    if not everybody and not who.sees(name):
        raise Problem(404, "not-found", f"there is no subscriber {brief(name)!r}")
    language = check_language(wanted.language)
    if not wanted.tags:
        return Asked(None if everybody else name, None, language)
    tagged = await run_in_threadpool(_tagged, service, None if everybody else name, wanted)
    return Asked(None if everybody else name, tagged, language)


def _tagged(service: Service, subscriber: str | None, wanted: Parameters) -> frozenset[str]:
    """Return the ids of a subscriber, or of all, with one of the tags that are asked for."""
    names = [one.name for one in service.store().subscribers()] if subscriber is None else [subscriber]
    return frozenset().union(*(service.tagged.find(name, wanted.tags, wanted.after) for name in names))


# one event


def _read_event(kind: str, body: bytes) -> tuple[Any, str | None]:
    """Return the event of a body, and the language that it names, if it does."""
    if kind == "application/json":
        return _read_envelope(body)
    if kind == "text/plain":
        try:
            return body.decode("utf-8"), None
        except UnicodeDecodeError as error:
            raise EventError(f"the text is not in UTF-8, at byte {error.start}") from None
    if kind in XML:
        return body, "paths"
    raise Problem(
        415,
        "wrong-media-type",
        f"a body of type {visible(brief(kind, 80))!r} is not read here",
        remedy=f"send one of: {', '.join(BODIES)}",
    )


def _read_envelope(body: bytes) -> tuple[Any, str | None]:
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Problem(
            422, "event-unreadable", f"the body is no JSON: {error.msg}", position=error.pos, remedy="send UTF-8 JSON"
        ) from None
    if not isinstance(value, dict) or "event" not in value or len(value) > 1 + ("language" in value):
        raise wrong('the body is {"event": …}, and perhaps "language"')
    language = value.get("language")
    if language is not None and not isinstance(language, str):
        raise wrong("the language is a text")
    return value["event"], language


async def _match_event(service: Service, asked: Asked, wanted: Parameters, event: Any, size: int) -> Response:
    inline = size <= INLINE and not wanted.explain
    while True:
        if inline:
            found = match_one(service.follower, asked, event, service.auditor)
        else:
            found = await service.run(match_one, service.follower, asked, event, service.auditor)
        if found is not None:
            break
        if asked.subscriber is not None:
            await run_in_threadpool(service.follower.owned, asked.subscriber)
        await asyncio.sleep(0.001)
    service.metrics.note_matched("single", 1, len(found))
    matches = [{"id": key, "language": language} for key, language in found]
    if wanted.explain:
        _check_explained(service, len(found))
        matches = await service.run(_explained, service, matches, event)
    return Response(orjson.dumps({"matches": matches}), media_type="application/json")


def _check_explained(service: Service, count: int) -> None:
    most = service.limits.explained
    if count > most:
        raise Problem(
            422,
            "limit-reached",
            f"there are more than {most:,} matches to explain",
            remedy="ask by tag, or fewer events",
        )


def _explained(service: Service, matches: list[dict[str, Any]], event: Any) -> list[dict[str, Any]]:
    found = []
    for one in matches:
        reason = explain(service.follower, one["language"], one["id"], event)
        if reason is not None:
            found.append(one | {"why": reason.why, "places": reason.places})
    return found


# many events


class _Lines(NamedTuple):
    """Events of NDJSON by number, their languages where lines name some, and the numbers of refused lines."""

    events: list[Any]
    languages: list[str | None]
    refused: dict[int, str]


async def _match_lines(service: Service, asked: Asked, wanted: Parameters, body: bytes) -> Response:
    lines = [line for line in body.split(b"\n") if line.strip()]
    if len(lines) > service.limits.events:
        raise Problem(
            413, "body-too-large", f"there are more than {service.limits.events:,} events", remedy="send fewer"
        )

    def answer(first: int) -> bytes:
        read = _read_lines(lines[first : first + CHUNK], service.limits.line)
        pairs = match_events(service.follower, asked, read.events, read.languages, service.auditor)
        service.metrics.note_matched("ndjson", len(read.events), len(pairs.ids))
        explained = _line_reasons(service, read, pairs) if wanted.explain else None
        return _answer_lines(first, pairs, pairs.refused | read.refused, explained)

    if len(body) <= INLINE and not wanted.explain and len(lines) <= 64:
        return Response(answer(0), media_type=NDJSON[0])
    first = await service.run(answer, 0)  # so that a first error is an error of the whole
    if len(lines) <= CHUNK:
        return Response(first, media_type=NDJSON[0])
    return StreamingResponse(_stream(service, first, answer, range(CHUNK, len(lines), CHUNK)), media_type=NDJSON[0])


async def _stream(
    service: Service, first: bytes, answer: Callable[[int], bytes], rest: Sequence[int]
) -> AsyncIterator[bytes]:
    yield first
    for begin in rest:
        yield await service.run(answer, begin)


def _read_lines(lines: list[bytes], longest: int) -> _Lines:
    """Return the events of lines; a line that is no JSON is refused, the others are read."""
    refused: dict[int, str] = {}
    try:
        if max(map(len, lines), default=0) > longest:
            raise ValueError
        values = list(map(orjson.loads, lines))
    except ValueError:
        values = [_read_line(number, line, longest, refused) for number, line in enumerate(lines)]
    if not any(type(value) is dict and "event" in value for value in values):
        return _Lines(values, [], refused)
    languages: list[str | None] = [None] * len(values)
    for number, value in enumerate(values):
        if isinstance(value, dict) and "event" in value and value.keys() <= {"event", "language"}:
            language = value.get("language")
            try:
                languages[number] = check_language(language if isinstance(language, str) else None)
                values[number] = value["event"]
            except Problem as problem:
                refused[number], values[number] = problem.detail, None
    return _Lines(values, languages, refused)


def _read_line(number: int, line: bytes, longest: int, refused: dict[int, str]) -> Any:
    if len(line) > longest:
        refused[number] = f"the line has more than {longest:,} bytes"
        return None
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        refused[number] = f"the line is no JSON: {error.msg}, at {error.pos}"
        return None


def _line_reasons(service: Service, read: _Lines, pairs: Pairs) -> list[dict[str, Any] | None]:
    _check_explained(service, len(pairs.ids))
    found: list[dict[str, Any] | None] = []
    for number, key, language in zip(pairs.events.tolist(), pairs.ids, pairs.languages, strict=True):
        reason = explain(service.follower, language, key, read.events[number])
        found.append(None if reason is None else {"why": reason.why, "places": reason.places})
    return found


def _answer_lines(
    first: int, pairs: Pairs, refused: dict[int, str], explained: list[dict[str, Any] | None] | None
) -> bytes:
    """Return a line for each match, and one for each refused event, in the order of events."""
    numbers = pairs.events.tolist()
    if explained is not None:
        lines = [
            orjson.dumps({"event": first + number, "id": key} | reason) + b"\n"
            for number, key, reason in zip(numbers, pairs.ids, explained, strict=True)
            if reason is not None
        ]
    else:
        written = {key: orjson.dumps(key) for key in set(pairs.ids)}
        lines = [
            b'{"event":%d,"id":%b}\n' % (first + number, written[key])
            for number, key in zip(numbers, pairs.ids, strict=True)
        ]
    lines += [
        orjson.dumps({"event": first + number, "error": reason}) + b"\n" for number, reason in sorted(refused.items())
    ]
    return b"".join(lines)


# tables


async def _match_table(service: Service, asked: Asked, wanted: Parameters, body: bytes) -> Response:
    if wanted.explain:
        raise wrong("reasons are for JSON and NDJSON: an Arrow table has pairs alone")
    pieces = await service.run(_table_answer, service, asked, wanted, body)
    return Response(pieces, media_type=ARROW)


def _table_answer(service: Service, asked: Asked, wanted: Parameters, body: bytes) -> bytes:
    table = read_events(body, service.limits)
    names = [*wanted.column] or table.column_names
    missing = [name for name in names if name not in table.column_names]
    if missing:
        raise wrong(f"the table has no column {missing[0]!r}; it has: {', '.join(table.column_names[:20])}")
    events = table.select(names)
    found = consistently(service.follower, lambda: _match_columns(service, asked, events))
    service.metrics.note_matched("arrow", table.num_rows, sum(part.num_rows for part in found))
    sink = pa.BufferOutputStream()
    schema = pa.schema([("event", pa.int64()), ("subscription", pa.string())])
    with pa.ipc.new_stream(sink, schema) as writer:
        for part in found:
            writer.write_table(part.cast(schema))
    return bytes(sink.getvalue())


def _match_columns(service: Service, asked: Asked, table: pa.Table) -> list[pa.Table]:
    """Return the pairs of each language that reads a table: of one column of texts, or of all columns as objects."""
    found, errors, view = [], [], asked.view(service.follower)
    for language in service.follower.languages() if asked.language is None else (asked.language,):
        try:
            index = service.follower.index(language)
        except KeyError:
            continue
        try:
            found.append(keep_rows(index.match_many(_events_of(index, table)), view))
        except EventError as error:
            errors.append(error)
    if errors and asked.language is not None:
        raise errors[0]
    return found


def _events_of(index: Index, table: pa.Table) -> Any:
    """Return a table's events for an index; an `EventError` if it has several columns for a language of one."""
    if table.num_columns == 1 and (not index.reads.objects or pa.types.is_struct(table.column(0).type)):
        return table.column(0)
    if not index.reads.objects:
        raise EventError(f"{index.language} read one column of texts: name it, such as ?column={table.column_names[0]}")
    return table
