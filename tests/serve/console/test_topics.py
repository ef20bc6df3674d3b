"""Topics: a tree with counts, against a count in plain Python; followed and left by a click."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from tests.serve.console.visitors import Visitor
from tests.serve.desk import Desk, desk
from watchword.items import Item
from watchword.serve.console.topics import count_topics, text_of, tree

PARENTS = {"national": ["politics"], "local": ["politics", "towns"], "council": ["local"], "sea": []}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with desk(tmp_path_factory.mktemp("desk")) as made:
        with made.home.store() as store:
            store.set_topics(PARENTS)
        items = [
            Item(f"i{n}", title="x", categories=names)
            for n, names in enumerate([("council",), ("sea", "local"), ("people's <b>choice",)])
        ]
        made.home.archive().write("1", items)
        yield made


def lies_below(topic: str, other: str, parents: dict[str, list[str]]) -> bool:
    return topic == other or any(lies_below(parent, other, parents) for parent in parents.get(topic, []))


@pytest.mark.parametrize("seed", range(10))
def test_counts_are_those_of_a_judge(seed: int) -> None:
    draw = random.Random(seed)
    names = [f"t{number}" for number in range(12)]
    parents = {name: draw.sample(names[:place], min(place, draw.randrange(3))) for place, name in enumerate(names)}
    items = [draw.sample(names, draw.randrange(4)) for _ in range(50)]
    found = count_topics([*items, None], parents)
    for name in names:
        assert found[name] == sum(any(lies_below(topic, name, parents) for topic in item) for item in items)
    shown = {line.topic for line in tree(parents, found, {})}
    assert shown == set(names)


def test_a_topic_is_followed_by_a_click_and_left_again(here: Desk) -> None:
    with Visitor(here, "ada") as ada:
        page = ada.get("/console/topics")
        assert page.status_code == 200 and "people&#39;s &lt;b&gt;choice" in page.text
        assert "You follow politics" in ada.submit("/console/topics", do="follow", topic="politics").text
        with here.home.store() as store:
            (made,) = store.subscriptions("ada")
        assert (made.text, made.language, made.details.name) == (text_of("politics"), "predicates", "politics")
        assert made.id in ada.get("/console/topics").text
        assert ada.submit("/console/topics", do="follow", topic="politics").status_code == 422
        assert ada.submit("/console/topics", do="follow", topic="people's <b>choice").status_code == 200
        assert "no more" in ada.submit("/console/topics", do="leave", topic="politics").text
        assert ada.submit("/console/topics", do="leave", topic="politics").status_code == 422
        with here.home.store() as store:
            assert [one.text for one in store.subscriptions("ada")] == [text_of("people's <b>choice")]
    index = here.service.follower.index("predicates")
    assert index.match({"categories": ["people's <b>choice"]}) != []
