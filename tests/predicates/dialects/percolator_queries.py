"""Sixty queries as users of percolators write them: alerts on news, jobs, prices, logs and classified ads.

Each has a name, what it needs of an engine, the query (of Elasticsearch; a text is one of Lucene), an event that it
matches and one that it does not, or why it is refused. `needs` are the features of the table in docs/comparison.md.
"""

from __future__ import annotations

from typing import Any, NamedTuple

MAPPING = {
    "mappings": {
        "properties": {
            "title": {"type": "text", "fields": {"raw": {"type": "keyword"}}},
            "body": {"type": "text", "analyzer": "english"},
            "message": {"type": "text"},
            "brand": {"type": "keyword"},
            "tag": {"type": "keyword", "normalizer": "lowercase"},
            "city": {"type": "keyword"},
            "skills": {"type": "keyword"},
            "condition": {"type": "keyword"},
            "plate": {"type": "keyword"},
            "level": {"type": "keyword"},
            "service": {"type": "keyword"},
            "env": {"type": "keyword"},
            "path": {"type": "keyword"},
            "trace_id": {"type": "keyword"},
            "symbol": {"type": "keyword"},
            "source": {"type": "keyword"},
            "user": {"properties": {"name": {"type": "keyword"}, "age": {"type": "integer"}}},
            "client": {"type": "ip"},
            "price": {"type": "double"},
            "change": {"type": "double"},
            "salary": {"type": "long"},
            "status": {"type": "short"},
            "remote": {"type": "boolean"},
            "at": {"type": "date"},
            "location": {"type": "geo_point"},
            "items": {"type": "nested", "properties": {"sku": {"type": "keyword"}, "count": {"type": "integer"}}},
        }
    }
}
NOW = "2026-11-19T12:00:00Z"


class Typical(NamedTuple):
    """A query, what it needs, and events."""

    name: str
    features: str
    query: dict[str, Any] | str
    hit: dict[str, Any] | None = None
    miss: dict[str, Any] | None = None
    refused: str = ""

    @property
    def needs(self) -> list[str]:
        """Return the features that it needs."""
        return [feature.replace("_", " ") for feature in self.features.split()]


def _every(*queries: dict[str, Any], without: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"bool": {"filter": list(queries)} | ({"must_not": [without]} if without else {})}


def _match(field: str, text: str, **options: Any) -> dict[str, Any]:
    return {"match": {field: {"query": text, **options} if options else text}}


def _near(slop: int, ordered: bool, *words: str) -> dict[str, Any]:
    clauses = [{"span_term": {"title": word}} for word in words]
    return {"span_near": {"clauses": clauses, "slop": slop, "in_order": ordered}}


