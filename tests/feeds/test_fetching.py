"""Getting feeds from a server that behaves, and from servers that do not."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import os
import zlib
from pathlib import Path

import pytest

from tests.feeds.server import FeedServer, Handler, rss
from watchword.feeds import FeedState, Limits, Result, Round, dump_state, fetch, load_state

SMALL = Limits(max_bytes=100_000)


def titles(round: Round) -> list[str]:
    return [item.title for item in round.items]


def failure(source: str, limits: Limits = SMALL) -> str:
    (result,) = fetch([source], limits=limits).results
    assert result.error is not None
    assert result.error.source == source
    assert (result.items, result.state) == ((), FeedState())
    return result.error.reason


def test_etag_and_304(server: FeedServer) -> None:
    url = server.serve_with_etag("/feed", rss([1, 2]))
    first = fetch([url])
    second = fetch([url], load_state(dump_state(first.state)))
    assert titles(first) == ["item 1", "item 2"]
    assert second.results[0].unchanged and second.state == first.state
    assert "If-None-Match" not in server.requests[0][1]
    assert server.requests[1][1]["If-None-Match"] == first.state[url].etag


def test_last_modified(server: FeedServer) -> None:
    moment = "Tue, 02 Jun 2026 06:30:00 GMT"
    url = server.serve("/feed", rss([1]), Last_Modified=moment)
    state = fetch([url]).state
    fetch([url], state)
    assert server.requests[1][1]["If-Modified-Since"] == moment


def test_a_changing_feed_gives_only_what_is_new(server: FeedServer) -> None:
    state: dict[str, FeedState] = {}
    published = []
    for guids in ([1, 2], [1, 2], [3, 2, 1], [5, 4, 3], [1, 5]):
        url = server.serve_with_etag("/feed", rss(guids))
        round = fetch([url], state)
        state = round.state
        published.append(titles(round))
    assert published == [["item 1", "item 2"], [], ["item 3"], ["item 5", "item 4"], []]


def test_a_304_that_nobody_asked_for_is_an_error(server: FeedServer) -> None:
    server.answers["/feed"] = lambda handler: handler.reply(304)
    assert "304" in failure(server.url("/feed"))


def test_redirects_are_followed_a_few_times(server: FeedServer) -> None:
    def redirect(target: str) -> None:
        server.answers[target] = lambda handler: handler.reply(302, b"x" * 1000, Location=server.url(f"{target}x"))

    for hops in range(4):
        redirect("/" + "x" * hops)
    server.serve("/xxxx", rss([1]))
    assert titles(fetch([server.url("/")], limits=Limits(max_redirects=4))) == ["item 1"]
    assert "redirects more than 3 times" in failure(server.url("/"), Limits(max_redirects=3))


def test_a_redirect_loop_and_a_redirect_to_a_file(server: FeedServer) -> None:
    server.answers["/loop"] = lambda handler: handler.reply(301, Location="/loop")
    server.answers["/file"] = lambda handler: handler.reply(302, Location="file:///etc/passwd")
    assert "redirects more than" in failure(server.url("/loop"))
    assert failure(server.url("/file"))


def endless(piece: bytes, *, head: bytes = b"", pause: float = 0.0):  # type: ignore[no-untyped-def]
    """Answer with the same bytes for ever."""

    def answer(handler: Handler) -> None:
        handler.wfile.write(head)
        while not handler.server.stopping.wait(pause):
            handler.wfile.write(piece)

    return answer


OK = b"HTTP/1.0 200 OK\r\nContent-Type: application/xml\r\n"


@pytest.mark.slow
def test_slow_servers_meet_the_timeout_and_hold_nobody_up(server: FeedServer) -> None:
    server.answers["/body"] = endless(b" ", head=OK + b"\r\n", pause=0.05)  # drop by drop
    server.answers["/header"] = endless(b"X", head=OK, pause=0.05)  # drop by drop
    server.answers["/silence"] = endless(b"", pause=0.1)  # nothing at all
    good = server.serve("/good", rss([1]))
    *slow, fine = fetch([*map(server.url, ("/body", "/header", "/silence")), good], limits=Limits(timeout=2)).results
    assert [result.error and result.error.reason for result in slow] == ["it took longer than 2 seconds"] * 3
    assert [item.title for item in fine.items] == ["item 1"]


def test_a_body_without_end_meets_the_size_limit(server: FeedServer) -> None:
    server.answers["/big"] = endless(b" " * 10_000, head=OK + b"\r\n")
    assert "longer than 100000 bytes" in failure(server.url("/big"), Limits(max_bytes=100_000))


def test_compression_is_undone(server: FeedServer) -> None:
    bare = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    bodies = {
        "gzip": gzip.compress(rss(range(50))),
        "deflate": zlib.compress(rss(range(50))),
        "bare": bare.compress(rss(range(50))) + bare.flush(),
    }
    for name, body in bodies.items():
        url = server.serve(f"/{name}", body, Content_Encoding="deflate" if name == "bare" else name)
        assert titles(fetch([url])) == [f"item {n}" for n in range(50)]


def test_all_members_of_a_gzip_document_are_read(server: FeedServer) -> None:
    document = rss(range(50))
    cuts = [0, 1, 700, 701, len(document)]
    members = [gzip.compress(document[start:stop]) for start, stop in itertools.pairwise(cuts)]
    url = server.serve("/members", b"".join(members) + bytes(7), Content_Encoding="gzip")
    assert titles(fetch([url])) == [f"item {n}" for n in range(50)]
    url = server.serve("/cut", members[0] + members[1] + members[2][:-9], Content_Encoding="gzip")
    assert "cut off" in failure(url)
    big = gzip.compress(bytes(60_000)) * 2
    assert "longer than" in failure(server.serve("/big", big, Content_Encoding="gzip"), Limits(max_bytes=100_000))
    url = server.serve("/junk", gzip.compress(document) + b"\n", Content_Encoding="gzip")
    assert len(titles(fetch([url]))) == 50


def test_a_gzip_bomb_meets_the_size_limit(server: FeedServer) -> None:
    bomb = gzip.compress(bytes(50_000_000))
    assert len(bomb) < 100_000
    assert "longer than" in failure(server.serve("/bomb", bomb, Content_Encoding="gzip"), Limits(max_bytes=100_000))


@pytest.mark.parametrize(
    ("coding", "body", "reason"),
    [
        ("gzip", b"no gzip at all", "damaged"),
        ("gzip", gzip.compress(rss([1]))[:-20], "cut off"),
        ("br", b"x", "not asked for"),
        ("gzip, gzip", gzip.compress(gzip.compress(rss([1]))), "not asked for"),
    ],
)
def test_bad_compression(server: FeedServer, coding: str, body: bytes, reason: str) -> None:
    assert reason in failure(server.serve("/feed", body, Content_Encoding=coding))


def test_one_bad_feed_holds_up_no_other(server: FeedServer, tmp_path: Path) -> None:
    (tmp_path / "file.xml").write_bytes(rss(["file"]))
    (tmp_path / "broken.xml").write_bytes(rss(["broken"]).replace(b"text", b"te & xt"))
    server.answers["/error"] = lambda handler: handler.reply(500)
    server.answers["/cut"] = lambda handler: handler.reply(200, rss([1]), Content_Length="9999")
    good = server.serve("/good", rss(["good"]))
    bad = [
        server.url("/missing"),
        server.url("/error"),
        server.url("/cut"),
        server.serve("/page", b"<html><body>Hello</body></html>"),
        "http://127.0.0.1:1/",
        "http://[bad/",
        "gopher://a.example/",
        str(tmp_path),
        str(tmp_path / "missing.xml"),
        "nul\0byte",
    ]
    round = fetch([*bad, good, (tmp_path / "file.xml").as_uri(), str(tmp_path / "broken.xml"), good], limits=SMALL)
    assert titles(round) == ["item good", "item file", "item broken"]
    assert [error.source for error in round.errors] == bad
    assert all(error.reason for error in round.errors)
    assert len(round.results) == len(bad) + 3, "a repeated source is asked once"


def test_a_named_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.xml")
    assert failure(str(tmp_path / "pipe.xml")) == "this is no regular file"


def test_an_unreadable_document_is_asked_for_again(server: FeedServer) -> None:
    url = server.serve("/feed", rss([1]), ETag='"1"')
    state = fetch([url]).state
    server.serve("/feed", b"<html>maintenance</html>", ETag='"2"')
    failed = fetch([url], state)
    assert failed.errors and failed.state == state
    server.serve("/feed", rss([2, 1]), ETag='"3"')
    assert titles(fetch([url], failed.state)) == ["item 2"]


def test_it_works_inside_a_running_loop(tmp_path: Path) -> None:
    (tmp_path / "feed.xml").write_bytes(rss([1]))

    async def notebook() -> tuple[Result, ...]:
        return fetch([str(tmp_path / "feed.xml")]).results

    assert len(asyncio.run(notebook())[0].items) == 1
