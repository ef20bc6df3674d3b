"""What strangers write is shown, and does nothing."""

from __future__ import annotations

import csv
import io
import json
import logging
import sys
import unicodedata
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from watchword.cli import app
from watchword.cli.printing import print_deliveries
from watchword.cli.reporting import note, print_logs_in_lines, say, spinner
from watchword.store import Delivery, Item
from watchword.store.records import Reason
from watchword.visible import json_visible, visible

BIDI = [chr(code) for code in (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))]
EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egpj.exe\u2066\x7f\rerror"


@cache
def acting() -> list[str]:
    """Return all characters of the kinds that act."""
    return [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) in ("Cc", "Zl", "Zp", "Cs")]


def harmless(printed: str) -> bool:
    return not any(character in printed for character in (*acting(), *BIDI) if character not in "\n\t")


def test_every_acting_character_is_shown() -> None:
    text = "a".join([*acting(), *BIDI])
    assert harmless(visible(text)) and "\n" not in visible(text) and "\t" not in visible(text)
    assert visible(text).isprintable()
    assert visible("a\tb\nc\x1b", lines=True) == "a\tb\nc\\x1b"
    assert visible("\u202e\ud800") == r"\u202e\ud800"


@pytest.mark.parametrize("text", ["", "plain", "Ελλάδα, 東京 – “quoted” 👩\u200d👧 cafe\u0301 \\x1b"])
def test_other_text_stays(text: str) -> None:
    assert visible(text) == text


def test_json_reads_back_as_the_same() -> None:
    text = json.dumps(EVIL, ensure_ascii=False)
    assert harmless(json_visible(text)) and json.loads(json_visible(text)) == EVIL


def test_an_inbox_is_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    item = Item(EVIL, EVIL, EVIL, EVIL, EVIL, datetime(2026, 1, 1, tzinfo=UTC), "en", EVIL)
    print_deliveries("ada", [Delivery(item, (Reason("s1", "greece", EVIL),), datetime.now(UTC), None)])
    printed = capsys.readouterr().out
    assert harmless(printed) and "\\x1b" in printed and "\\u202e" in printed


def test_messages_are_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    say(EVIL)
    note(EVIL)
    printed = capsys.readouterr()
    assert harmless(printed.out) and harmless(printed.err) and "owned" in printed.out and "owned" in printed.err


def test_logs_are_lines_without_traces(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    print_logs_in_lines()
    logging.getLogger("watchword.feeds").warning("%s: it failed", EVIL)
    try:
        raise ConnectionResetError("peer")
    except ConnectionResetError:
        logging.getLogger("py4j").exception("while sending")
    logging.getLogger("watchword.feeds").info("nothing")
    printed = capsys.readouterr().err
    assert printed.count("\n") == 1 and "owned" in printed and harmless(printed)


def test_a_spinner_shows_names_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stderr", Terminal())
    with spinner(f"reading [/x]{EVIL}.csv"):
        pass
    printed = sys.stderr.getvalue()  # type: ignore[attr-defined]
    assert "reading [/x]" in printed and "\x1b]0;" not in printed and "\u202e" not in printed


@pytest.mark.parametrize("format", ["table", "csv", "jsonl"])
def test_matches_are_harmless(tmp_path: Path, format: str) -> None:
    events = tmp_path / "events.jsonl"
    events.write_text(json.dumps({"id": EVIL, "text": "greece"}) + "\n")
    subscriptions = tmp_path / "subscriptions.txt"
    subscriptions.write_text("greece\n")
    arguments = ["match", str(subscriptions), str(events), "--event-id", "id", "--explain", "--format", format]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0 and harmless(result.stdout) and "owned" in result.stdout
    if format == "jsonl":
        assert json.loads(result.stdout)["event"] == EVIL
    if format == "csv":  # a file has what the event has
        out = tmp_path / "out.csv"
        assert CliRunner().invoke(app, [*arguments, "--output", str(out)]).exit_code == 0
        with out.open(newline="") as file:
            assert [row["event"] for row in csv.DictReader(file)] == [EVIL]


def test_explanations_and_errors_are_harmless(tmp_path: Path) -> None:
    file = tmp_path / "subscriptions.txt"
    file.write_text(f'"{EVIL.replace(chr(13), "")} greece"\n')
    for arguments in (["explain", str(file), EVIL, "1"], ["explain", str(file), "x", EVIL], ["match", EVIL, "-"]):
        result = CliRunner().invoke(app, arguments)
        assert harmless(result.output) and result.output.strip()
