"""Feeds that fail are asked later and later: the decision by itself, and with a server, a spool and a clock."""

from __future__ import annotations

from email.utils import formatdate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeds.server import FeedServer, Handler, rss
from watchword.errors import AnswerError, FeedError, OptionError
from watchword.feeds import Backoff, FeedState, Limits, Round, Spool, fetch
from watchword.feeds.backoff import after_success, retry_after

NOW = 1_800_000_000.0
POLICY = Backoff(first=60, most=1000)
FAULT = FeedError("it took longer than 20 seconds", source="f")


def answer(status: int, header: str | None = None) -> AnswerError:
    return AnswerError(f"the server answered {status}", source="f", status=status, retry_after=header)


def wait(state: FeedState, error: FeedError = FAULT, now: float = NOW) -> float:
    return POLICY.after_failure(state, error, now).wait_until - now


class TestDecision:
    def test_waits_double_up_to_the_most(self) -> None:
        state, waits = FeedState(seen=("1",)), []
        for _ in range(7):
            waits.append(wait(state))
            state = POLICY.after_failure(state, FAULT, NOW)
        assert waits == [60, 120, 240, 480, 960, 1000, 1000]
        assert (state.failures, state.seen) == (7, ("1",))
        assert after_success(state) == FeedState(seen=("1",))
        assert wait(FeedState(failures=10**9)) == 1000

    @pytest.mark.parametrize("status", [429, 503])
    def test_a_busy_server_is_taken_at_its_word(self, status: int) -> None:
        tired = FeedState(failures=3)
        assert wait(tired, answer(status, "300")) == 300
        assert wait(tired, answer(status, formatdate(NOW + 200, usegmt=True))) == 200
        assert wait(tired, answer(status, "5")) == 60, "no sooner than any feed"
        assert wait(tired, answer(status, "9" * 400)) == 1000
        assert wait(tired, answer(status, formatdate(NOW - 99, usegmt=True))) == 60
        for nonsense in (None, "", "soon", "-1", "1e9", "Thu, 99 Foo 2026"):
            assert wait(tired, answer(status, nonsense)) == 480

    def test_other_answers_are_plain_failures(self) -> None:
        assert wait(FeedState(), answer(500, "900")) == wait(FeedState(), answer(404)) == 60

    def test_gone_is_for_good(self) -> None:
        state = POLICY.after_failure(FeedState(), answer(410), NOW)
        assert state.gone and not POLICY.is_due(state, NOW + 10**9)
        assert POLICY.is_due(after_success(state), NOW)

    @given(st.integers(0, 30), st.floats(0, 5000), st.sampled_from([FAULT, answer(503, "700"), answer(404)]))
    def test_a_feed_is_due_when_its_wait_is_over_and_not_before(self, failures: int, later: float, error) -> None:  # type: ignore[no-untyped-def]
        state = POLICY.after_failure(FeedState(failures=failures), error, NOW)
        assert POLICY.is_due(state, NOW + later) == (NOW + later >= state.wait_until)
        assert 60 <= state.wait_until - NOW <= 1000

    def test_a_clock_that_was_set_back_makes_nobody_wait_for_years(self) -> None:
        state = POLICY.after_failure(FeedState(), FAULT, NOW)
        assert POLICY.is_due(state, NOW - 10**8)

    def test_dates_without_a_zone_are_universal(self) -> None:
        assert retry_after("Thu, 01 Jan 1970 00:10:00 -0000", 500.0) == 100


class Station:
    """Polls feeds into a spool by a clock that a test sets."""

    def __init__(self, folder: Path, *feeds: str) -> None:
        self.feeds, self.folder, self.now = feeds, folder, NOW
        self.spool = Spool(folder).open()

    def poll(self, *, after: float = 0.0, timeout: float = 60.0) -> Round:
        self.now += after
        limits = Limits(timeout=timeout)
        round = fetch(self.feeds, self.spool.state, limits=limits, backoff=POLICY, clock=lambda: self.now)
        self.spool.append(round)
        return round

    def restart(self) -> None:
        self.spool.close()
        self.spool = Spool(self.folder).open()


@pytest.fixture
def flaky(server: FeedServer, tmp_path: Path):  # type: ignore[no-untyped-def]
    """A station with a feed that fails, one that is fine, and a file that is not there."""
    server.answers["/bad"] = lambda handler: handler.reply(500)
    station = Station(tmp_path / "spool", server.url("/bad"), server.serve("/good", rss([1])), str(tmp_path / "x.xml"))
    yield station
    station.spool.close()


