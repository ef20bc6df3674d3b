"""A subscription being written: the form that it is in, whether it is one, and what it would have brought.

    form = Form.of_fields({"language": [""], "text": ["ferry NOT delayed"]})
    results = look(viewer, form)        .fault    where reading stopped, and why
                                        .preview  what the archive has for it (`watchword.preview`)
                                        .tried    one text, and why it matches or not

Without a language the text chooses one by its words (`guess_language`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from watchword.archive import item_of
from watchword.errors import SubscriptionSyntaxError, WatchwordError
from watchword.items import Item
from watchword.languages import LANGUAGES, language_class
from watchword.preview import Draft, Hit, Near, Preview, preview
from watchword.serve.console.marking import Piece, pieces, snippet, spans_of
from watchword.serve.console.pages import Viewer, address, first
from watchword.serve.foretelling import Foretold, foretell
from watchword.serve.previews import MOST_COMPARED, try_examples
from watchword.serve.problems import problem_of
from watchword.store import Details, Example, Subscription

DAYS = 30
SAMPLE = 20
"""Days that a preview looks back."""
FILLED = 7
"""Days that "save and fill" delivers, today included."""
DAY_SAMPLE = 100
"""Items of one day that are listed."""
LONGEST_LINK = 2_000
"""Characters of a text that is put into links."""
_FIELDS = re.compile(r"(?<![<>=!])[<>=!]=?|\b(MATCHES|LIKE|HAS|BETWEEN|EXISTS|ANY|KIND OF|IS (NOT )?NULL)\b|\bIN \(")
_PLAIN = re.compile(r'"[^"]*"|\S+://\S+')
_WILDCARD = re.compile(r"\w[*?]\w")
_OPERATOR = re.compile(r'\b(AND|OR|NOT|NEAR/\d+|BEFORE/\d+|\d+ OF)\b|["()~]|(?<!\S)[-^]\w')


@dataclass(frozen=True)
class Form:
    """The fields of the editor as they were sent. Without an `id` it is a new subscription."""

    id: str = ""
    etag: str = ""
    language: str = ""
    text: str = ""
    name: str = ""
    note: str = ""
    tags: str = ""
    examples: tuple[Example, ...] = ()
    tried: str = ""
    sure: str = ""
    """The text that is to be saved although it matches nearly everything: it was sent before, and refused."""

    @classmethod
    def of_fields(cls, fields: Mapping[str, list[str]]) -> Form:
        """Return the form in the fields of a request; examples that are to be forgotten are left out."""
        texts, verdicts = fields.get("example", []), fields.get("verdict", [])
        examples = tuple(
            Example(text.replace("\r\n", "\n"), verdict == "matches")
            for text, verdict in zip(texts, verdicts, strict=False)
            if verdict != "forget"
        )
        plain = ("id", "etag", "language", "text", "name", "note", "tags", "tried", "sure")
        return cls(examples=examples, **{name: first(fields, name) for name in plain})

    @classmethod
    def of_subscription(cls, one: Subscription) -> Form:
        """Return the form that edits a subscription."""
        details = one.details
        tags = ", ".join(details.tags)
        return cls(one.id, one.etag, one.language, one.text, details.name, details.note, tags, details.examples)

    def details(self, old: Details | None) -> Details:
        """Return the details in the form; what it has no field for stays as it was."""
        tags = tuple(tag.strip() for tag in self.tags.split(",") if tag.strip())
        given = Details() if old is None else old
        return replace(given, name=self.name.strip(), note=self.note, tags=tags, examples=self.examples)

    @property
    def chosen(self) -> str:
        """The language: the chosen one, or the one that the text looks like."""
        return self.language if self.language in LANGUAGES else guess_language(self.text)


def guess_language(text: str) -> str:
    """Return the language that a text looks like.

    Wildcards are those of keywords in a single word and beside operators, and otherwise those of patterns.

    >>> [guess_language(text) for text in ("ferry NOT storm", "feed = 'x' AND MATCHES 'ferry'", "/item//title")]
    ['keywords', 'predicates', 'paths']
    >>> [guess_language(text) for text in ("colo?r", "gr?y OR colo?r", "cup final*penalties")]
    ['keywords', 'keywords', 'patterns']
    """
    text = text.strip()
    if text.startswith("/"):
        return "paths"
    if _FIELDS.search(_PLAIN.sub("", text)):
        return "predicates"
    is_pattern = _WILDCARD.search(text) and " " in text and not _OPERATOR.search(text)
    return "patterns" if is_pattern else "keywords"


class Fault(NamedTuple):
    """A refused text: in three pieces, the middle one being at fault, and the reason with its remedy."""

    before: str
    at: str
    after: str
    reason: str
    line: str
    column: int


class Shown(NamedTuple):
    """An item of a preview, its words marked."""

    title: list[Piece]
    snippet: list[Piece]
    link: str
    published: datetime | None
    feed: str
    why: str


class Clause(NamedTuple):
    """A part of the draft, the total without it, and how many more that is."""

    part: str
    total: int
    more: int


@dataclass(frozen=True)
class Bar:
    """A day of the chart; `height` is of 100."""

    day: date
    count: int
    x: int
    height: float
    href: str


class Tried(NamedTuple):
    """One text, whether it matches, and why."""

    matched: bool
    why: str
    text: list[Piece]


class Alike(NamedTuple):
    """Another subscription that equals or resembles the draft."""

    id: str
    label: str
    relation: str
    share: float


@dataclass
class Results:
    """What the editor shows below the text."""

    language: str
    fault: Fault | None = None
    problem: str = ""
    preview: Preview | None = None
    hits: list[Shown] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)
    clauses: list[Clause] = field(default_factory=list)
    like: list[Alike] = field(default_factory=list)
    examples: list[str] = field(default_factory=list)
    messages: list[Foretold] = field(default_factory=list)
    tried: Tried | None = None
    milliseconds: int = 0

    @property
    def filled(self) -> int:
        """The items of the last days that "save and fill" would deliver."""
        return sum(bar.count for bar in self.bars[-FILLED:])

    @property
    def misses(self) -> list[Near]:
        """The near misses that have something of what the draft asks for."""
        return [] if self.preview is None else [near for near in self.preview.near if not near.is_far]

    @property
    def are_all(self) -> bool:
        """Whether there are no more near misses than these."""
        return len(self.misses) < SAMPLE

    @property
    def most(self) -> int:
        """The count of the highest bar."""
        return max((bar.count for bar in self.bars), default=0)


def look(viewer: Viewer, form: Form) -> Results:
    """Check a draft, and preview it."""
    results = Results(form.chosen)
    if not form.text.strip():
        return results
    options = viewer.store.options(results.language)
    try:
        language_class(results.language)(**options).check(form.text)
        _preview(viewer, form, options, results)
    except SubscriptionSyntaxError as error:
        results.fault = fault_of(error, form.text)
    except WatchwordError as error:
        results.problem = problem_of(error).detail
    else:
        results.examples = [_example(form, results.language, options, example) for example in form.examples]
        if form.tried.strip():
            results.tried = try_text(form.text, results.language, options, form.tried)
    return results


def fault_of(error: SubscriptionSyntaxError, text: str) -> Fault:
    """Return where and why a text was refused.

    >>> fault_of(SubscriptionSyntaxError("never closed", text="a\\nb (c", position=4), "a\\nb (c")
    Fault(before='a\\nb ', at='(', after='c', reason='never closed', line='b (c', column=2)
    """
    length = max(problem_of(error).extra.get("length") or 1, 1)
    start = min(error.position, len(text))
    begin = text.rfind("\n", 0, start) + 1
    line = text[begin:].partition("\n")[0]
    return Fault(text[:start], text[start : start + length], text[start + length :], error.reason, line, start - begin)


def try_text(text: str, language: str, options: Mapping[str, Any], event: str) -> Tried:
    """Return whether a subscription matches one text, and why or why not. The text is read as an item's."""
    found = try_examples(Draft(language, text), [event], options)[0]
    spans = [(one["start"], one["end"]) for one in found["places"] if one.get("attribute", "text") == "text"]
    return Tried(found["matches"], found["why"], pieces(event, spans))


