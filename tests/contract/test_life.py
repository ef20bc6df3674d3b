"""Long lives: thousands of changes, and random steps; and their end."""

from __future__ import annotations

import gc
import random
import weakref
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.contract.cases import Case, Model, found
from tests.contract.machine import Life
from watchword import Index
from watchword.layers.layered import Layered


class TestChurn:
    @pytest.mark.slow
    def test_a_long_life(self, method: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Thousands of changes, so that whatever grows, merges, splits or is compacted does so.

        `auto`, which packs in the background and anew at each size, lives twice as long as the methods of the papers.
        """
        steps = 2000 if method.method == "auto" else 1000
        for kind in Layered.__subclasses__():
            monkeypatch.setattr(kind, "delta_rows", kind.delta_rows // 8)  # so many changes outgrow it several times
        random_ = random.Random(2011)
        texts, events = method.texts(150), method.events(25)
        truth = {text: [method.language.matches(text, event) for event in events] for text in texts}
        model: Model = {number: random_.choice(texts) for number in range(1200)}
        index = method.index(model)
        for step in range(1, steps + 1):
            key = random_.randrange(1800)
            if key in model and random_.random() < 0.6:
                del index[key], model[key]
            else:
                index[key] = model[key] = random_.choice(texts)
            if step % 500 == 0:
                load = {random_.randrange(2700): random_.choice(texts) for _ in range(1800)}
                index.update(load)
                model.update(load)
                assert list(index.items()) == list(model.items())
                expected = [[key for key in model if truth[model[key]][at]] for at in range(len(events))]
                assert [index.match(event) for event in events] == expected
                assert found(index.match_many(events), len(events)) == [sorted(ids) for ids in expected]
            if step == steps * 6 // 10:
                index.save(tmp_path / "index")
                index = Index.open(tmp_path / "index")


@pytest.mark.slow
def test_a_life_in_random_steps(method: Case) -> None:
    machine = type(f"Life of {method}", (Life,), {"case": method})
    lives = 12 if method.method == "auto" else 5
    run_state_machine_as_test(machine, settings=settings(max_examples=lives, stateful_step_count=25, deadline=None))


def test_an_index_that_nobody_has_is_gone_at_once(method: Case) -> None:
    """Nothing in it goes round in a circle: its memory does not wait until Python looks for cycles."""
    index = method.index(dict(enumerate(method.texts(20))))
    index.update({7: method.texts(1)[0], 30: method.texts(1)[0]})
    del index[8]
    for event in method.events(3):
        index.match(event)
    index.match_many(method.events(3))
    parts = [weakref.ref(part) for part in (index._plugged, *index._plugged.parts.values())]
    gc.collect()  # where kernels were compiled just now, numba has left frames in circles
    gc.disable()
    try:
        del index
        assert [part() for part in parts] == [None] * len(parts)
    finally:
        gc.enable()
