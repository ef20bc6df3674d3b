"""What rules of hypermatch match, as the library's own tests say it.

Taken from the tests of hypermatch, https://github.com/SchwarzIT/hypermatch (version 1) and
https://github.com/SchwarzDigits/hypermatch (version 2 and after), which are under the Apache License 2.0
(https://www.apache.org/licenses/LICENSE-2.0): the rules, events and results, put into another form. Values that are no
UTF-8 are left out. Rules that the library refuses come last.
"""

from __future__ import annotations

from typing import Any

Event = dict[str, Any]
Case = tuple[dict[str, Any], Event, bool]


def equals(text: str) -> dict[str, Any]:
    return {"equals": text}


def but(*patterns: dict[str, Any]) -> dict[str, Any]:
    return {"anythingBut": list(patterns)}


def any_of(*patterns: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": list(patterns)}


def all_of(*patterns: dict[str, Any]) -> dict[str, Any]:
    return {"allOf": list(patterns)}


def between(lower: dict[str, Any], upper: dict[str, Any]) -> dict[str, Any]:
    return {"between": [lower, upper]}


SIMPLE = [
    {"y": equals("bb"), "x": equals("aa")},
    {"y": equals("bb")},
    {"x": equals("dd"), "y": equals("cc")},
    {"x": {"prefix": "a"}, "y": {"prefix": "b"}},
    {"x": {"suffix": "x"}, "y": {"suffix": "y"}},
    {"y": but(equals("bb"))},
    {"y": but(equals("b*y"))},
]
"""Rules of one index; `SIMPLE_MATCHES` has events, and the positions of the rules that match them."""

SIMPLE_MATCHES: list[tuple[Event, list[int]]] = [
    ({"x": "aa", "y": "bb"}, [0, 1, 3, 6]),
    ({"x": "dd", "y": "cc"}, [2, 5, 6]),
    ({"x": "aax", "y": "bby"}, [3, 4, 5, 6]),
    ({"x": ["aax", "dd"], "y": ["bby", "cc"]}, [2, 3, 4, 5, 6]),
]

_COMPLEX = {
    "namespace": equals("monitoring-schwarz"),
    "l1": equals("lidl"),
    "name": {"wildcard": "*OS*"},
    "priority": any_of(equals("P1"), equals("P2")),
    "hostgroups": all_of(equals("lidl-de"), equals("store-servers")),
}
_HOST = {"namespace": "monitoring-schwarz", "l1": "lidl", "name": "OS hdd", "priority": "P1"}
_ALERT = {
    "status": equals("firing"),
    "name": but({"wildcard": "TEST*"}),
    "severity": any_of(equals("critical"), equals("warning")),
    "tags": all_of(equals("shop"), equals("backend")),
}
_FIRING = {
    "name": "Too many parallel requests on system xy",
    "severity": "critical",
    "status": "firing",
    "message": "Lorem ipsum dolor sit amet, consetetur sadipscing elitr.",
    "team": "awesome-team",
    "application": "webshop",
    "component": "backend-service",
    "tags": ["shop", "backend"],
}
_CHOICE = {
    "env": equals("prod"),
    "$or": [{"team": equals("shop")}, {"severity": equals("critical"), "escalated": {"exists": True}}],
}
_NESTED = {
    "a": equals("1"),
    "$or": [{"b": equals("2")}, {"$or": [{"c": equals("3")}, {"d": {"exists": False}}]}],
}
_SHORTHAND = {
    "env": equals("prod"),
    "latency_ms": between({"gte": 500}, {"lt": 1000}),
    "owner": {"exists": False},
    "$or": [
        {"team": any_of(equals("shop"), {"prefix": "pay"})},
        {"tags": all_of(equals("urgent"), {"wildcard": "*-eu"}), "region": but(equals("moon"))},
    ],
}


def _single(pattern: dict[str, Any], value: Any, result: bool) -> Case:
    return {"f": pattern}, {"f": value}, result


def _wildcards() -> list[Case]:
    table = [
        ("ha*o", ["hao", "halo", "hallo", "haweltlo"], ["", "welt", "hoa", "haa"]),
        ("wel*", ["wel", "welt", "weltttttttt"], ["", "hallo", "walt", "wet"]),
        ("*elt", ["welt", "elt", "weltttttttelt"], ["", "wel", "walt", "wet"]),
        ("*", ["anything", ""], []),
        ("*-mon-*", ["s1-mon-test", "s1-mon-mon-mon-test"], ["se1-monn-test"]),
    ]
    return [_single({"wildcard": form}, text, text in good) for form, good, bad in table for text in (*good, *bad)]


CASES: dict[str, list[Case]] = {
    "equals": [
        _single(equals(text), value, value == text)
        for text, values in {"hallo": ["hallo", "", "halloo", "halo"], "welt": ["welt", "", "weltt"]}.items()
        for value in values
    ],
    "wildcard": _wildcards(),
    "anythingBut": [
        _single(but(equals("hallo")), "welt", True),
        _single(but(equals("hallo")), "hallo", False),
        _single(but({"wildcard": "ha*o"}), "welt", True),
        _single(but({"wildcard": "ha*o"}), "hallo", False),
    ],
    "anyOf": [
        _single(any_of(equals("hallo"), second), value, value != "was")
        for second, values in [
            (equals("welt"), ["welt", "hallo", "was"]),
            ({"wildcard": "wel*"}, ["welt", "hallo", "weltttt", "was"]),
        ]
        for value in values
    ],
    "allOf": [
        _single(all_of(equals("hallo"), second), value, "hallo" in value and len(value) > 1)
        for second in (equals("welt"), {"wildcard": "wel*"})
        for value in (["welt", "hallo"], ["welt"], ["hallo"], ["welt", "eins"])
    ],
    "complex": [
        (_COMPLEX, _HOST | {"hostgroups": ["lidl", "lidl-de", "de", "store-servers"]}, True),
        (_COMPLEX, _HOST | {"hostgroups": ["lidl", "lidl-de", "de"]}, False),
        (_ALERT, _FIRING, True),
        (_ALERT, _FIRING | {"name": "test: too many parallel requests"}, False),
    ],
    "semantics": [
        _single(equals("ab"), "ab", True),
        _single({"wildcard": "a*bc"}, "ab", False),
        _single(equals("ab"), "axyzb", False),
        _single({"wildcard": "a*bc"}, "axbc", True),
        _single(equals("ice"), "ice", True),
        _single({"suffix": "ing"}, "xxice", False),
        _single({"suffix": "ing"}, "icing", True),
        _single(but(equals("x")), ["x", "y"], False),
        _single(but(equals("x")), ["y", "z"], True),
        ({"f": but(equals("x"))}, {"g": "y"}, False),
        _single(but(equals("x")), [], False),
        _single(all_of(but(equals("a")), equals("b")), ["a", "b"], False),
        _single(all_of(but(equals("a")), equals("b")), "b", True),
        _single(any_of(but(equals("x")), equals("y")), "x", False),
        _single(but(but(equals("x"))), ["x", "y"], True),
        ({"x": equals("a"), "y": equals("b")}, {"x": "c", "y": "b"}, False),
        ({"x": any_of(equals("a"), equals("c"))}, {"x": "c", "y": "b"}, True),
        _single(all_of(equals("x"), equals("y")), ["x", "y"], True),
        _single(all_of(equals("x"), equals("y")), "x", False),
        _single(equals("FiRiNg"), "firING", True),
        _single({"prefix": "ÄRGER"}, "ärgerlich", True),
        ({"Name": equals("x")}, {"name": "x"}, False),
        _single({"wildcard": "*"}, "", True),
        ({"f": {"wildcard": "*"}}, {"g": "x"}, False),
        _single(equals("a*b"), "axb", False),
        _single({"prefix": "a*"}, ["ab", "a*c"], True),
        _single({"wildcard": "a*b*c"}, "acb", False),
        _single({"wildcard": "a*b*c"}, "abc", True),
        _single({"prefix": "a**"}, "a**b", True),
        _single(equals("**"), "**", True),
        _single({"AnythingBut": [{"Wildcard": "*x"}]}, "ax", False),
        _single(equals("te\\st"), "te\\st", True),
        _single({"equals": True}, "true", True),
    ],
    "numbers": [
        _single({"gt": "500"}, "501", True),
        _single({"gt": "500"}, "500", False),
        _single({"gte": "500"}, "500", True),
        _single({"lt": "0"}, "-0.5", True),
        _single({"lte": "1e3"}, "1000", True),
        _single({"gt": "1000"}, "1.5E3", True),
        _single({"lt": "10"}, "007", True),
        _single({"gt": "0"}, "abc", False),
        _single({"gt": "10"}, ["1", "20"], True),
        _single({"gt": "1e300"}, "1e400", True),
        _single(between({"gte": "500"}, {"lt": "600"}), "503", True),
        _single(between({"gte": "500"}, {"lt": "600"}), "600", False),
        _single(between({"gt": "10"}, {"lt": "20"}), ["5", "25"], False),
        _single(all_of({"gt": "10"}, {"lt": "20"}), ["5", "25"], True),
        _single(but({"gt": "5"}), ["1", "2"], True),
        _single(but({"gt": "5"}), ["1", "9"], False),
        _single({"exists": True}, "", True),
        ({"v": {"exists": True}}, {"w": "x"}, False),
        ({"v": {"exists": False}}, {"w": "x"}, True),
        _single({"exists": False}, [], True),
        _single({"exists": False}, "x", False),
        ({"v": {"exists": False}}, {}, True),
        ({"v": {"exists": False}, "w": equals("x")}, {"w": "x"}, True),
        ({"v": {"exists": False}, "w": equals("x")}, {"v": "1", "w": "x"}, False),
        ({"latency": {"gt": 500}}, {"latency": 501}, True),
        ({"latency": {"gt": 500}}, {"latency": "501", "owner": "x"}, True),
        ({"latency": {"gt": 500}}, {"latency": [1, 600], "owner": None}, True),
        ({"owner": {"exists": False}}, {"latency": [1, 600], "owner": None}, True),
        ({"owner": {"exists": False}}, {"owner": []}, True),
        ({"owner": {"exists": False}}, {"owner": False}, False),
    ],
    "networks": [
        _single({"cidr": network}, address, result)
        for network, address, result in [
            ("10.0.0.0/8", "10.1.2.3", True),
            ("10.0.0.0/8", "11.1.2.3", False),
            ("10.1.2.3/8", "10.200.0.1", True),
            ("10.1.2.3", "10.1.2.3", True),
            ("10.1.2.3", "10.1.2.4", False),
            ("0.0.0.0/0", "8.8.8.8", True),
            ("2001:db8::/32", "2001:db8:1::1", True),
            ("2001:db8::/32", "2001:db9::1", False),
            ("2001:DB8::/32", "2001:DB8::FF", True),
            ("10.0.0.0/8", "::ffff:10.1.2.3", True),
            ("::ffff:10.0.0.0/104", "10.1.2.3", True),
            ("::ffff:0.0.0.0/96", "8.8.8.8", True),
            ("::ffff:0.0.0.0/80", "::ffff:8.8.8.8", False),
            ("::ffff:0.0.0.0/80", "::5", True),
            ("::/0", "10.1.2.3", False),
            ("0.0.0.0/0", "2001:db8::1", False),
            ("10.0.0.0/8", "10.1.2", False),
            ("10.0.0.0/8", "10.1.2.3/8", False),
            ("10.0.0.0/8", "010.1.2.3", False),
            ("10.0.0.0/8", "localhost", False),
        ]
    ]
    + [
        ({"source.ip": {"cidr": "10.0.0.0/8"}}, {"source": {"ip": "10.9.8.7"}}, True),
        ({"source.ip": {"cidr": "10.0.0.0/8"}}, {"source": {"ip": ["192.0.2.1", "10.0.0.1"]}}, True),
        ({"source.ip": {"cidr": "10.0.0.0/8"}}, {"source": {"ip": "192.0.2.1"}}, False),
        ({"source.ip": {"cidr": "10.0.0.0/8"}}, {"source": {"ip": 10}}, False),
    ],
    "choices": [
        (_CHOICE, {"env": "prod", "team": "shop"}, True),
        (_CHOICE, {"env": "prod", "severity": "critical", "escalated": "yes"}, True),
        (_CHOICE, {"env": "prod", "team": "shop", "severity": "critical", "escalated": "yes"}, True),
        (_CHOICE, {"env": "prod", "team": "search"}, False),
        (_CHOICE, {"env": "prod", "severity": "critical"}, False),
        (_CHOICE, {"env": "dev", "team": "shop"}, False),
        (_CHOICE, {}, False),
        (_NESTED, {"a": "1", "b": "2"}, True),
        (_NESTED, {"a": "1", "c": "3", "d": "x"}, True),
        (_NESTED, {"a": "1", "d": "x"}, False),
        (_NESTED, {"a": "1"}, True),
        (_NESTED, {"b": "2"}, False),
        ({"$or": equals("x")}, {"$or": "x"}, True),
        (_SHORTHAND, {"env": "PROD", "latency_ms": "750", "team": "payments"}, True),
        (_SHORTHAND, {"env": "prod", "latency_ms": "7.5e2", "tags": ["urgent", "shop-eu"], "region": "earth"}, True),
        (_SHORTHAND, {"env": "prod", "latency_ms": "1000", "team": "shop"}, False),
        (_SHORTHAND, {"env": "prod", "latency_ms": "750", "team": "shop", "owner": "x"}, False),
    ],
    "JSON": [
        ({"alert.labels.team": equals("db")}, {"alert": {"labels": {"team": "DB"}}}, True),
        ({"tags": all_of(equals("shop"), equals("backend"))}, {"tags": ["shop", "backend", "eu"]}, True),
        ({"items.sku": equals("a-1")}, {"items": [{"sku": "b-2"}, {"sku": "A-1"}]}, True),
        ({"status": equals("500")}, {"status": 500}, True),
        ({"enabled": equals("true")}, {"enabled": True}, True),
        ({"owner": but(equals("x"))}, {"owner": None}, False),
        ({"owner": but(equals("x"))}, {"owner": "y"}, True),
        ({"owner": but(equals("x"))}, {"owner": ["y", "X"]}, False),
        ({"name": {"prefix": "ärger"}}, {"name": "Ärgerlich"}, True),
        ({"a.b": equals("1")}, {"a": {"b": 1}}, True),
        ({"status": equals("500")}, {"unused": {"deep": [1, {"x": "😀"}]}, "status": "500"}, True),
    ],
}

OTHERWISE: list[Case] = [
    ({"status": equals("500")}, {"status": 5e2}, False),
    ({"a.b": equals("1")}, {"a.b": 1}, True),
    ({"owner": {"exists": False}}, {"owner": {"name": "x"}}, True),
]
"""What is answered otherwise here, and listed in docs/predicates.md: numbers compare by value, a dot leads into an
object, and an object is there."""

WRONG: list[tuple[Any, str]] = [
    ({}, "without conditions"),
    ({"": equals("a")}, "at least one character"),
    ({"f": {"bogus": "a"}}, "unknown type"),
    ({"f": {"equals": ""}}, "at least one character"),
    ({"f": {"equals": [equals("b")]}}, "text is expected"),
    ({"f": {"prefix": ""}}, "at least one character"),
    ({"f": {"suffix": [equals("b")]}}, "text is expected"),
    ({"f": {"wildcard": ""}}, "at least one character"),
    ({"f": {"wildcard": "a**b"}}, "two \\* in a row"),
    ({"f": {"anyOf": "a"}}, "array of patterns"),
    ({"f": {"anyOf": []}}, "array of patterns"),
    ({"f": {"allOf": []}}, "array of patterns"),
    ({"f": {"anythingBut": "x"}}, "array of patterns"),
    ({"f": {"anythingBut": []}}, "array of patterns"),
    ({"f": any_of(equals("a"), {"equals": ""})}, r"f\.anyOf\[1\]\.equals"),
    ({"g": equals("a"), "f": all_of(but({"wildcard": "**"}))}, r"f\.allOf\[0\]\.anythingBut\[0\]\.wildcard"),
    ({"f": {}}, "one type"),
    ({"f": {"equals": "a", "prefix": "b"}}, "one type"),
    ({"f": []}, "a pattern is an object"),
    ({"f": "a"}, "a pattern is an object"),
    ({"f": {"equals": 5}}, "eq, lt, lte, gt and gte take numbers"),
    ({"v": {"gt": "abc"}}, "finite number"),
    ({"v": {"lt": ""}}, "finite number"),
    ({"v": {"gte": "1e400"}}, "finite number"),
    ({"v": {"gt": True}}, "finite number"),
    ({"v": {"between": 5}}, "array of patterns"),
    ({"v": {"between": [{"gt": "1"}]}}, "lower end"),
    ({"v": between({"gt": "1"}, {"gte": "2"})}, "lower end"),
    ({"v": between(equals("1"), {"lt": "2"})}, "lower end"),
    ({"v": between({"gt": "1"}, {"lt": "x"})}, r"between\[1\]"),
    ({"v": between({"gt": "5"}, {"lt": "5"})}, "empty"),
    ({"v": between({"gte": "6"}, {"lte": "5"})}, "empty"),
    ({"v": {"exists": "yes"}}, "true or false"),
    ({"v": {"exists": 1}}, "true or false"),
    ({"v": any_of(equals("a"), {"exists": False})}, "whole condition"),
    ({"ip": {"cidr": ""}}, "at least one character"),
    ({"ip": {"cidr": "10.0.0.0/33"}}, "10.0.0.0/33"),
    ({"ip": {"cidr": "10.0.0"}}, "10.0.0"),
    ({"ip": {"cidr": "fe80::1%eth0"}}, "zone"),
    ({"ip": {"cidr": "fe80::/10%eth0"}}, "fe80"),
    ({"ip": {"cidr": "example.com"}}, "example.com"),
    ({"a": equals("1"), "$or": []}, "empty array"),
    ({"$or": [{"a": equals("1")}, {}]}, "without conditions"),
    ({"$or": [{"a": {"equals": ""}}]}, r"\$or\[0\]\.a"),
    ({"$or": ["a"]}, "object of conditions"),
]
