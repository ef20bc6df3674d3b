"""Saving and opening."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.cases import FORMS, Case, check, unchanged
from watchword import Index, SnapshotError, SubscriptionError

ROOT = Path(__file__).resolve().parents[2]

OTHER_PROCESS = """
import pickle, sys
from pathlib import Path
from tests.contract import languages  # one of them is registered there
from watchword import Index
for line in sys.stdin:
    folder = Path(line.rstrip())
    events = pickle.loads((folder / "events").read_bytes())
    index = Index.open(folder / "index")
    answers = list(index.items()), [index.match(event) for event in events]
    (folder / "answers").write_bytes(pickle.dumps(answers))
    print("done", flush=True)
"""


@pytest.fixture(scope="session")
def other_process() -> Iterator[subprocess.Popen[str]]:
    """A process that opens the index of every folder that it is told, matches, and writes its answers there."""
    command = [sys.executable, "-c", OTHER_PROCESS]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process


class TestSnapshots:
    def test_save_open_change_save(self, case: Case, tmp_path: Path) -> None:
        model, events, texts = case.model(), case.events(15), case.texts(16)
        index, path = case.index(model), tmp_path / "index"
        index.save(path)
        check(case, index, model, events)
        first = dict(model)
        opened = Index.open(path)
        assert type(opened) is case.language.index
        check(case, opened, model, events)
        opened["s2"] = model["s2"] = texts[12]
        del opened["s1"], model["s1"]
        opened["s1"] = model["s1"] = texts[13]
        opened.update(FORMS["pairs"]({"t": texts[14], "s5": texts[15]}))
        model |= {"t": texts[14], "s5": texts[15]}
        check(case, opened, model, events)
        reader = case.language.index.open(str(path))
        check(case, reader, first, events)  # changes live in memory until saved
        opened.save(path)
        check(case, case.language.index.open(path), model, events)
        check(case, opened, model, events)
        check(case, reader, first, events)  # who opened the old one keeps it
        check(case, index, first, events)

    def test_an_opened_index_refuses_alike(self, case: Case, tmp_path: Path) -> None:
        case.index(case.model()).save(tmp_path / "index")
        opened = Index.open(tmp_path / "index")
        assert opened.stats().method == case.index().stats().method
        for bad in case.language.bad_subscriptions:
            with unchanged(opened, case.events(5)), pytest.raises(SubscriptionError):
                opened["s1"] = bad
        with unchanged(opened, case.events(5)), pytest.raises(SubscriptionError):
            opened[1] = case.texts(1)[0]

    def test_empty_index(self, case: Case, tmp_path: Path) -> None:
        case.index().save(tmp_path / "index")
        opened = Index.open(tmp_path / "index")
        check(case, opened, {}, case.events(5))
        opened["s"] = text = case.texts(1)[0]
        check(case, opened, {"s": text}, case.events(5))

    def test_emptied_index(self, case: Case, tmp_path: Path) -> None:
        index = case.index(case.model())
        for key in case.model():
            del index[key]
        index.save(tmp_path / "index")
        check(case, Index.open(tmp_path / "index"), {}, case.events(5))

    def test_no_snapshot(self, case: Case, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        (tmp_path / "file").write_text("not a snapshot")
        for name in ("missing", "empty", "file"):
            with pytest.raises(SnapshotError) as refusal:
                case.language.index.open(tmp_path / name)
            assert str(tmp_path / name) in str(refusal.value.path)

    def test_a_file_that_was_altered_is_noticed_by_verify(self, case: Case, tmp_path: Path) -> None:
        """A bit, a byte less or more, bytes of another place: all methods together try some two hundred times."""
        path = tmp_path / "index"
        case.index(case.model()).save(path)
        draw = random.Random(str(case))
        for file in [path / "manifest.json", *draw.sample(sorted(path.glob("data-*/*")), 3)]:
            content = file.read_bytes()
            at = draw.randrange(1, len(content))
            flipped = bytes([content[at] ^ 1 << draw.randrange(8)])
            ways = (
                content[:at] + flipped + content[at + 1 :],
                content[:-1],
                content + b"\0",
                content[at:] + content[:at],
            )
            file.write_bytes(draw.choice(ways))
            with pytest.raises(SnapshotError) as refused:
                Index.open(path, verify=True)
            assert str(path) in str(refused.value.path)
            file.write_bytes(content)
        check(case, Index.open(path, verify=True), case.model(), case.events(3))

    @pytest.mark.slow
    def test_in_another_process(self, method: Case, other_process: subprocess.Popen[str], tmp_path: Path) -> None:
        model, events = method.model(), method.events(15)
        method.index(model).save(tmp_path / "index")
        (tmp_path / "events").write_bytes(pickle.dumps(events))
        assert other_process.stdin is not None and other_process.stdout is not None
        print(tmp_path, file=other_process.stdin, flush=True)
        assert other_process.stdout.readline() == "done\n"
        items, answers = pickle.loads((tmp_path / "answers").read_bytes())
        assert items == list(model.items())
        assert answers == [method.expected(model, event) for event in events]