def _example(form: Form, language: str, options: Mapping[str, Any], example: Example) -> str:
    """Return why an example is not as it should be; empty if it is."""
    tried = try_text(form.text, language, options, example.event)
    return "" if tried.matched == example.matches else tried.why


def table_of(viewer: Viewer) -> pa.Table:
    """Return the items that previews look at."""
    return viewer.service.archive.newest(viewer.service.limits.preview_items)


def _preview(viewer: Viewer, form: Form, options: Mapping[str, Any], results: Results) -> None:
    service, table, own = viewer.service, table_of(viewer), dict[str, Subscription]()
    if service.counts.find(viewer.store, viewer.name) <= MOST_COMPARED:
        own = {one.id: one for one in viewer.store.subscriptions(viewer.name, results.language) if one.id != form.id}
    others = {id: one.text for id, one in own.items()}
    found = service.previews.make(viewer.who, Draft(results.language, form.text), table, options, DAYS, others)
    results.preview = found
    results.milliseconds = round(found.seconds * 1000)
    results.hits = shown(table, found.sample)
    results.bars = bars(found, viewer.base, form)
    results.messages = foretell(viewer.store, viewer.name, form.id, found)
    results.clauses = [Clause(part, total, total - found.total) for part, total in found.without]
    results.like = [Alike(id, label_of(own[id]), relation, share) for id, relation, share in found.like[:5]]