def asked(server: FeedServer, path: str) -> int:
    return sum(one == path for one, _ in server.requests)


def test_one_bad_feed_waits_alone(server: FeedServer, flaky: Station, tmp_path: Path) -> None:
    bad = flaky.feeds[0]
    assert [item.title for item in flaky.poll().items] == ["item 1"]
    server.serve("/good", rss([2]))
    round = flaky.poll(after=59)
    assert [item.title for item in round.items] == ["item 2"] and round.waiting == (bad,)
    assert flaky.poll(after=1).waiting == ()
    assert flaky.poll(after=119).waiting == (bad,), "the second wait is twice as long"
    assert (asked(server, "/bad"), asked(server, "/good")) == (2, 4)
    (tmp_path / "x.xml").write_bytes(rss(["file"]))
    assert [item.title for item in flaky.poll().items] == ["item file"], "files are looked at every time"


def test_failures_survive_a_restart_and_a_success_forgets_them(server: FeedServer, flaky: Station) -> None:
    bad = flaky.feeds[0]
    for after in (0, 60, 120):
        flaky.poll(after=after)
    flaky.restart()
    assert flaky.spool.state[bad].failures == 3
    assert flaky.poll(after=239).waiting == (bad,)
    server.serve("/bad", rss(["b"]))
    assert [item.title for item in flaky.poll(after=1).items] == ["item b"]
    flaky.restart()
    assert flaky.spool.state[bad] == after_success(flaky.spool.state[bad])
    server.answers["/bad"] = lambda handler: handler.reply(500)
    assert flaky.poll().state[bad].wait_until == flaky.now + 60, "it begins anew"
    assert flaky.spool.state[bad].seen, "a failure forgets nothing"


def test_an_unchanged_document_is_a_success(server: FeedServer, flaky: Station) -> None:
    url = server.serve_with_etag("/bad", rss([7]))
    flaky.poll()
    fine = server.answers["/bad"]
    server.answers["/bad"] = lambda handler: handler.reply(500)
    assert flaky.poll(after=60).state[url].failures == 1
    server.answers["/bad"] = fine
    assert flaky.poll(after=60).state[url].failures == 0


@pytest.mark.slow
def test_timeouts_and_unreadable_documents_count(server: FeedServer, flaky: Station) -> None:
    def silence(handler: Handler) -> None:
        handler.server.stopping.wait(60)

    server.answers["/bad"] = silence
    assert flaky.poll(timeout=0.5).state[flaky.feeds[0]].failures == 1
    server.serve("/bad", b"<html>maintenance</html>")
    assert flaky.poll(after=60).state[flaky.feeds[0]].failures == 2


def test_retry_after(server: FeedServer, flaky: Station) -> None:
    server.answers["/bad"] = lambda handler: handler.reply(503, Retry_After="500")
    assert flaky.poll().state[flaky.feeds[0]].wait_until == NOW + 500
    assert flaky.poll(after=499).waiting == (flaky.feeds[0],)
    server.answers["/bad"] = lambda handler: handler.reply(429, Retry_After=formatdate(flaky.now + 700, usegmt=True))
    assert flaky.poll(after=1).state[flaky.feeds[0]].wait_until == pytest.approx(flaky.now + 699)


def test_a_feed_that_is_gone_is_asked_again_after_a_reset(server: FeedServer, flaky: Station) -> None:
    bad = flaky.feeds[0]
    server.answers["/bad"] = lambda handler: handler.reply(410)
    flaky.poll()
    flaky.restart()
    assert flaky.poll(after=10**7).waiting == (bad,)
    assert asked(server, "/bad") == 1
    status = flaky.spool.status()[bad]
    assert (status["gone"], status["failures"], status["error"]) == (True, 1, "the server answered 410 Gone")
    (flaky.folder / "backoff.json").unlink()
    flaky.restart()
    server.serve("/bad", rss(["back"]))
    assert [item.title for item in flaky.poll().items] == ["item back"]


@pytest.mark.parametrize("damage", ["", "[]", "{", '{"f": 3}', '{"f": {"surprise": 1}}'])
def test_a_damaged_backoff_file_only_means_asking_again(flaky: Station, damage: str) -> None:
    flaky.poll()
    (flaky.folder / "backoff.json").write_text(damage)
    flaky.restart()
    assert flaky.poll().waiting == ()


def test_the_most_is_a_limit() -> None:
    with pytest.raises(OptionError, match="max_wait must be a positive number"):
        Limits(max_wait=0)
    assert Limits().max_wait == Backoff().most
