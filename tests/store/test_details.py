"""Names, notes, tags, examples, pauses and snoozes of subscriptions, and edits that two people make at once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from threading import Barrier
from typing import Any

import pytest

from tests.limits import PATIENCE
from tests.store.clock import START, Clock
from watchword.errors import ConflictError, StoreError, SubscriptionError, UnknownNameError
from watchword.store import Details, Example, Item, Match, Request, Store
from watchword.store.details import EXAMPLE_BYTES, MOST_EXAMPLES, MOST_TAGS, NAME_CHARACTERS, NOTE_CHARACTERS

FULL = Details(
    name="Storms",
    note="What the desk\nasked for: Éva 東京",
    tags=("sea", "ferry, 2"),
    snoozed=datetime(2026, 12, 1, 8, 30, 0, 5, tzinfo=timezone(timedelta(hours=2))),
    examples=(Example("the ferry in the storm", True), Example("a bread\0roll", False)),
)


def changes(store: Store, since: int = 0) -> list[tuple[Any, ...]]:
    return [tuple(change) for change in store.changes_since(since).changes]


def deliver(store: Store, batch: str, *keys: str) -> None:
    assert store.record(batch, [Item(batch)], [Match(batch, key) for key in keys])


def delivered(store: Store, name: str = "ann") -> list[str]:
    return [delivery.item.identity for delivery in store.inbox(name)]


# What is kept


def test_details_come_back_as_they_were_given(store: Store) -> None:
    key = store.subscribe("ann", "ferry", details=FULL)
    found = store.subscription(key)
    assert found.details == FULL and store.subscriptions("ann") == [found]
    assert (found.id, found.subscriber, found.language, found.text, found.created) == (
        key,
        "ann",
        "keywords",
        "ferry",
        START,
    )
    with Store.open(str(store.path)) as again:
        assert again.subscription(key) == found and again.subscription(key).etag == found.etag
    assert store.subscription(store.subscribe("ann", "storm")).details == Details()


def test_a_replaced_text_keeps_the_details_unless_others_are_given(store: Store) -> None:
    store.subscribe("ann", "ferry", id="a", details=FULL)
    store.subscribe("ann", "ferry OR storm", id="a")
    assert (store.subscription("a").text, store.subscription("a").details) == ("ferry OR storm", FULL)
    store.subscribe_many([Request("ann", "storm", "a"), Request("ann", "bread", "b", details=Details(tags=("x",)))])
    assert store.subscription("a").details == FULL and store.subscription("b").details.tags == ("x",)
    store.subscribe("ann", "storm", id="a", details=Details())
    assert store.subscription("a").details == Details()


def test_a_tag_that_is_given_twice_is_there_once(store: Store) -> None:
    store.subscribe("ann", "ferry", id="a", details=Details(tags=["b", "a", "b"]))  # type: ignore[arg-type]
    assert store.subscription("a").details.tags == ("b", "a")


@pytest.mark.parametrize(
    ("details", "reason"),
    [
        (Details(name="x" * 10_000), "the name has 10,000 characters, and 200 are the most"),
        (Details(name="two\nlines"), r"control character '\\n' at 3"),
        (Details(name="a\0"), r"'\\x00' at 1"),
        (Details(name="\ud800"), "the name is a text"),
        (Details(name=None), "the name is a text, not None"),  # type: ignore[arg-type]
        (Details(note="x" * 4_001), "the note has 4,001 characters"),
        (Details(note="a\0"), "the note has the control character"),
        (Details(tags=("",)), "a tag is blank"),
        (Details(tags=(" ",)), "a tag is blank"),
        (Details(tags=("x" * 65,)), "a tag has 65 characters"),
        (Details(tags=("a\tb",)), "a tag has the control character"),
        (Details(tags=("\udfff",)), "a tag is a text"),
        (Details(tags="sea"), "tags are a tuple"),  # type: ignore[arg-type]
        (Details(tags=None), "tags are a tuple"),  # type: ignore[arg-type]
        (Details(tags=tuple(map(str, range(33)))), "33 tags, and 32 are the most"),
        (Details(paused=1), "paused is True or False, not 1"),  # type: ignore[arg-type]
        (Details(paused=None), "paused is True or False"),  # type: ignore[arg-type]
        (Details(snoozed=datetime(2026, 1, 1)), "no time zone"),
        (Details(snoozed="tomorrow"), "snoozed is a time"),  # type: ignore[arg-type]
        (Details(examples=(Example("\ud800", True),)), "example 1 is an Example"),
        (Details(examples=(Example("a", 1),)), "example 1 is an Example"),  # type: ignore[arg-type]
        (Details(examples=(("a", True),)), "example 1 is an Example"),  # type: ignore[arg-type]
        (Details(examples=None), "examples are a tuple"),  # type: ignore[arg-type]
        (Details(examples=(Example("é" * 32_769, True),)), "example 1 has 65,538 bytes, and 65,536 are the most"),
        (Details(examples=(Example("ferry", True),) * 51), "51 examples, and 50 are the most"),
        ({"name": "x"}, "details are a Details"),
        ("name", "details are a Details"),
    ],
)
def test_details_that_cannot_be_kept_change_nothing(store: Store, details: Any, reason: str) -> None:
    store.subscribe("ann", "ferry", id="a")
    before = store.subscription("a")
    for work in (
        lambda: store.subscribe("ann", "storm", id="a", details=details),
        lambda: store.set_details("a", details),
    ):
        with pytest.raises(SubscriptionError, match=reason) as refused:
            work()
        assert refused.value.row is None
    with pytest.raises(SubscriptionError, match=f"row 1: .*{reason}") as refused:
        store.subscribe_many([Request("ann", "storm"), Request("ann", "storm", "b", details=details)])
    assert refused.value.row == 1
    assert store.subscriptions() == [before] and changes(store) == [(1, "a", "keywords", "ferry")]


def test_details_at_their_limits(store: Store) -> None:
    most = Details(
        "n" * NAME_CHARACTERS,
        "é" * NOTE_CHARACTERS,
        tuple("t" * 62 + f"{n:02}" for n in range(MOST_TAGS)),
        examples=(Example("ferry " * 10, True),) * (MOST_EXAMPLES - 1)
        + (Example("ferry" + " " * (EXAMPLE_BYTES - 5), True),),
    )
    store.subscribe("ann", "ferry", id="a", details=most)
    assert store.subscription("a").details == most


# Examples


def test_a_text_that_its_examples_contradict_is_refused(store: Store) -> None:
    storm = Example("the ferry in the storm", True)
    with pytest.raises(SubscriptionError, match=r"example 2 \('a ferry'\) must not match, and .*match: ferry"):
        store.subscribe("ann", "ferry", details=Details(examples=(storm, Example("a ferry", False))))
    with pytest.raises(SubscriptionError, match=r"example 1 .* has to match, and .*no match: .*bread.*change the text"):
        store.subscribe("ann", "ferry AND bread", details=Details(examples=(storm,)))
    assert store.subscriptions() == []
    store.subscribe("ann", "ferry", id="a", details=Details(examples=(storm,)))
    for refused in (
        lambda: store.subscribe("ann", "bread", id="a"),
        lambda: store.subscribe_many([Request("ann", "x"), Request("ann", "bread", "a")]),
    ):
        with pytest.raises(SubscriptionError, match="example 1"):
            refused()
    assert store.subscription("a").text == "ferry" and len(store.subscriptions()) == 1
    store.subscribe("ann", "bread", id="a", details=Details())
    with pytest.raises(SubscriptionError, match="example 1"):
        store.set_details("a", Details(examples=(storm,)))


@pytest.mark.parametrize(
    ("language", "text", "matching", "other"),
    [
        ("predicates", "price > 20", '{"price": 21}', '{"price": 20, "b": null}'),
        ("predicates", "MATCHES 'ferry'", "the ferry", "bread"),
        ("patterns", "f?rry", "a ferry", "a fery"),
        ("paths", "/nitf//em", "<nitf><p><em/></p></nitf>", "<nitf/>"),
        ("keywords", '"price 7"', '{"price": 7}', '{"price": 8}'),
        ("properties", "sports=1", '{"sports": 1, "politics": 0}', '{"sports": 0, "politics": 1}'),
    ],
)
def test_examples_are_read_as_items_are(store: Store, language: str, text: str, matching: str, other: str) -> None:
    if language == "properties":
        store.set_options("properties", properties=["sports", "politics"])
    right = Details(examples=(Example(matching, True), Example(other, False)))
    key = store.subscribe("ann", text, language=language, details=right)
    assert store.subscription(key).details == right
    for wrong in (Example(matching, False), Example(other, True)):
        with pytest.raises(SubscriptionError, match="example 1"):
            store.subscribe("ann", text, language=language, details=Details(examples=(wrong,)))


def test_a_pattern_sees_the_example_and_nothing_before_it(store: Store) -> None:
    with pytest.raises(SubscriptionError, match="has to match"):
        store.subscribe("ann", "?ferry", language="patterns", details=Details(examples=(Example("ferry", True),)))


def test_an_example_that_the_language_cannot_read_is_named(store: Store) -> None:
    with pytest.raises(SubscriptionError, match=r"example 1 .*cannot be read: .*remove the example"):
        store.subscribe("ann", "/a", language="paths", details=Details(examples=(Example("<a>", False),)))
    assert store.subscriptions() == []


def test_examples_are_tried_with_the_options_of_the_store(store: Store) -> None:
    store.set_options("patterns", ignore_case=True)
    store.subscribe("ann", "F?RRY", language="patterns", details=Details(examples=(Example("a ferry", True),)))


def test_one_bad_row_of_many_stores_nothing(store: Store) -> None:
    good = [Request("ann", "ferry", f"k{n}", details=Details(name=str(n))) for n in range(20)]
    bad = Request("ann", "ferry", "bad", details=Details(examples=(Example("bread", True),)))
    with pytest.raises(SubscriptionError, match="row 20: example 1") as refused:
        store.subscribe_many([*good, bad])
    assert refused.value.row == 20 and store.subscriptions() == [] and store.counter == 0


# Pausing


def test_a_paused_subscription_is_gone_for_followers_and_kept_for_its_subscriber(store: Store) -> None:
    for key in "abc":
        store.subscribe("ann", "ferry", id=key)
    paused = store.set_details("b", Details(paused=True))
    assert paused.change == 4 == store.counter and changes(store, 3) == [(4, "b", "keywords", None)]
    assert [one.id for one in store.subscriptions("ann")] == ["a", "b", "c"]
    deliver(store, "1", "a", "b")  # from an index that does not know yet
    assert [reason.subscription for reason in store.inbox("ann")[0].reasons] == ["a"]
    resumed = store.set_details("b", Details())
    assert resumed.change == 5 and changes(store, 4) == [(5, "b", "keywords", "ferry")]
    deliver(store, "2", "b")
    assert delivered(store) == ["2", "1"]
    assert [one.id for one in store.subscriptions("ann")] == ["a", "b", "c"]


def test_a_new_subscription_may_be_paused(store: Store) -> None:
    store.subscribe("ann", "ferry", id="a", details=Details(paused=True))
    assert changes(store) == [(1, "a", "keywords", None)] and store.languages() == []
    store.subscribe("ann", "gr?ece", id="p", language="patterns")
    assert store.languages() == ["patterns"]
    store.set_details("a", Details())
    assert store.languages() == ["keywords", "patterns"]


def test_the_text_of_a_paused_subscription_may_be_edited(store: Store) -> None:
    store.subscribe("ann", "ferry", id="a", details=Details(paused=True))
    store.subscribe("ann", "storm", id="a")
    assert changes(store) == [(2, "a", "keywords", None)] and store.subscription("a").change == 2
    store.subscribe("ann", "st?rm", id="a", language="patterns")
    assert changes(store) == [(3, "a", "keywords", None), (4, "a", "patterns", None)]
    assert store.subscription("a").details.paused and store.languages() == []
    store.set_details("a", Details())
    assert changes(store) == [(3, "a", "keywords", None), (5, "a", "patterns", "st?rm")]
    store.subscribe("ann", "storm", id="a", details=Details(paused=True))
    assert changes(store) == [(6, "a", "patterns", None), (7, "a", "keywords", None)]
    store.unsubscribe("a")
    assert changes(store, 7) == [(8, "a", "keywords", None)]


def test_a_name_takes_no_number_and_no_epoch(store: Store) -> None:
    store.subscribe("ann", "ferry", id="a")
    epoch = store.epoch(1)
    store.set_details("a", FULL)
    assert store.counter == 1 and store.epoch(1) == epoch and store.subscription("a").change == 1
    assert changes(store) == [(1, "a", "keywords", "ferry")]


# Snoozing


def test_a_snoozed_subscription_is_followed_and_delivered_from_then_on(store: Store, clock: Clock) -> None:
    until = START + timedelta(days=1)
    store.subscribe("ann", "ferry", id="a", details=Details(snoozed=until))
    store.subscribe("ann", "storm", id="b")
    assert changes(store) == [(1, "a", "keywords", "ferry"), (2, "b", "keywords", "storm")]
    deliver(store, "1", "a")
    deliver(store, "2", "a", "b")
    assert delivered(store) == ["2"] and [one.subscription for one in store.inbox("ann")[0].reasons] == ["b"]
    assert store.stats().items == 1
    clock.time = until
    deliver(store, "3", "a")
    assert delivered(store) == ["3", "2"]


def test_a_snooze_in_the_past_holds_nothing_back(store: Store) -> None:
    past = Details(snoozed=START - timedelta(seconds=1))
    store.subscribe("ann", "ferry", id="a", details=past)
    deliver(store, "1", "a")
    assert delivered(store) == ["1"] and store.subscription("a").details == past


# States


def test_a_state_has_another_name_after_each_edit_and_the_same_without_one(store: Store) -> None:
    edits: list[Callable[[], Any]] = [
        lambda: store.subscribe("ann", "ferry", id="a"),
        lambda: store.subscribe("ann", "storm", id="a"),
        lambda: store.subscribe("ann", "ferry", id="a"),  # back to the first text
        lambda: store.set_details("a", Details(name="x")),
        lambda: store.set_details("a", Details()),
        lambda: store.set_details("a", Details(paused=True)),
        lambda: store.subscribe("ann", "ferry", id="a", language="patterns"),
    ]
    names = []
    for edit in edits:
        for _ in range(2):  # the second changes nothing
            edit()
            names.append(store.subscription("a").etag)
    assert names[::2] == names[1::2] and len(set(names)) == len(edits)
    store.unsubscribe("a")
    store.subscribe("ann", "ferry", id="a")
    assert store.subscription("a").etag not in names


def test_an_edit_of_another_state_is_refused(store: Store) -> None:
    store.subscribe("ann", "ferry", id="a")
    old = store.subscription("a").etag
    store.subscribe("ann", "storm", id="a", if_match=old)
    now = store.subscription("a")
    for work in (
        lambda: store.subscribe("ann", "bread", id="a", if_match=old),
        lambda: store.subscribe("ann", "bread", id="a", if_match=""),
        lambda: store.set_details("a", Details(name="x"), if_match=old),
        lambda: store.set_details("a", Details(name="x"), if_match=""),
        lambda: store.unsubscribe("a", if_match=old),
        lambda: store.subscribe("ann", "bread", id="a", only_new=True),
    ):
        with pytest.raises(ConflictError) as refused:
            work()
        assert isinstance(refused.value, StoreError)
        assert (refused.value.id, refused.value.etag, refused.value.path) == ("a", now.etag, store.path)
        assert store.subscription("a") == now
    named = store.set_details("a", Details(name="x"), if_match=now.etag)
    assert named.details.name == "x" and named == store.subscription("a")
    store.unsubscribe("a", if_match=named.etag)
    with pytest.raises(ConflictError, match="no subscription 'a' any more") as refused:
        store.subscribe("ann", "bread", id="a", if_match=named.etag)
    assert refused.value.etag is None and store.subscriptions() == []
    assert store.subscribe("ann", "bread", id="a", only_new=True) == "a"
    assert store.subscribe("ann", "bread", only_new=True) == "s5"


def test_somebody_elses_subscription_is_refused_before_its_state_is_told(store: Store) -> None:
    store.subscribe("ann", "ferry", id="a")
    for options in ({"if_match": "x"}, {"only_new": True}, {}):
        with pytest.raises(SubscriptionError, match="another subscriber's"):
            store.subscribe("bob", "ferry", id="a", **options)  # type: ignore[arg-type]


def test_of_two_edits_at_once_one_wins(store: Store) -> None:
    store.subscribe("ann", "ferry", id="a")
    for turn in range(10):
        etag, start = store.subscription("a").etag, Barrier(2)

        def edit(text: str, etag: str = etag, start: Barrier = start) -> str:
            start.wait(PATIENCE)
            try:
                return store.subscribe("ann", text, id="a", if_match=etag)
            except ConflictError:
                return "conflict"

        texts = [f"word{turn}", f"term{turn}"]
        with ThreadPoolExecutor(2) as pool:
            done = list(pool.map(edit, texts))
        assert sorted(done) == ["a", "conflict"]
        assert store.subscription("a").text == texts[done.index("a")]


def test_details_that_are_set_while_the_text_is_replaced_keep_the_new_text(store: Store) -> None:
    """Its examples are tried on the new text, too."""
    store.subscribe("ann", "ferry", id="a")
    subscribe, calls = store.subscribe, []

    def meanwhile(*given: Any, **options: Any) -> str:
        if not calls:
            calls.append(subscribe("ann", "storm", id="a"))
        return subscribe(*given, **options)

    store.subscribe = meanwhile  # type: ignore[method-assign]
    assert store.set_details("a", Details(name="x")).text == "storm"
    calls.clear()
    subscribe("ann", "ferry", id="a")
    with pytest.raises(SubscriptionError, match="example 1"):
        store.set_details("a", Details(examples=(Example("ferry", True),)))


def test_examples_that_change_while_a_text_is_checked_are_not_lost(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    from watchword.store import subscribing

    store.subscribe("ann", "ferry", id="a")
    check = subscribing.check_text

    def meanwhile(*given: Any) -> None:
        check(*given)
        with Store.open(str(store.path)) as other, monkeypatch.context() as patch:
            patch.setattr(subscribing, "check_text", check)
            other.set_details("a", Details(examples=(Example("the ferry", True),)))

    with monkeypatch.context() as patch, pytest.raises(ConflictError, match="were changed meanwhile"):
        patch.setattr(subscribing, "check_text", meanwhile)
        store.subscribe("ann", "storm", id="a")
    assert store.subscription("a").text == "ferry"


@pytest.mark.parametrize("key", ["x", "", "\ud800", None, 7])
def test_unknown_ids(store: Store, key: Any) -> None:
    for work in (
        lambda: store.subscription(key),
        lambda: store.set_details(key, Details()),
        lambda: store.unsubscribe(key),
        lambda: store.unsubscribe(key, if_match="x"),
    ):
        with pytest.raises(UnknownNameError, match="there is no subscription"):
            work()


def test_times_of_any_zone_are_the_same_time(store: Store) -> None:
    zone = timezone(timedelta(hours=-5))
    store.subscribe("ann", "ferry", id="a", details=Details(snoozed=datetime(2026, 11, 15, 7, tzinfo=zone)))
    assert store.subscription("a").details.snoozed == datetime(2026, 11, 15, 12, tzinfo=UTC)
