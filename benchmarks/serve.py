"""How fast does the server answer? `python -m benchmarks.serve`.

Workload: 31,262 search queries as people typed them, as keyword subscriptions of one subscriber, and 60,000 posts
(`WATCHWORD_DATA`; without it, 300 of each are generated, seed 2011). The server is ``watchword serve`` in a process of
its own on the loopback interface, with its defaults; its CPU seconds are those of that process.

    text       POST /match, one post a request, 8 connections of wrk on one thread, or of `benchmarks.load` where wrk
               is not installed; the floor is GET /livez
    batches    POST /match, 1,000 posts a request: NDJSON and Arrow, one connection
    changes    PUT, then a match that must see it: in the process, and in the other of two with ?after=
    memory     resident memory after a first match, beside a process with the index alone
    preview    POST /preview of drafts over the newest 100,000 items of an archive of the posts: the first of a server
               that has just started, and then
    events     POST /events of one event at a time, and when it is in the live stream of the inbox (`serve_events`)

`wanted` is the figure that each row is to reach, and `× wanted` says how often it does: 1 or more is reached. For
`text` and `batches` server and client have a core each. Scale small has 100,000 subscriptions for `changes` and
`memory`, full a million. Wall time depends on what else the machine does; CPU of the server does not much.
"""

from __future__ import annotations

import gc
import http.client
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa

from benchmarks import load, serve_events
from benchmarks.data.keywords import accepted_queries, data_folder, posts
from benchmarks.harness import Report, Row, in_fresh_process, main
from benchmarks.peers.searches import generated
from watchword import KeywordIndex
from watchword.home import Home
from watchword.items import Item
from watchword.store import Request

SEED = 2011
FEW = 300
SECONDS = 5
CONNECTIONS = 8
BATCH = 1_000
HELD = {"small": 100_000, "full": 1_000_000}
ARCHIVED = 100_000
ARROW, NDJSON = "application/vnd.apache.arrow.stream", "application/x-ndjson"


@dataclass
class Setting:
    """A folder for homes, the queries and posts, and how many subscriptions `changes` and `memory` hold."""

    folder: Path
    queries: Sequence[str]
    posts: Sequence[str]
    held: int


@contextmanager
def setting(scale: str) -> Iterator[Setting]:
    """Give the texts, and a folder that is removed afterwards."""
    folder = data_folder() / "text"
    if folder.is_dir():
        queries: Sequence[str] = list(accepted_queries(folder / "queries-30k.tsv.gz").values())
        texts: Sequence[str] = posts(folder / "tweets-2020-60k.jsonl.gz")
    else:
        queries, texts = generated(FEW, FEW, SEED)
    with tempfile.TemporaryDirectory() as made:
        yield Setting(Path(made), queries, texts, HELD[scale])


class Client:
    """One connection to a server."""

    def __init__(self, url: str, token: str) -> None:
        self._connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=600)
        self._headers = {"Authorization": f"Bearer {token}"}

    def ask(self, method: str, path: str, body: bytes | None = None, kind: str = "application/json") -> bytes:
        """Return the body of an answer; anything but 2xx ends the benchmark."""
        self._connection.request(method, path, body, self._headers | {"Content-Type": kind})
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status >= 300:
            raise SystemExit(f"{method} {path}: {answer.status} {content[:300]!r}")
        return content


@dataclass
class Served:
    """A running server: its address, a token, and its processes."""

    url: str
    token: str
    process: psutil.Process

    def client(self) -> Client:
        return Client(self.url, self.token)

    def cpu(self) -> float:
        """Return the CPU seconds of the server so far."""
        times = [one.cpu_times() for one in (self.process, *self.process.children(recursive=True))]
        return float(sum(time.user + time.system for time in times))