def day_items(viewer: Viewer, form: Form, day: date) -> tuple[int, list[Shown]]:
    """Return how many items of a day a draft finds, and the newest of them."""
    last = datetime(day.year, day.month, day.day, 23, 59, tzinfo=UTC)
    options, table = viewer.store.options(form.chosen), table_of(viewer)
    seconds = viewer.service.limits.preview_seconds
    draft = Draft(form.chosen, form.text)
    found = preview(draft, table, options, days=1, now=last, sample=DAY_SAMPLE, seconds=seconds)
    return found.total, shown(table, found.sample)


def fill_days(now: datetime) -> float:
    """Return the days from the midnight that begins the filled days to `now`, so that bars and back-fill agree.

    >>> fill_days(datetime(2026, 11, 18, 12, tzinfo=UTC))
    6.5
    """
    midnight = datetime(now.year, now.month, now.day, tzinfo=UTC) - timedelta(days=FILLED - 1)
    return (now - midnight).total_seconds() / 86_400


def shown(table: pa.Table, hits: Any) -> list[Shown]:
    """Return items of a preview with their words marked; they are looked up in the table by their ids."""
    wanted = pa.array([hit.id for hit in hits], pa.string())
    rows = table.filter(pc.is_in(table["id"], value_set=wanted)).to_pylist() if len(wanted) else []
    items = {row["id"]: item_of(row) for row in rows}
    return [_shown(hit, items.get(hit.id, Item(hit.id, title=hit.title))) for hit in hits]


def _shown(hit: Hit, item: Item) -> Shown:
    spans = spans_of(hit.places, item.title, item.text)
    title = pieces(item.title, spans.get("title", [])) or [Piece(hit.title)]
    body = snippet(item.text, spans.get("text", [])) if item.title else []
    return Shown(title, body, hit.link, hit.published, item.feed, hit.why)


def bars(found: Preview, base: str, form: Form) -> list[Bar]:
    """Return the chart of a preview: a bar for each day, with the address of its items."""
    most = max((count for _, count in found.days), default=0)
    made = []
    for at, (day, count) in enumerate(found.days):
        short = len(form.text) <= LONGEST_LINK
        query = {"day": str(day), "language": form.chosen, "text": form.text}
        href = address(f"{base}/console/day", **query) if count and short else ""
        made.append(Bar(day, count, at * 10, max(100 * count / most, 3.0) if count else 0.0, href))
    return made


def label_of(one: Subscription) -> str:
    """Return what a subscription is called: its name, or the beginning of its text."""
    text = " ".join((one.details.name or one.text).split())
    return text if len(text) <= 48 else text[:47] + "…"
