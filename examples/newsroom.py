"""The running system, from subscribers to inboxes: `make run`.

Sets up a home folder, subscribes three readers, streams the feeds of ``examples/feeds`` through Spark on this machine,
and prints each reader's inbox with the reasons.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from watchword.cli.printing import print_deliveries
from watchword.home import Home
from watchword.spark import local_session
from watchword.spark.pipeline import Pipeline, Progress
from watchword.spark.sources import Source
from watchword.store import Request
from watchword.tables import read_subscriptions

HERE = Path(__file__).parent
SHORT_RUN = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Options of Java for a run of seconds: without them it spends a third of the time on compiling for speed."""
READERS = {
    "harbour-master": ("ferries", "storm-and-sea", "labour"),
    "economist": ("rates", "rate-cuts", "prices", "rescues"),
    "town-clerk": ("clean-energy", "turbines", "modern", "care", "coffee", "signs", "tokyo", "sella-without-chess"),
}
RULES = {
    "harbour-master": {
        "own-ferries": "MATCHES 'ferry NOT strike' AND feed = 'Port Amber Harbour Notices' AND NOT author = 'desk'",
    },
    "town-clerk": {"from-the-crier": "feed = 'Port Amber Town Crier' AND title MATCHES 'tramway OR mill'"},
}
"""Subscriptions to words and attributes at once, in the language of predicates."""


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="watchword-") as folder:
        home = Home.make(Path(folder) / "home")
        subscribe(home)
        say("starting Spark")
        spark = local_session("watchword newsroom", 2, spark_driver_defaultJavaOptions=SHORT_RUN)
        try:
            source = Source.feeds([str(HERE / "feeds" / "feeds.opml")])
            Pipeline(spark, home, source, report=report).run(once=True)
        finally:
            spark.stop()
        with home.store() as store:
            for reader in READERS:
                print_deliveries(reader, store.inbox(reader))


def subscribe(home: Home) -> None:
    table = read_subscriptions(str(HERE / "subscriptions.csv")).table
    texts = dict(zip(table["id"].to_pylist(), table["subscription"].to_pylist(), strict=True))
    with home.store() as store:
        for reader, ids in READERS.items():
            store.add_subscriber(reader)
            store.subscribe_many(Request(reader, texts[id], id) for id in ids)
            say(f"{reader} subscribes to {len(ids)} searches, such as {texts[ids[0]]!r}")
        for reader, rules in RULES.items():
            store.subscribe_many(Request(reader, text, id, "predicates") for id, text in rules.items())
            say(f"{reader} subscribes to {next(iter(rules.values()))!r}")


def report(done: Progress) -> None:
    say(f"batch {done.batch}: {done.items} items, {done.pairs} matches in {done.seconds:.1f} s")


def say(text: str) -> None:
    print(f"==> {text}", file=sys.stderr)


if __name__ == "__main__":
    main()