@contextmanager
def served(home: Path, *options: str, apart: bool = False) -> Iterator[Served]:
    """Run ``watchword serve`` over a home; if `apart`, on the first core, and what this process starts on the last."""
    cores = sorted(os.sched_getaffinity(0)) if sys.platform == "linux" else []
    with Home(home).store() as store:
        token = store.add_token("ada", "benchmark", ["read", "write", "match"])
    command = [sys.executable, "-m", "watchword", "serve", "--home", str(home), "--port", "0", *options]
    if apart and cores:
        os.sched_setaffinity(0, cores[:1])
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        if apart and cores:
            os.sched_setaffinity(0, cores[-1:])
        try:
            url = process.stdout.readline().strip()
            yield Served(url, token, psutil.Process(process.pid))
        finally:
            process.terminate()
            if cores:
                os.sched_setaffinity(0, cores)


def make_home(path: Path, texts: Sequence[str]) -> Path:
    """Return a home in which ada has these keyword subscriptions."""
    with Home.make(path).store() as store:
        store.set_options("keywords", literal_operators=True)
        store.add_subscriber("ada")
        store.subscribe_many(Request("ada", text, f"q{number}") for number, text in enumerate(texts))
    return path


def drawn(count: int) -> list[str]:
    """Return keyword subscriptions of one to four words from 200,000, drawn with a Zipf-like bias."""
    draw = random.Random(SEED)
    return [" ".join(f"w{int(200_000 * draw.random() ** 3)}" for _ in range(draw.randint(1, 4))) for _ in range(count)]


def wrk(served: Served, path: str, bodies: Sequence[str] = ()) -> Row:
    """Return what wrk measures for a path, POSTed with these bodies in turn."""
    if shutil.which("wrk") is None:
        return plain_load(served, path, bodies)
    script = f'wrk.headers["Authorization"] = "Bearer {served.token}"\n'
    if bodies:
        script += 'wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\n'
        script += f"local bodies = {{{','.join(json.dumps(body) for body in bodies)}}}\nlocal at = 0\n"
        script += "request = function() at = at % #bodies + 1; return wrk.format(nil, nil, nil, bodies[at]) end\n"
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as file:
        file.write(script)
        file.flush()
        command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", "--latency", "-s", file.name, served.url + path]
        before = served.cpu()
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        spent = served.cpu() - before
    requests = int(said.split(" requests in")[0].split()[-1])
    if "Non-2xx" in said:
        raise SystemExit(said)
    return {
        "request": path,
        "requests/s": float(said.split("Requests/sec:")[1].split()[0]),
        "p99 ms": milliseconds(said.split("99%")[1].split()[0]),
        "CPU µs/request": 1e6 * spent / requests,
        "requests/CPU s": requests / spent,
    }


def plain_load(served: Served, path: str, bodies: Sequence[str]) -> Row:
    """Return the same by `benchmarks.load`."""
    host, _, port = served.url.removeprefix("http://").partition(":")
    head = f"{'POST' if bodies else 'GET'} {path} HTTP/1.1\r\nHost: {host}:{port}\r\n"
    head += f"Authorization: Bearer {served.token}\r\n"
    requests = [
        f"{head}Content-Type: application/json\r\nContent-Length: {len(body.encode())}\r\n\r\n{body}".encode()
        for body in bodies or [""]
    ]
    before = served.cpu()
    done = load.ask(host, int(port), requests, SECONDS)
    spent = served.cpu() - before
    return {
        "request": path,
        "requests/s": done.requests / done.seconds,
        "p99 ms": 1e3 * done.p99,
        "CPU µs/request": 1e6 * spent / done.requests,
        "requests/CPU s": done.requests / spent,
    }


def milliseconds(text: str) -> float:
    """Return a time of wrk, such as ``1.40ms``, ``870.00us`` or ``1.02s``, in milliseconds."""
    for unit, factor in (("us", 1e-3), ("ms", 1.0), ("s", 1e3)):
        if text.endswith(unit):
            return float(text.removesuffix(unit)) * factor
    raise ValueError(text)


def at_least(row: Row, column: str, wanted: float) -> Row:
    """Return a row with the figure that a column is to reach."""
    return row | {"wanted": wanted, "× wanted": row[column] / wanted}


def at_most(row: Row, column: str, wanted: float) -> Row:
    """Return a row with the figure that a column is not to exceed."""
    return row | {"wanted": wanted, "× wanted": wanted / row[column]}


