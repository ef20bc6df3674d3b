"""Figures of a server process, for Prometheus: `GET /metrics`.

    watchword_requests_total{method="POST",route="/match",status="200"} 17
    watchword_request_seconds_bucket{route="/match",le="0.005"} 16
    watchword_change{kind="index"} 41

No figure has a label for a subscriber, a subscription or a token: a scrape is bounded by the number of routes. Each
process has its own figures; behind one port, a scrape meets one of them, which `watchword_process_info` names.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from watchword import __version__

SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the histograms of latencies."""
MOST_ROUTES = 2_000
"""Combinations of method, route and status that are counted apart."""


class Figure(NamedTuple):
    """A figure that is looked up at a scrape."""

    name: str
    help: str
    value: float
    labels: Mapping[str, str] = {}


class Metrics:
    """The figures of one process; `read` adds figures that are looked up at a scrape."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self.requests = Counter(
            "watchword_requests", "Requests answered.", ["method", "route", "status"], registry=registry
        )
        self.seconds = Histogram(
            "watchword_request_seconds",
            "Seconds from a request to its answer.",
            ["route"],
            buckets=SECONDS,
            registry=registry,
        )
        self.events = Counter("watchword_matched_events", "Events matched.", ["form"], registry=registry)
        self.matches = Counter("watchword_matches", "Matches found.", registry=registry)
        self.changes = Counter("watchword_changes", "Changes of subscriptions.", ["what"], registry=registry)
        self.refused = Counter("watchword_refused", "Requests refused, by reason.", ["reason"], registry=registry)
        self.streams = Gauge("watchword_open_streams", "Streams that are open now.", registry=registry)
        self.connections = Gauge("watchword_connections", "Connections that are open now.", registry=registry)
        self.audited = Counter("watchword_audited_events", "Events decided again by brute force.", registry=registry)
        self.differences = Counter(
            "watchword_audit_differences", "Answers that brute force decided otherwise.", registry=registry
        )
        Gauge("watchword_process_info", "The process.", ["version", "pid"], registry=registry).labels(
            __version__, str(os.getpid())
        ).set(1)

        self._forms: dict[str, Counter] = {}
        self._known: dict[tuple[str, str, int], tuple[Any, Any]] = {}

    def note_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answered request."""
        key = (method, route, status)
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= MOST_ROUTES:  # methods are a stranger's words
                key, method = ("other", route, status), "other"
            known = self.requests.labels(method, route, str(status)), self.seconds.labels(route)
            self._known[key] = known
        known[0].inc()
        known[1].observe(seconds)

    def note_audited(self, difference: object) -> None:
        """Count an event that was decided again; `difference` is None where there was none."""
        self.audited.inc()
        if difference is not None:
            self.differences.inc()

    def note_matched(self, form: str, events: int, matches: int) -> None:
        """Count matched events, and what they matched."""
        counter = self._forms.get(form)
        if counter is None:
            counter = self._forms[form] = self.events.labels(form)
        counter.inc(events)
        self.matches.inc(matches)

    def read(self, figures: Callable[[], Iterable[Figure]]) -> None:
        """Add figures that are looked up at a scrape."""
        self.registry.register(_Looked(figures))

    def text(self) -> bytes:
        """Return all figures as Prometheus reads them."""
        return bytes(generate_latest(self.registry))


class _Looked(Collector):
    """Figures that a function gives."""

    def __init__(self, figures: Callable[[], Iterable[Figure]]) -> None:
        self._figures = figures

    def describe(self) -> Iterable[Metric]:
        return []

    def collect(self) -> Iterable[Metric]:
        families: dict[str, GaugeMetricFamily] = {}
        for one in self._figures():
            if one.name not in families:
                families[one.name] = GaugeMetricFamily(one.name, one.help, labels=list(one.labels))
            families[one.name].add_metric(list(one.labels.values()), one.value)
        return families.values()
