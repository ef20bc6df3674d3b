"""What a store keeps, and what it refuses."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from tests.store.clock import START, Clock
from watchword import KeywordIndex
from watchword.errors import OptionError, StoreError, SubscriptionError, SubscriptionSyntaxError, UnknownNameError
from watchword.store import Details, Item, Match, Request, Store, delivering, subscribing
from watchword.store.explaining import CHANGED


def items(*identities: str) -> list[Item]:
    return [Item(identity, title=f"title of {identity}") for identity in identities]


def shown(store: Store, name: str, **options: object) -> list[tuple[str, list[str]]]:
    """Return an inbox as identities and subscriptions."""
    inbox = store.inbox(name, **options)  # type: ignore[arg-type]
    return [(entry.item.identity, [reason.subscription for reason in entry.reasons]) for entry in inbox]


class TestOptions:
    def test_are_kept_for_each_language(self, store: Store) -> None:
        assert store.options("patterns") == {} and store.stats().options == {}
        store.set_options("patterns", ignore_case=True)
        store.set_options("keywords", stop_words=("the",), method="count")
        with Store.open(str(store.path)) as again:
            assert again.options("patterns") == {"ignore_case": True}
            assert again.options("keywords") == {"stop_words": ["the"], "method": "count"}
            assert again.stats().options == {name: again.options(name) for name in ("keywords", "patterns")}

    def test_change_until_somebody_subscribes_in_the_language(self, store: Store) -> None:
        store.subscribe("ann", "words")
        store.set_options("patterns", ignore_case=True)
        store.set_options("patterns", max_length=5)
        key = store.subscribe("bob", "w*s", language="patterns")
        store.set_options("patterns", max_length=5)
        store.unsubscribe(key)  # an index may have been built meanwhile
        for options in ({}, {"max_length": 6}, {"max_length": 5, "ignore_case": True}):
            with pytest.raises(StoreError, match="in patterns already") as refused:
                store.set_options("patterns", **options)
            assert refused.value.path == store.path
        assert store.options("patterns") == {"max_length": 5}
        with pytest.raises(StoreError, match="in keywords already"):
            store.set_options("keywords", stemmer="english")

    def test_decide_what_is_a_subscription(self, store: Store) -> None:
        store.set_options("keywords", stop_words=["the"])
        store.set_options("patterns", max_length=3)
        for text, language in (("the", "keywords"), ("abcd", "patterns")):
            with pytest.raises(SubscriptionError):
                store.subscribe("ann", text, language=language)
            with pytest.raises(SubscriptionError) as refused:
                store.subscribe_many([Request("ann", "abc", None, language), Request("ann", text, None, language)])
            assert refused.value.row == 1
        assert store.subscriptions() == []

    @pytest.mark.parametrize(
        ("language", "options", "reason"),
        [
            ("keywords", {"ignore_case": True}, "no option 'ignore_case'"),
            ("patterns", {"ignore_case": "yes"}, "True or False"),
            ("patterns", {"subscriptions": {"a": "b"}}, "subscriptions"),
            ("keywords", {"stop_words": {"the"}}, "JSON"),
            ("runes", {}, "no language 'runes'"),
        ],
    )
    def test_that_cannot_be(self, store: Store, language: str, options: dict[str, object], reason: str) -> None:
        with pytest.raises(OptionError, match=reason):
            store.set_options(language, **options)
        assert store.options(language) == {}

    def test_chosen_while_a_text_is_checked(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        def check_text(*arguments: object) -> None:
            with Store.open(str(store.path)) as other:
                other.set_options("keywords", stop_words=["the"])

        with monkeypatch.context() as patch, pytest.raises(StoreError, match="subscribe again"):
            patch.setattr(subscribing, "check_text", check_text)
            store.subscribe("ann", "the")
        assert store.subscriptions() == [] and store.subscribe("ann", "words")


class TestSubscribers:
    def test_come_and_go(self, store: Store, clock: Clock) -> None:
        clock.time += timedelta(hours=1)
        assert store.add_subscriber("Éva 東京")
        assert not store.add_subscriber("ann")
        assert [(s.name, s.created) for s in store.subscribers()] == [
            ("ann", START),
            ("bob", START),
            ("Éva 東京", START + timedelta(hours=1)),
        ]
        store.remove_subscriber("ann")
        assert [subscriber.name for subscriber in store.subscribers()] == ["bob", "Éva 東京"]

    @pytest.mark.parametrize("name", ["", "  ", "\ud800", None, 7])
    def test_names_that_are_none(self, store: Store, name: str) -> None:
        with pytest.raises(StoreError, match="name"):
            store.add_subscriber(name)
        for work in (store.inbox, store.remove_subscriber, store.mark_read, store.subscriptions):
            if name is not None:
                with pytest.raises(UnknownNameError):
                    work(name)

    def test_unknown_ones(self, store: Store) -> None:
        with pytest.raises(KeyError) as refused:
            store.subscribe("cid", "words")
        assert isinstance(refused.value, StoreError) and refused.value.name == "cid"  # type: ignore[attr-defined]
        assert (
            str(refused.value)
            == f"{store.path}: there is no subscriber 'cid'; `watchword subscribers` lists and adds them"
        )
        with pytest.raises(UnknownNameError):
            store.subscribe_many([Request("ann", "words"), Request("cid", "words")])
        assert store.subscriptions() == []

    def test_leave_nothing_behind(self, store: Store) -> None:
        for name in ("ann", "bob"):
            store.subscribe(name, "words", id=name[0])
        store.record("1", items("x", "y"), [Match("x", "a"), Match("y", "a"), Match("y", "b")])
        store.remove_subscriber("ann")
        stats = store.stats()
        assert (stats.items, stats.deliveries, stats.matches) == (1, 1, 1)
        assert store.changes_since(2).changes == [(3, "a", "keywords", None)]
        store.add_subscriber("ann")
        assert store.inbox("ann") == [] and store.subscriptions("ann") == []


class TestSubscribing:
    def test_ids_are_given_or_asked_for(self, store: Store) -> None:
        assert store.subscribe("ann", "one") == "s1"
        assert store.subscribe("ann", "two", id="s3") == "s3"
        assert store.subscribe_many([Request("bob", "three"), Request("ann", "four", "s5")]) == ["s4", "s5"]
        assert store.subscribe_many([]) == []
        store.unsubscribe("s5")
        store.unsubscribe("s4")
        assert [store.subscribe("bob", f"w{number}") for number in range(2)] == ["s8", "s9"]
        ids = [(subscription.id, subscription.subscriber) for subscription in store.subscriptions()]
        assert ids == [("s1", "ann"), ("s3", "ann"), ("s8", "bob"), ("s9", "bob")]

    def test_an_id_once_used_is_never_given(self, store: Store) -> None:
        store.subscribe("ann", "one", id="s3")
        store.unsubscribe("s3")
        assert store.subscribe_many([Request("bob", "two"), Request("bob", "three", "s4")]) == ["s5", "s4"]

    def test_replacing_keeps_its_place(self, store: Store, clock: Clock) -> None:
        for key in "abc":
            store.subscribe("ann", f"old {key}", id=key)
        clock.time += timedelta(days=1)
        store.subscribe("ann", "new", id="b")
        assert [(s.id, s.text, s.created) for s in store.subscriptions("ann", "keywords")] == [
            ("a", "old a", START),
            ("b", "new", START),
            ("c", "old c", START),
        ]
        assert store.subscriptions("bob") == store.subscriptions(language="patterns") == []

    @pytest.mark.parametrize("text", ["greece AND (crisis", "", "\ud800 words", None, 3])
    def test_refused_texts_change_nothing(self, store: Store, text: str) -> None:
        store.subscribe("ann", "words", id="a")
        for key in (None, "a", "b"):
            with pytest.raises(SubscriptionError) as one:
                store.subscribe("ann", text, id=key)
            assert one.value.row is None
        with pytest.raises(SubscriptionError) as many:
            store.subscribe_many([Request("ann", "good", "a"), Request("bob", "good"), Request("bob", text)])
        assert many.value.row == 2
        assert store.stats().counter == 1 and [s.text for s in store.subscriptions()] == ["words"]

    def test_syntax_errors_keep_their_place(self, store: Store) -> None:
        with pytest.raises(SubscriptionSyntaxError) as one:
            store.subscribe("ann", "greece AND (crisis")
        assert (one.value.text, one.value.position, one.value.row) == ("greece AND (crisis", 11, None)
        with pytest.raises(SubscriptionSyntaxError) as many:
            store.subscribe_many([Request("ann", "good"), Request("ann", "greece AND (crisis")])
        assert (many.value.position, many.value.row) == (11, 1)

    @pytest.mark.parametrize("key", ["", "\udfff", 5, b"a"])
    def test_refused_ids(self, store: Store, key: str) -> None:
        with pytest.raises(SubscriptionError, match="an id is a text"):
            store.subscribe("ann", "words", id=key)
        with pytest.raises(SubscriptionError, match="row 1: an id is a text"):
            store.subscribe_many([Request("ann", "words"), Request("ann", "words", key)])

    def test_an_id_belongs_to_one(self, store: Store) -> None:
        store.subscribe("ann", "words", id="a")
        with pytest.raises(SubscriptionError, match="another subscriber's") as one:
            store.subscribe("bob", "words", id="a")
        assert one.value.row is None
        with pytest.raises(SubscriptionError, match=r"row 1: .*another subscriber's"):
            store.subscribe_many([Request("bob", "words"), Request("bob", "words", "a")])
        with pytest.raises(SubscriptionError, match=r"row 1: .*twice"):
            store.subscribe_many([Request("bob", "words", "b"), Request("ann", "more", "b")])
        assert [s.subscriber for s in store.subscriptions()] == ["ann"]

    def test_unknown_languages_and_ids(self, store: Store) -> None:
        with pytest.raises(OptionError, match="no language 'songs'"):
            store.subscribe("ann", "words", language="songs")
        with pytest.raises(OptionError, match="no language 'songs'"):
            store.subscribe_many([Request("ann", "words", language="songs")])
        with pytest.raises(UnknownNameError, match="no subscription 'a'"):
            store.unsubscribe("a")


class TestChanges:
    def test_an_index_follows(self, store: Store) -> None:
        index = KeywordIndex()
        counter = 0

        def follow() -> list[str]:
            nonlocal counter
            changes, counter = store.changes_since(counter, language="keywords")
            for change in changes:
                if change.text is None:
                    index.pop(change.id, None)
                else:
                    index[change.id] = change.text
            assert dict(index) == {s.id: s.text for s in store.subscriptions()}
            return [change.id for change in changes]

        assert follow() == []
        store.subscribe("ann", "one", id="a")
        store.subscribe("bob", "two", id="b")
        assert follow() == ["a", "b"] and follow() == []
        store.subscribe("ann", "one more", id="a")
        store.subscribe("bob", "gone before seen", id="c")
        store.unsubscribe("c")
        store.unsubscribe("b")
        assert follow() == ["a", "c", "b"]
        store.subscribe("ann", "three", id="b")
        store.unsubscribe("a")
        store.subscribe("ann", "one again", id="a")
        assert follow() == ["b", "a"]
        store.remove_subscriber("ann")
        assert sorted(follow()) == ["a", "b"] and len(index) == 0

    def test_what_changes_nothing_is_no_change(self, store: Store) -> None:
        store.subscribe("ann", "one", id="a")
        assert store.subscribe("ann", "one", id="a") == "a"
        assert store.subscribe_many([Request("ann", "one", "a"), Request("ann", "two", "b")]) == ["a", "b"]
        assert store.changes_since(0) == ([(1, "a", "keywords", "one"), (2, "b", "keywords", "two")], 2)

    def test_another_language_is_a_deletion_in_the_first(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(__import__("watchword.index").index.LANGUAGES, "other", "watchword.keywords:KeywordIndex")
        store.subscribe("ann", "one", id="a")
        store.subscribe("ann", "one", id="a", language="other")
        assert store.changes_since(1) == ([(2, "a", "keywords", None), (3, "a", "other", "one")], 3)
        assert store.changes_since(0, language="other") == ([(3, "a", "other", "one")], 3)
        store.unsubscribe("a")
        assert store.changes_since(3) == ([(4, "a", "other", None)], 4)
        assert store.stats().subscriptions == {}

    def test_languages_are_those_with_subscriptions(self, store: Store) -> None:
        assert store.languages() == []
        keys = [store.subscribe("ann", "b*c", language="patterns"), store.subscribe("bob", "x", language="patterns")]
        store.subscribe_many([Request("ann", "one"), Request("bob", "//a", "p", "paths")])
        assert store.languages() == ["keywords", "paths", "patterns"]
        for key in (*keys, "p"):
            store.unsubscribe(key)
        assert store.languages() == ["keywords"]

    @pytest.mark.parametrize("counter", [-1, 1])
    def test_a_counter_of_another_store(self, store: Store, counter: int) -> None:
        with pytest.raises(StoreError, match="start again from 0"):
            store.changes_since(counter)


class TestRecording:
    @pytest.fixture(autouse=True)
    def subscriptions(self, store: Store) -> None:
        for name, key in (("ann", "a1"), ("ann", "a2"), ("bob", "b1")):
            store.subscribe(name, f"words of {key}", id=key)

    def test_an_item_is_there_once_with_all_reasons(self, store: Store, clock: Clock) -> None:
        published = datetime(2026, 11, 1, 8, 30, 0, 5, tzinfo=timezone(timedelta(hours=2)))
        item = Item("urn:1", "títle", "text", "http://x", "me", published, "el", "http://feed")
        clock.time += timedelta(seconds=1)
        assert store.record("1", [item], [("urn:1", "a2", "because"), ("urn:1", "a1", "that"), ("urn:1", "b1", "")])
        (delivery,) = store.inbox("ann")
        assert delivery.item == item and delivery.item.published == published
        assert list(map(tuple, delivery.reasons)) == [("a1", "words of a1", "that"), ("a2", "words of a2", "because")]
        assert delivery.matched_at == START + timedelta(seconds=1) and delivery.read_at is None
        assert [reason.why for reason in store.inbox("bob")[0].reasons] == [CHANGED]  # no reason was given

    def test_a_batch_is_written_once(self, store: Store) -> None:
        assert not store.is_recorded("1")
        assert store.record("1", items("x"), [Match("x", "a1")])
        assert not store.record("1", items("y"), [Match("y", "a1")])
        assert store.record("2", [], []) and not store.record("2", items("y"), [Match("y", "a1")])
        assert store.is_recorded("1") and store.is_recorded("2")
        assert shown(store, "ann") == [("x", ["a1"])]

    def test_an_item_that_comes_back(self, store: Store, clock: Clock) -> None:
        store.record("1", items("x"), [Match("x", "a1", "first")])
        store.mark_read("ann")
        clock.time += timedelta(days=1)
        again = [Item("x", title="changed"), *items("y")]
        assert store.record("2", again, [Match("x", "a1", "second"), Match("x", "a2", "new"), Match("y", "a2")])
        assert shown(store, "ann") == [("y", ["a2"])]
        _, old = store.inbox("ann", unread_only=False)
        assert [(reason.subscription, reason.why) for reason in old.reasons] == [("a1", "first"), ("a2", "new")]
        assert (old.item.title, old.matched_at, old.read_at) == ("title of x", START, START)

    def test_who_left_meanwhile_gets_nothing(self, store: Store) -> None:
        store.unsubscribe("a1")
        assert store.record("1", items("x", "y", "z"), [Match("x", "a1"), Match("y", "a1"), Match("y", "b1")])
        assert store.inbox("ann") == [] and shown(store, "bob") == [("y", ["b1"])]
        assert store.stats().items == 1  # only what is in an inbox is kept

    def test_what_was_delivered_stays(self, store: Store) -> None:
        store.record("1", items("x"), [Match("x", "a1", "why")])
        store.unsubscribe("a1")
        assert [list(map(tuple, entry.reasons)) for entry in store.inbox("ann")] == [[("a1", None, "why")]]
        store.subscribe("bob", "other words", id="a1")
        assert [list(map(tuple, entry.reasons)) for entry in store.inbox("ann")] == [[("a1", None, "why")]]

    def test_an_id_that_changed_hands_gets_nothing_of_before(self, store: Store) -> None:
        counter = store.changes_since(0).counter
        store.subscribe("ann", "replaced words", id="a2")
        store.unsubscribe("a1")
        store.subscribe("bob", "other words", id="a1")
        store.record("1", items("x"), [Match("x", "a1"), Match("x", "a2")], as_of=counter)
        assert store.inbox("bob") == [] and shown(store, "ann") == [("x", ["a2"])]
        store.record("2", items("x"), [Match("x", "a1")], as_of=store.changes_since(0).counter)
        assert shown(store, "bob") == [("x", ["a1"])]

    def test_the_order_is_that_of_the_batch(self, store: Store) -> None:
        store.record("1", items("y"), [Match("y", "b1")])
        found = [Match("z", "a1"), Match("x", "a2"), Match("y", "a1"), Match("x", "a1")]
        store.record("2", items("x", "y", "z"), found)
        assert shown(store, "ann") == [("z", ["a1"]), ("y", ["a1"]), ("x", ["a1", "a2"])]

    def test_repetitions_inside_a_batch(self, store: Store) -> None:
        twice = [Item("x", title="first"), Item("x", title="second")]
        store.record("1", twice, [Match("x", "a1", "one"), Match("x", "a1", "two")])
        (delivery,) = store.inbox("ann")
        assert delivery.item.title == "first" and [reason.why for reason in delivery.reasons] == ["one"]

    @pytest.mark.parametrize(
        ("bad", "matches", "reason"),
        [
            ([Item("")], [], "needs an identity"),
            ([Item("x", published=datetime(2026, 1, 1))], [], "no time zone"),
            (items("x"), [Match("y", "a1")], "'y', which is not among"),
        ],
    )
    def test_bad_batches_change_nothing(self, store: Store, bad: list[Item], matches: list[Match], reason: str) -> None:
        with pytest.raises(StoreError, match=reason) as refused:
            store.record("b1", [*items("good"), *bad], [Match("good", "a1"), *matches])
        assert "'b1'" in str(refused.value)
        assert store.stats().items == 0 and not store.is_recorded("b1")

    @pytest.mark.parametrize("batch", ["", 3, None, "\ud800"])
    def test_bad_ids_of_batches(self, store: Store, batch: str) -> None:
        with pytest.raises(StoreError, match="batch's id"):
            store.record(batch, [], [])

    def test_what_no_database_can_hold(self, store: Store) -> None:
        edge = datetime.min.replace(tzinfo=timezone(timedelta(hours=5)))
        item = Item("x\ud800", title="a\udfffb", author=None, published=edge)  # type: ignore[arg-type]
        assert store.record("1", [item], [Match("x\ud800", "a1", "\ud800")])
        (delivery,) = store.inbox("ann")
        assert delivery.item == Item("x?", title="a?b", published=datetime.min.replace(tzinfo=UTC))
        assert store.mark_read("ann", ["x\ud800"]) == 1

    def test_reading(self, store: Store, clock: Clock) -> None:
        store.record("1", items("x", "y"), [Match("x", "a1"), Match("y", "a1"), Match("y", "b1")])
        store.record("2", items("z"), [Match("z", "a1"), Match("z", "a2")])
        assert shown(store, "ann") == [("z", ["a1", "a2"]), ("y", ["a1"]), ("x", ["a1"])]
        assert [len(store.inbox("ann", limit=limit)) for limit in (0, 1, 2, 9, -1)] == [0, 1, 2, 3, 0]
        clock.time += timedelta(hours=1)
        assert store.mark_read("ann", []) == 0
        assert store.mark_read("ann", ["y", "y", "nothing"]) == 1
        assert shown(store, "ann") == [("z", ["a1", "a2"]), ("x", ["a1"])]
        assert shown(store, "bob") == [("y", ["b1"])]
        assert [entry.read_at for entry in store.inbox("ann", unread_only=False)] == [None, clock.time, None]
        assert store.mark_read("ann") == 2 and store.mark_read("ann") == 0
        assert store.inbox("ann") == [] and len(store.inbox("ann", unread_only=False)) == 3

    def test_pruning(self, store: Store, clock: Clock) -> None:
        store.record("1", items("x", "y"), [Match("x", "a1"), Match("y", "a1"), Match("y", "b1")])
        clock.time += timedelta(days=1)
        store.record("2", items("z"), [Match("z", "a1")])
        store.mark_read("ann")
        assert store.prune(START) == 0
        assert store.prune(clock.time) == 2
        assert shown(store, "ann", unread_only=False) == [("z", ["a1"])] and shown(store, "bob") == [("y", ["b1"])]
        assert store.stats().items == 2
        assert not store.record("1", items("x"), [Match("x", "a1")])  # batches are not forgotten unless asked
        assert store.prune(clock.time, unread=True, batches=True) == 1
        stats = store.stats()
        assert (stats.items, stats.deliveries, stats.matches, stats.batches) == (1, 1, 1, 1)
        assert store.record("1", items("x"), [Match("x", "a1")])
        store.prune(clock.time + timedelta(days=1), unread=True)
        store.record("3", items("x", "y", "z"), [])
        assert store.inbox("ann", unread_only=False) == []  # nothing of an earlier batch comes back with a later one
        with pytest.raises(StoreError, match="no time zone"):
            store.prune(datetime(2026, 1, 1))

    def test_stats(self, store: Store) -> None:
        store.record("1", items("x"), [Match("x", "a1"), Match("x", "a2"), Match("x", "b1")])
        store.mark_read("bob")
        stats = store.stats()
        assert (stats.subscribers, stats.subscriptions, stats.counter) == (2, {"keywords": 3}, 3)
        assert (stats.items, stats.deliveries, stats.unread, stats.matches, stats.batches) == (1, 2, 1, 3, 1)
        assert stats.bytes > 0


# Epochs: the names of states


def test_a_state_keeps_its_name_and_each_change_makes_a_new_one(address: str) -> None:
    with Store.open(address) as store:
        store.add_subscriber("ann")
        names = [store.epoch(0)]
        key = store.subscribe("ann", "greece")
        names.append(store.epoch(1))
        assert store.subscribe("ann", "greece", id=key) == key  # changes nothing
        assert store.changes_since(0).counter == 1 and store.epoch(1) == names[1]
        store.unsubscribe(key)
        names.append(store.epoch(2))
        store.subscribe("ann", "crisis")
        store.remove_subscriber("ann")
        names.append(store.epoch(store.changes_since(0).counter))
        assert None not in names and len(set(names)) == 4
        assert store.epoch(99) is None


def test_names_of_old_states_are_forgotten_but_the_first_stays(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscribing, "EPOCHS", 3)
    with Store.open(address) as store:
        store.add_subscriber("ann")
        for number in range(10):
            store.subscribe("ann", f"word{number}")
        assert [number for number in range(11) if store.epoch(number)] == [0, 8, 9, 10]


def test_forgetting_goes_on_in_portions(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivering, "PORTION", 7)
    with Store.open(address) as store:
        store.add_subscriber("ann")
        key = store.subscribe("ann", "greece")
        for number in range(30):
            store.record(f"b{number}", [Item(f"i{number}")], [Match(f"i{number}", key)])
        store.mark_read("ann", [f"i{number}" for number in range(0, 30, 3)])
        later = datetime.now(UTC) + timedelta(days=1)
        assert store.prune(later) == 10
        assert store.stats().items == store.stats().deliveries == 20
        assert store.forget_batches(later, repeatable=["b3", "never"]) == 29 and store.is_recorded("b3")
        assert store.prune(later, unread=True, batches=True) == 20
        assert (store.stats().items, store.stats().batches) == (0, 0)


def test_matched_items_are_those_of_one_subscription_and_its_subscriber(store: Store) -> None:
    """Newest first, read or not, after unsubscribing too; and never what the id matched for somebody before."""
    for name in ("ann", "bob"):
        store.add_subscriber(name)
    store.subscribe("ann", "greece", id="g")
    store.subscribe("ann", "crisis", id="c")
    first, second, third = (Item(str(n), title=f"title {n}", categories=("a", "b;\ud800")) for n in (1, 2, 3))
    store.record("one", [first, second], [Match("1", "g"), Match("2", "g"), Match("2", "c")])
    store.record("two", [third], [Match("3", "g")])
    store.mark_read("ann", ["3"])
    assert [item.identity for item in store.matched_items("g")] == ["3", "2", "1"]
    assert [item.identity for item in store.matched_items("g", limit=2)] == ["3", "2"]
    (kept,) = store.matched_items("c")
    assert (kept.identity, kept.title, kept.categories) == ("2", "title 2", ("a", "b;?"))
    assert [d.item.identity for d in store.inbox("ann", subscription="g")] == ["2", "1"]
    assert [len(d.reasons) for d in store.inbox("ann", subscription="g")] == [2, 1]
    store.unsubscribe("g")
    assert [item.identity for item in store.matched_items("g")] == ["3", "2", "1"]
    store.subscribe("bob", "greece", id="g")
    assert store.matched_items("g") == [] and store.inbox("bob", unread_only=False, subscription="g") == []
    for unknown in ("x", "", "\ud800"):
        with pytest.raises(UnknownNameError, match="there is no subscription"):
            store.matched_items(unknown)


def test_subscriptions_come_in_pages_in_the_order_of_subscribing(store: Store) -> None:
    for number, language in enumerate(("keywords", "patterns") * 3):
        store.subscribe("ann", "greece", id=f"a{number}", language=language)
        store.subscribe("bob", "greece", id=f"b{number}", language=language)
    store.subscribe("ann", "crisis", id="a1", language="patterns")  # replaced, it keeps its place
    pages, after = [], 0
    while page := store.subscriptions("ann", after=after, limit=4):
        pages.append([one.id for one in page])
        after = page[-1].since
    assert pages == [["a0", "a1", "a2", "a3"], ["a4", "a5"]]
    assert [one.id for one in store.subscriptions("ann", "patterns", limit=2)] == ["a1", "a3"]
    third = store.subscription("a2").since
    assert [one.id for one in store.subscriptions("ann", "keywords", after=third)] == ["a4"]
    assert [one.id for one in store.subscriptions(after=third, limit=2)] == ["b2", "a3"]
    assert store.subscriptions("ann", limit=0) == store.subscriptions("ann", limit=-1) == []
    assert store.subscriptions("ann", after=10**30) == [] and len(store.subscriptions(after=-(10**30))) == 12
    assert len(store.subscriptions("ann", limit=10**30)) == 6


def test_tags_of_a_subscriber_are_listed_once(store: Store) -> None:
    assert store.tags("ann") == []
    for name, *tags in (("ann", "sea", "Ätna"), ("ann", "sea"), ("ann",), ("bob", "land")):
        store.subscribe(name, "greece", details=Details(tags=tuple(tags)))
    assert store.tags("ann") == ["sea", "Ätna"] and store.tags("bob") == ["land"]
    with pytest.raises(UnknownNameError):
        store.tags("eve")


def test_changes_of_a_language_are_counted(store: Store) -> None:
    store.subscribe("ann", "greece", id="g")
    store.subscribe("ann", "greece", language="patterns")
    store.subscribe("ann", "crisis", id="g")
    store.unsubscribe("g")
    last = store.last_change()
    counts = [store.count_changes(counter, language="keywords") for counter in (0, last - 1, last, last + 5)]
    assert counts == [len(store.changes_since(0, language="keywords").changes), 1, 0, 0]
    assert store.count_changes(0, language="paths") == 0