def measure_text(report: Report, given: Setting) -> None:
    """Section `text`."""
    bodies = [json.dumps({"event": text}) for text in given.posts[:: max(1, len(given.posts) // 500)]]
    with served(make_home(given.folder / "text", given.queries), apart=True) as server:
        wrk(server, "/match", bodies)  # warms it
        rows = [wrk(server, "/match", bodies), wrk(server, "/livez"), wrk(server, "/match", bodies)]
    rows = [
        at_least(row, "requests/s", 5_000) | {"wanted p99 ms": 10} if row["request"] == "/match" else row
        for row in rows
    ]
    client = "wrk" if shutil.which("wrk") else "benchmarks.load"
    report.table(f"text: one post a request against {len(given.queries):,} queries, client {client}", rows)


def measure_batches(report: Report, given: Setting) -> None:
    """Section `batches`."""
    chosen = [list(given.posts[begin : begin + BATCH]) for begin in range(0, len(given.posts), BATCH)]
    bodies = {
        NDJSON: [b"\n".join(json.dumps(text).encode() for text in batch) for batch in chosen],
        ARROW: [arrow(batch) for batch in chosen],
    }
    rows = []
    with served(make_home(given.folder / "batches", given.queries), apart=True) as server:
        client = server.client()
        for kind, batches in bodies.items():
            client.ask("POST", "/match?language=keywords", batches[0], kind)
            gc.collect()
            began, cpu = time.perf_counter(), server.cpu()
            answered = sum(len(client.ask("POST", "/match?language=keywords", body, kind)) for body in batches)
            seconds, spent = time.perf_counter() - began, max(server.cpu() - cpu, 0.01)  # it is counted in 0.01 s
            count = sum(map(len, chosen))
            row = {"body": kind, "posts/s": count / seconds, "posts/CPU s": count / spent, "answer bytes": answered}
            rows.append(at_least(row, "posts/s", 120_000 if kind == NDJSON else 250_000))
    report.table(f"batches: {BATCH:,} posts a request against {len(given.queries):,} queries", rows)


def arrow(texts: Sequence[str]) -> bytes:
    """Return texts as an Arrow stream."""
    table, sink = pa.table({"text": texts}), pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def measure_changes(report: Report, given: Setting) -> None:
    """Section `changes`."""
    home = make_home(given.folder / "changes", drawn(given.held))
    with served(home) as server:
        inside = change_and_match(server, [server.client()] * 2)
    with served(home, "--workers", "2") as server:
        across = change_and_match(server, [server.client(), other_client(server)])
    rows = [
        {"match": "in the process"} | at_most(inside, "both p99 ms", 10),
        {"match": "in the other process, ?after="} | at_most(across, "both p99 ms", 1_000),
    ]
    report.table(f"changes: PUT, then a match that sees it, {given.held:,} subscriptions", rows)


def other_client(server: Served) -> Client:
    """Return a connection to another process than a first one: the kernel chooses, so it is tried until it does."""
    first = pid_of(server.client())
    while True:
        client = server.client()
        if pid_of(client) != first:
            return client


def pid_of(client: Client) -> str:
    lines = client.ask("GET", "/metrics").decode().splitlines()
    return next(line for line in lines if line.startswith("watchword_process_info"))


def change_and_match(server: Served, clients: list[Client], count: int = 300) -> Row:
    """Return the milliseconds of a PUT, and of the match after it."""
    puts, matches = [], []
    writer, reader = clients
    for number in range(count):
        body = json.dumps({"text": f"changed{number}"}).encode()
        began = time.perf_counter()
        change = json.loads(writer.ask("PUT", f"/subscriptions/c{number % 50}", body))["change"]
        put = time.perf_counter()
        event = json.dumps({"event": f"changed{number}"}).encode()
        found = json.loads(reader.ask("POST", f"/match?after={change}", event))["matches"]
        if [one["id"] for one in found] != [f"c{number % 50}"]:
            raise SystemExit(f"a match did not see its change: {found}")
        puts.append(1000 * (put - began))
        matches.append(1000 * (time.perf_counter() - put))
    both = [put + match for put, match in zip(puts, matches, strict=True)]
    shares = statistics.quantiles(both, n=100)
    return {
        "PUT median ms": statistics.median(puts),
        "match median ms": statistics.median(matches),
        "both median ms": statistics.median(both),
        "both p99 ms": shares[98],
    }


def measure_memory(report: Report, given: Setting) -> None:
    """Section `memory`."""
    home = make_home(given.folder / "memory", drawn(given.held))
    alone = in_fresh_process("benchmarks.serve:index_alone", str(home))["result"]
    with served(home) as server:
        server.client().ask("POST", "/match", json.dumps({"event": "w1 w2 w3"}).encode())
        resident = server.process.memory_info().rss
    rows = [
        {"process": "the index alone", "resident MB": alone / 1e6, "× index": 1.0},
        at_most({"process": "the server", "resident MB": resident / 1e6, "× index": resident / alone}, "× index", 1.3),
    ]
    report.table(f"memory: {given.held:,} keyword subscriptions", rows)


def index_alone(home: str) -> Any:
    """Prepare the resident memory of a process that has loaded a home's subscriptions into an index."""

    def work() -> int:
        with Home(home).store() as store:
            texts = {change.id: change.text or "" for change in store.changes_since(0).changes}
            index = KeywordIndex(texts, **store.options("keywords"))
        del texts
        gc.collect()
        index.match("w1 w2 w3")
        return int(psutil.Process(os.getpid()).memory_info().rss)

    return work


def measure_preview(report: Report, given: Setting) -> None:
    """Section `preview`."""
    home = make_home(given.folder / "preview", given.queries[:100])
    texts = [given.posts[number % len(given.posts)] for number in range(ARCHIVED)]
    Home(home).archive().write("posts", [Item(f"urn:{number}", text=text) for number, text in enumerate(texts)])
    rows = []
    for text in ("trump", "trump NOT impeachment", '"climate change" OR wildfire', "harbuor"):
        body = json.dumps({"text": text}).encode()
        took = []
        with served(home) as server:
            client = server.client()
            for _ in range(6):
                began, cpu = time.perf_counter(), server.cpu()
                found = json.loads(client.ask("POST", "/preview", body))
                took.append((1000 * (time.perf_counter() - began), 1000 * (server.cpu() - cpu)))
        cold, warm = took[0], sorted(took[1:])
        row = {"draft": text, "found": found["total"], "complete": str(found["complete"]), "first ms": cold[0],
               "first CPU ms": cold[1], "wanted first": 1_000, "then ms": warm[2][0], "CPU ms": warm[2][1]}  # fmt: skip
        rows.append(at_most(row, "then ms", 300))
    report.table(f"preview: drafts over {ARCHIVED:,} archived posts", rows)


def measure_events(report: Report, given: Setting) -> None:
    """Section `events`."""
    found = serve_events.measure(len(given.queries), 200)
    posted = {"from the POST": "to its 202", "median ms": 1e3 * found["post_p50"], "p95 ms": 1e3 * found["post_p95"]}
    came = {
        "from the POST": "to the stream",
        "median ms": 1e3 * found["stream_p50"],
        "p95 ms": 1e3 * found["stream_p95"],
    }
    rows = [posted, at_most(came, "p95 ms", 1e3 * (serve_events.INTERVAL + 2))]
    report.table(
        f"events: {len(given.queries):,} subscriptions, the deliverer looks every {serve_events.INTERVAL} s", rows
    )


SECTIONS = {
    "text": measure_text,
    "batches": measure_batches,
    "changes": measure_changes,
    "memory": measure_memory,
    "preview": measure_preview,
    "events": measure_events,
}


def header(scale: str) -> dict[str, object]:
    """Return what the workload is, at a scale."""
    return {"workload": f"{CONNECTIONS} connections, {SECONDS} s, {HELD[scale]:,} subscriptions held", "seed": SEED}


if __name__ == "__main__":
    main("Server", __doc__ or "", SECTIONS, header, setting, scales=("small", "full"))