PREDICATES = [
    Typical("price below", "range", {"range": {"price": {"lt": 100}}}, {"price": 99.5}, {"price": 100}),
    Typical(
        "brand in a band",
        "equal range",
        _every({"term": {"brand": "Vespa"}}, {"range": {"price": {"gte": 10, "lte": 20}}}),
        {"brand": "Vespa", "price": 20},
        {"brand": "vespa", "price": 20},
    ),
    Typical("brands", "equal", {"terms": {"brand": ["Vespa", "Puch"]}}, {"brand": ["x", "Puch"]}, {"brand": "x"}),
    Typical(
        "stock falls",
        "equal range",
        _every({"term": {"symbol": "RBS"}}, {"range": {"change": {"lt": -5}}}),
        {"symbol": "RBS", "change": -5.5},
        {"symbol": "RBS", "change": -5},
    ),
    Typical("log level", "equal", {"term": {"level": {"value": "ERROR"}}}, {"level": "ERROR"}, {"level": "WARN"}),
    Typical("server errors", "range", {"range": {"status": {"gte": 500, "lt": 600}}}, {"status": 599}, {"status": 600}),
    Typical(
        "service and level",
        "equal",
        _every({"term": {"service": "pay"}}, {"terms": {"level": ["ERROR", "FATAL"]}}),
        {"service": "pay", "level": "FATAL"},
        {"service": "pay", "level": "INFO"},
    ),
    Typical(
        "not in test",
        "equal not",
        _every({"term": {"level": "ERROR"}}, without={"term": {"env": "test"}}),
        {"level": "ERROR"},
        {"level": "ERROR", "env": "test"},
    ),
    Typical("has a trace", "exists", {"exists": {"field": "trace_id"}}, {"trace_id": ""}, {"trace_id": None}),
    Typical(
        "has no trace",
        "exists not",
        {"bool": {"must_not": {"exists": {"field": "trace_id"}}}},
        {"trace_id": []},
        {"trace_id": "a1"},
    ),
    Typical("network", "ip", {"term": {"client": "10.1.0.0/16"}}, {"client": "10.1.2.3"}, {"client": "10.2.2.3"}),
    Typical(
        "since a day",
        "dates",
        {"range": {"at": {"gte": "2026-11-01"}}},
        {"at": "2026-11-01T00:00:00Z"},
        {"at": "2026-10-31"},
    ),
    Typical(
        "in a month",
        "dates",
        {"range": {"at": {"gte": "2026-11-01", "lte": "2026-11-30"}}},
        {"at": "2026-11-30T23:59:00Z"},
        {"at": "2026-12-01"},
    ),
    Typical("remote jobs", "equal", {"term": {"remote": True}}, {"remote": True}, {"remote": False}),
    Typical(
        "salary and city",
        "equal range",
        _every({"range": {"salary": {"gt": 60000}}}, {"terms": {"city": ["Graz", "Linz"]}}),
        {"salary": 60001, "city": "Linz"},
        {"salary": 60000, "city": "Linz"},
    ),
    Typical(
        "city or remote",
        "equal or",
        {"bool": {"should": [{"term": {"city": "Graz"}}, {"term": {"remote": True}}]}},
        {"city": "Wien", "remote": True},
        {"city": "Wien"},
    ),
    Typical(
        "two of three",
        "equal range or",
        {
            "bool": {
                "should": [{"term": {"city": "Graz"}}, {"term": {"remote": True}}, {"range": {"salary": {"gte": 50}}}],
                "minimum_should_match": 2,
            }
        },
        {"city": "Graz", "salary": 60},
        {"remote": True, "salary": 40},
    ),
    Typical(
        "one item of an order",
        "equal range nested",
        {
            "nested": {
                "path": "items",
                "query": _every({"term": {"items.sku": "x7"}}, {"range": {"items.count": {"gte": 3}}}),
            }
        },
        {"items": [{"sku": "x7", "count": 3}]},
        {"items": [{"sku": "x7", "count": 1}, {"sku": "x8", "count": 9}]},
    ),
    Typical("ids", "equal", {"ids": {"values": ["17", "18"]}}, {"_id": "18"}, {"_id": "19"}),
    Typical(
        "the whole title",
        "equal",
        {"term": {"title.raw": "Night boat"}},
        {"title": "Night boat"},
        {"title": "Night boat again"},
    ),
    Typical("path begins", "begins", {"prefix": {"path": "/api/"}}, {"path": "/api/pay"}, {"path": "/web/api/"}),
    Typical(
        "someone's score",
        "equal",
        {"constant_score": {"filter": {"term": {"user.name": "ada"}}}},
        {"user": {"name": "ada"}},
        {"user": {"name": "bob"}},
    ),
    Typical("tag in any case", "case", {"term": {"tag": "Urgent"}}, {"tag": ["x", "URGENT"]}, {"tag": "urgently"}),
]
KEYWORDS = [
    Typical("a word", "words", _match("title", "Ferry"), {"title": "The FERRY sails"}, {"title": "Ferries sail"}),
    Typical(
        "all words",
        "words",
        _match("title", "ferry storm", operator="and"),
        {"title": "storm: ferry"},
        {"title": "storm"},
    ),
    Typical("any word", "words or", _match("title", "ferry storm"), {"title": "a storm"}, {"title": "a boat"}),
    Typical(
        "a phrase", "words", {"match_phrase": {"title": "night boat"}}, {"title": "Night-boat"}, {"title": "boat night"}
    ),
    Typical(
        "one without another",
        "words not",
        {"bool": {"must": [_match("title", "ferry")], "must_not": [_match("title", "sport")]}},
        {"title": "ferry"},
        {"title": "ferry sport"},
    ),
    Typical(
        "words with stems",
        "words",
        _match("body", "the running boats", operator="and"),
        {"body": "a boat runs"},
        {"body": "the boat"},
    ),
    Typical(
        "in title or message",
        "words or fields",
        {"multi_match": {"query": "ferry", "fields": ["title", "message"]}},
        {"message": "a ferry"},
        {"body": "a ferry"},
    ),
    Typical(
        "a phrase in two fields",
        "words or fields",
        {"multi_match": {"query": "night boat", "type": "phrase", "fields": ["title", "message"]}},
        {"message": "the night boat"},
        {"title": "night", "message": "boat"},
    ),
    Typical(
        "a boolean query",
        "words or not",
        {"query_string": {"default_field": "title", "query": '(ferry OR "night boat") AND NOT sport'}},
        {"title": "the night boat"},
        {"title": "night boat sport"},
    ),
    Typical(
        "a query of required words",
        "words or not",
        "+title:ferry +title:(storm gale) -title:sport",
        {"title": "ferry in a gale"},
        {"title": "ferry"},
    ),
    Typical(
        "signs",
        "words or not",
        {"simple_query_string": {"query": '"night boat" + (ferry | storm) + -sport', "fields": ["title"]}},
        {"title": "night boat in a storm"},
        {"title": "night boat"},
    ),
    Typical(
        "three quarters of the words",
        "words or",
        _match("title", "ferry storm night boat", minimum_should_match="75%"),
        {"title": "night boat, ferry"},
        {"title": "night boat"},
    ),
    Typical(
        "words in all fields together",
        "words or fields",
        {
            "multi_match": {
                "query": "ada lovelace",
                "type": "cross_fields",
                "fields": ["title", "message"],
                "operator": "and",
            }
        },
        {"title": "Ada", "message": "by Lovelace"},
        {"title": "Ada ada"},
    ),
    Typical(
        "the best of two",
        "words or fields",
        {"dis_max": {"queries": [_match("title", "ferry"), _match("message", "storm")]}},
        {"message": "storm"},
        {"message": "ferry"},
    ),
    Typical(
        "one of some phrases",
        "words or",
        {"bool": {"should": [{"match_phrase": {"title": one}} for one in ("night boat", "rough sea", "high tide")]}},
        {"title": "a rough sea"},
        {"title": "a rough night at sea"},
    ),
]
BOTH = [
    Typical(
        "job alert",
        "words equal range",
        {
            "bool": {
                "must": [_match("title", "python engineer", operator="and")],
                "filter": [{"term": {"city": "Graz"}}, {"range": {"salary": {"gte": 50000}}}],
            }
        },
        {"title": "Engineer (Python)", "city": "Graz", "salary": 50000},
        {"title": "Engineer", "city": "Graz", "salary": 50000},
    ),
    Typical(
        "classified ad",
        "words equal range",
        _every(_match("title", "vespa"), {"range": {"price": {"lte": 900}}}, {"terms": {"condition": ["new", "good"]}}),
        {"title": "Vespa, red", "price": 899, "condition": "good"},
        {"title": "Vespa, red", "price": 899, "condition": "poor"},
    ),
    Typical(
        "news of a source",
        "words equal dates",
        _every(
            {"match_phrase": {"title": "debt crisis"}},
            {"term": {"source": "Harbour news"}},
            {"range": {"at": {"gt": "2026-01-01"}}},
        ),
        {"title": "Debt crisis", "source": "Harbour news", "at": "2026-01-02"},
        {"title": "Debt crisis", "source": "Harbour news", "at": "2026-01-01T12:00:00Z"},
    ),
    Typical(
        "log alert",
        "words equal not",
        _every(
            {"match_phrase": {"message": "connection refused"}},
            {"term": {"service": "pay"}},
            without={"term": {"env": "test"}},
        ),
        {"message": "connection refused by peer", "service": "pay"},
        {"message": "connection refused by peer", "service": "pay", "env": "test"},
    ),
    Typical(
        "log query",
        "words equal range",
        {"query_string": {"query": "message:timeout AND level:ERROR AND status:[500 TO 599]"}},
        {"message": "Timeout!", "level": "ERROR", "status": 504},
        {"message": "Timeout!", "level": "ERROR", "status": 404},
    ),
    Typical(
        "words and a price",
        "words range",
        "title:(ferry AND ticket) AND price:[10 TO 20}",
        {"title": "Ferry ticket", "price": 10},
        {"title": "Ferry ticket", "price": 20},
    ),
    Typical(
        "a good offer",
        "words equal range exists or",
        {
            "bool": {
                "must": [_match("title", "boat")],
                "should": [{"term": {"remote": True}}, {"exists": {"field": "plate"}}, {"range": {"price": {"lt": 5}}}],
                "minimum_should_match": "50%",
            }
        },
        {"title": "boat", "plate": "x"},
        {"title": "boat", "price": 5},
    ),
]
OTHERS = [
    Typical(
        "a misspelt brand",
        "similar",
        {"fuzzy": {"title": {"value": "vespa", "fuzziness": 1}}},
        {"title": "A vesap"},
        {"title": "A wasp"},
    ),
    Typical(
        "misspelt words",
        "similar",
        _match("title", "harbour ferries", fuzziness="AUTO", operator="and"),
        {"title": "harbor: feries"},
        {"title": "harbour: fairy"},
    ),
    Typical(
        "similar words in a query",
        "similar",
        {"query_string": {"query": "title:roam~ AND title:storm"}},
        {"title": "foam, storm"},
        {"title": "frame, storm"},
    ),
    Typical(
        "a phrase with a slop",
        "distance",
        {"match_phrase": {"title": {"query": "debt crisis", "slop": 2}}},
        {"title": "debt and bank crisis"},
        {"title": "crisis of the debt"},
    ),
    Typical(
        "words in order",
        "distance",
        {
            "intervals": {
                "title": {
                    "all_of": {
                        "ordered": True,
                        "max_gaps": 2,
                        "intervals": [
                            {"match": {"query": "night boat", "max_gaps": 0, "ordered": True}},
                            {"any_of": {"intervals": [{"match": {"query": "storm"}}, {"match": {"query": "gale"}}]}},
                        ],
                    }
                }
            }
        },
        {"title": "night boat in a gale"},
        {"title": "gale: night boat"},
    ),
    Typical(
        "words near each other",
        "distance",
        _near(3, False, "ferry", "storm"),
        {"title": "storm stops the old ferry"},
        {"title": "storm stops one and another ferry"},
    ),
    Typical(
        "a sloppy phrase in a query",
        "distance",
        'title:"night boat"~1 AND title:sea',
        {"title": "night, boat of the sea"},
        {"title": "night of the boat, sea"},
    ),
    Typical(
        "the beginning of a word",
        "word_forms",
        {"query_string": {"query": "ferr* AND storm", "default_field": "title"}},
        {"title": "ferries, storm"},
        {"title": "fare, storm"},
    ),
    Typical(
        "a word with a wildcard",
        "word_forms",
        {"wildcard": {"title": {"value": "h*bour"}}},
        {"title": "The harbour"},
        {"title": "The harbours"},
    ),
    Typical(
        "a regular expression",
        "regex",
        {"regexp": {"plate": {"value": "AB-[0-9]{3}"}}},
        refused=r"regexp: regular expressions are not there yet; say it with wildcard",
    ),
    Typical("a number plate", "form", {"wildcard": {"plate": "AB-1?3"}}, {"plate": "AB-123"}, {"plate": "AB-1234"}),
    Typical(
        "the last week",
        "dates",
        {"range": {"at": {"gte": "now-7d/d", "time_zone": "+01:00"}}},
        {"at": "2026-11-11T23:00:00Z"},
        {"at": "2026-11-11T22:59:59Z"},
    ),
    Typical(
        "enough skills",
        "equal or",
        {
            "terms_set": {
                "skills": {
                    "terms": ["python", "spark", "numba"],
                    "minimum_should_match_script": {"source": "Math.min(params.num_terms, 2)"},
                }
            }
        },
        {"skills": ["numba", "python"]},
        {"skills": ["python"]},
    ),
    Typical(
        "texts like this one",
        "like_this",
        {"more_like_this": {"fields": ["title"], "like": "a ferry in a storm", "min_term_freq": 1}},
        refused=r"more_like_this: .* write the words that matter, as a match query with minimum_should_match",
    ),
    Typical(
        "near a place",
        "place",
        {"geo_distance": {"distance": "5km", "location": {"lat": 47.07, "lon": 15.44}}},
        refused=r"geo_distance: places on a map are not compared; write ranges of latitude and longitude",
    ),
]
TYPICAL = [*PREDICATES, *KEYWORDS, *BOTH, *OTHERS]
