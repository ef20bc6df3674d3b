"""Why an item is in an inbox: made when it is asked for, with the subscription as it is now."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from watchword.items import event_of
from watchword.languages import LANGUAGES, language_class
from watchword.store import Item, Match, Reason, Request, Store
from watchword.store.explaining import CHANGED

FEED = Item(
    "feed",
    title="Night ferry",
    text="It sails & sinks",
    published=datetime(2026, 11, 15, tzinfo=UTC),
    feed="http://harbour/feed",
    categories=("Sea", "Night"),
)
ROW = Item(
    "row", title="a trade", text="{no json", row=json.dumps({"name": "RBS", "value": 25, "sports": 1, "arts": 0})
)
TOPIC = Item("topic", text='{"name": "RBS", "value": 25}')
BITS = Item("bits", text="10", row="10")
XML = Item("file.xml", title="file.xml", text="<head lang='el'><title/></head>")
OPTIONS = {"patterns": {"ignore_case": True}, "properties": {"properties": ["sports", "arts"]}}

MATCHES = [
    (FEED, "keywords", "ferry NOT storm"),
    (FEED, "patterns", "FERRY. IT"),
    (FEED, "paths", "/item/category"),
    (FEED, "predicates", "title STARTS WITH 'Night' AND categories CONTAINS 'Sea' AND link IS MISSING"),
    (FEED, "predicates", "published > '2026-11-01'"),
    (ROW, "keywords", "trade json"),
    (ROW, "predicates", "name = 'RBS' AND value > 20"),
    (ROW, "properties", "sports=1 arts=0"),
    (TOPIC, "predicates", "name = 'RBS' AND value > 20"),
    (BITS, "properties", "sports=1"),
    (XML, "paths", "//head[@lang='el']/title"),
]


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    with Store.open(address) as store:
        store.add_subscriber("ann")
        for language, options in OPTIONS.items():
            store.set_options(language, **options)
        yield store


def why(store: Store) -> list[str]:
    """Return the reasons of an inbox, newest first."""
    return [reason.why for delivery in store.inbox("ann") for reason in delivery.reasons]


@pytest.mark.parametrize(("item", "language", "text"), MATCHES)
def test_every_language_explains_what_it_read(store: Store, item: Item, language: str, text: str) -> None:
    store.record("1", [item], [Match(item.identity, store.subscribe("ann", text, language=language))])
    index = language_class(language)({"s": text}, **store.options(language))
    event = event_of(language, item, index.attributes)
    assert index.match(event) == ["s"]
    assert why(store) == [str(index.explain(event, "s"))] and why(store)[0].startswith("match: ")


def test_all_languages_are_tried() -> None:
    ours = {name for name, home in LANGUAGES.items() if home.startswith("watchword.")}  # tests add others
    assert {language for _, language, _ in MATCHES} == ours


def test_a_stored_reason_stays(store: Store) -> None:
    key = store.subscribe("ann", "ferry")
    store.record("1", [FEED], [Match("feed", key, "match: as it was told")])
    store.subscribe("ann", "storm", id=key)
    assert why(store) == ["match: as it was told"]
    store.unsubscribe(key)
    assert why(store) == ["match: as it was told"]


def test_a_changed_subscription_is_explained_as_it_is_now_or_said_not_to_match(store: Store) -> None:
    key = store.subscribe("ann", "ferry")
    store.record("1", [FEED], [Match("feed", key)])
    store.subscribe("ann", "night ferry", id=key)
    assert why(store) == ["match: night AND ferry"]
    store.subscribe("ann", "storm", id=key)
    assert why(store) == [CHANGED]
    store.subscribe("ann", "/item/title", language="paths", id=key)
    assert why(store)[0].startswith("match: ")
    store.unsubscribe(key)
    assert [tuple(reason) for delivery in store.inbox("ann") for reason in delivery.reasons] == [(key, None, "")]


def test_an_item_that_cannot_be_read_again_says_so(store: Store) -> None:
    key = store.subscribe("ann", "//a", language="paths")
    store.record("1", [Item("x", text="<a>\ufffd")], [Match("x", key)])
    (reason,) = why(store)
    assert reason.startswith("matched when it was delivered; it cannot be explained now: ") and "\n" not in reason


def test_an_option_of_the_store_decides(address: str) -> None:
    with Store.open(address) as store:
        store.add_subscriber("ann")
        store.record("1", [FEED], [Match("feed", store.subscribe("ann", "FERRY", language="patterns"))])
        assert why(store) == [CHANGED]  # case counts unless the store says otherwise


def test_reasons_are_made_once_and_only_for_those_who_ask(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = store.subscribe_many([Request("ann", "ferry"), Request("ann", "night")])
    store.record("1", [FEED], [Match("feed", key) for key in keys])
    asked: list[str] = []
    plug = language_class("keywords").plug
    explain = plug.explain

    def noted(self: object, event: object, text: str) -> object:
        asked.append(text)
        return explain(self, event, text)  # type: ignore[arg-type]

    monkeypatch.setattr(plug, "explain", noted)
    (delivery,) = store.inbox("ann")
    store.matched_items(keys[0])
    store.mark_read("ann")
    assert asked == []
    assert delivery.reasons[1].why == delivery.reasons[1].why == "match: night" and asked == ["night"]


def test_reasons_need_no_open_store_and_travel(store: Store) -> None:
    store.record("1", [FEED], [Match("feed", store.subscribe("ann", "ferry", id="s"))])
    (delivery,) = store.inbox("ann")
    store.close()
    assert [tuple(reason) for reason in delivery.reasons] == [("s", "ferry", "match: ferry")]
    assert pickle.loads(pickle.dumps(delivery)) == delivery and len({delivery, delivery}) == 1
    assert delivery.reasons[0] == Reason("s", "ferry", "match: ferry") != Reason("s", "ferry", "other")
    assert repr(delivery.reasons[0]) == "Reason(subscription='s', text='ferry', why='match: ferry')"


@pytest.mark.slow
def test_counting_and_marking_an_inbox_load_no_language(store: Store, address: str) -> None:
    store.record("1", [FEED], [Match("feed", store.subscribe("ann", "ferry"))])
    store.close()
    code = f"""if True:
        import sys
        from watchword.store import Store
        with Store.open({address!r}) as store:
            found = store.inbox("ann")
            assert [len(delivery.reasons) for delivery in found] == [1]
            assert store.languages() == ["keywords"] and store.mark_read("ann") == 1
        print(sorted({{"numba", "numpy", "pyarrow"}} & set(sys.modules)), found[0].reasons[0].why)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "[] match: ferry\n", done.stderr
