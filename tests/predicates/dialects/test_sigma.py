"""Sigma rules: documented behaviour by hand, random rules against an evaluator that knows Sigma only, hostile YAML."""

from __future__ import annotations

import doctest
from importlib import import_module
from textwrap import dedent

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import sigma_oracle
from watchword import PredicateIndex
from watchword.errors import OptionError, SubscriptionError
from watchword.predicates import from_sigma
from watchword.predicates.dialects.sigma.errors import SigmaError

HOME = "watchword.predicates.dialects.sigma"
MODULES = ("documents", "values", "modifiers", "selections", "conditions", "log_sources", "rules", "files")

EVENT = {
    "EventID": 1,
    "Level": "4",
    "Image": "C:\\Windows\\System32\\cmd.exe",
    "CommandLine": 'cmd.exe /c powershell -enc SQBFAFgA "50% off_now" *',
    "User": "NT AUTHORITY\\SYSTEM",
    "Empty": "",
    "Nothing": None,
    "Elevated": True,
    "Ratio": 1.5,
    "DestinationIp": "10.1.2.3",
    "Hashes": ["MD5=abc", "SHA1=def"],
    "userIdentity": {"type": "Root"},
    "cs-method": "GET",
    "day": "2024-01-01T00:00:00Z",
    "Message": "Service EvilService was installed: pwsh 4711",
}


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    outcome = doctest.testmod(import_module(f"{HOME}.{name}"))
    assert outcome.attempted and not outcome.failed


def test_examples_of_the_evaluator() -> None:
    assert doctest.testmod(sigma_oracle).failed == 0


def rule(selection: str, condition: str = "selection", **others: str) -> str:
    """Return a rule of one selection in YAML's flow style, and of others by name."""
    named = "".join(f"  {name}: {text}\n" for name, text in {"selection": selection, **others}.items())
    return f"title: T\nlogsource: {{product: windows}}\ndetection:\n{named}  condition: {condition}\n"


def matches(text: str, event: dict) -> bool:
    index = PredicateIndex({"rule": from_sigma(text)}, text=["Message"])
    return index.match(event) == ["rule"]


@pytest.mark.parametrize(
    ("selection", "matched"),
    [
        ("{EventID: 1}", True),
        ("{EventID: '1'}", True),
        ("{EventID: 01}", True),
        ("{EventID: '01'}", False),
        ("{EventID: [4688, 1]}", True),
        ("{Level: 4}", True),
        ("{Level: 0x4}", True),
        ("{Level: '0x4'}", False),
        ("{Ratio: 1.5}", True),
        ("{Ratio: '1.5'}", True),
        ("{Ratio: '1.50'}", False),
        ("{Elevated: true}", True),
        ("{Elevated: 'TRUE'}", True),
        ("{Elevated: 1}", False),
        (r"{Image: 'c:\windows\system32\CMD.EXE'}", True),
        (r"{Image|cased: 'c:\windows\system32\CMD.EXE'}", False),
        (r"{Image|cased: 'C:\Windows\System32\cmd.exe'}", True),
        (r"{Image: 'C:\\Windows\\System32\\cmd.exe'}", True),
        (r"{Image: 'C:\\*\\cmd.exe'}", True),
        (r"{Image: '*\cmd.exe'}", True),
        (r"{Image: '*\\cmd.exe'}", True),
        (r"{Image: 'C:\Windows\*'}", False),
        (r"{Image: 'C:\Windows\\*'}", True),
        (r"{Image: '*\cmd.???'}", True),
        (r"{Image: '*\cmd.????'}", False),
        (r"{CommandLine|endswith: '\*'}", True),
        (r"{CommandLine|endswith: '\?'}", False),
        (r"{CommandLine|contains: '50% off_now'}", True),
        (r"{CommandLine|contains: '50_ off_now'}", False),
        (r"{CommandLine: '*50% off?now*'}", True),
        (r"{CommandLine: '*5%_off?now*'}", False),
        ("{CommandLine|contains|all: [POWERSHELL, ' -enc ']}", True),
        ("{CommandLine|contains|all: [POWERSHELL, ' -nop ']}", False),
        ("{CommandLine|contains: [POWERSHELL, ' -nop ']}", True),
        ("{CommandLine|contains|cased: POWERSHELL}", False),
        ("{CommandLine|windash|contains: ' -c '}", True),
        ("{CommandLine|contains|windash: ' /enc '}", True),
        ("{CommandLine|contains|all|windash: [' -c ', ' /enc ']}", True),
        ("{CommandLine|windash|contains|all: [' -c ', ' /nop ']}", False),
        ("{CommandLine|wide|base64offset|contains: 'IEX'}", True),
        ("{CommandLine|utf16le|base64|contains: 'IEX'}", True),
        ("{CommandLine|base64offset|contains: 'IEX'}", False),
        ("{User|startswith: nt authority}", True),
        ("{Empty: ''}", True),
        ("{Empty: null}", False),
        ("{Nothing: null}", True),
        ("{Nothing: ''}", False),
        ("{Missing: }", True),
        ("{Missing: [null, x]}", True),
        ("{Missing: '*'}", False),
        ("{EventID: '*'}", True),
        ("{Empty: '*'}", True),
        ("{Empty: '?*'}", False),
        ("{EventID|exists: true, Missing|exists: false}", True),
        ("{EventID|exists: no}", False),
        ("{DestinationIp|cidr: 10.0.0.0/8}", True),
        ("{DestinationIp|cidr: ['192.168.0.0/16', '::1/128']}", False),
        ("{EventID|gt: 0, Ratio|lte: 1.5}", True),
        ("{EventID|lt: 1}", False),
        ("{Level|gte: 4}", False),  # a number in a text has no order
        ("{EventID|neq: 2}", True),
        ("{EventID|neq: [1, 2]}", False),
        ("{Missing|neq: x}", True),
        ("{Hashes|contains: 'sha1=DEF'}", True),
        ("{Hashes|contains|all: [md5=, sha1=]}", True),
        ("{userIdentity.type: root}", True),
        ("{cs-method: get}", True),
        ("{day: '2024-01-01T00:00:00Z'}", True),
        ("{day: '2024-01-01T01:00:00+01:00'}", False),
        ("{day|cased: '2024-01-01T00:00:00Z'}", True),
        ("{day|cased: '2024-01-01T01:00:00+01:00'}", False),
        ("[{EventID: 2}, {Image|endswith: cmd.exe, Level: 4}]", True),
        ("[{EventID: 2}, {Image|endswith: cmd.exe, Level: 5}]", False),
        ("[evilservice, other]", True),
        ("['other', 4711]", True),
        ("[EvilService*pwsh]", True),
        ("EvilService?pwsh", False),
        ("{'|all': [evilservice, pwsh]}", True),
        ("{'|all': [evilservice, bash]}", False),
        ("{'|cased': [evilservice]}", False),
        ("[cmd.exe]", False),  # it is in another attribute than Message
        ("[evilservice, {EventID: 2}]", True),
    ],
)
def test_selections(selection: str, matched: bool) -> None:
    text = rule(selection)
    assert sigma_oracle.compiled(yaml.safe_load(text))(sigma_oracle.View(EVENT, ("Message",))) is matched
    assert matches(text, EVENT) is matched


@pytest.mark.parametrize(
    ("condition", "matched"),
    [
        ("selection", True),
        ("not selection", False),
        ("selection and not filter_a", True),
        ("filter_a or selection and filter_b", False),
        ("(filter_a or selection) and not filter_b", True),
        ("not filter_a and not filter_b", True),
        ("not (filter_a or selection)", False),
        ("not not selection", True),
        ("1 of filter_*", False),
        ("1 of them", True),
        ("any of selection*", True),
        ("all of them", False),
        ("all of selection*", True),
        ("selection and not 1 of filter*", True),
        ("all of *tion", True),
        ("SELECTION", None),
        ("selection AND NOT filter_a", True),
        ("[filter_a, selection]", True),
        ("[filter_a, filter_b]", False),
        ("_hidden", True),
    ],
)
def test_conditions(condition: str, matched: bool | None) -> None:
    text = rule("{EventID: 1}", condition, filter_a="{EventID: 2}", filter_b="{Level: 5}", _hidden="{Level: 4}")
    if matched is None:
        with pytest.raises(SigmaError, match="no selection 'SELECTION'; there are selection, filter_a"):
            from_sigma(text)
        return
    assert matches(text, EVENT) is matched


@pytest.mark.parametrize(
    ("selection", "condition", "line", "says"),
    [
        ("{a|re: 'x+'}", "selection", 4, "|re: regular expressions are not there yet"),
        ("{a|re|i: 'x+'}", "selection", 4, "|re: regular expressions are not there yet"),
        ("{a|fieldref: b}", "selection", 4, "two fields"),
        ("{a|expand: '%x%'}", "selection", 4, "write the values in its place"),
        ("{a|hour: 3}", "selection", 4, "parts of dates"),
        ("{a|contain: x}", "selection", 4, "there is no such modifier; there are all, base64"),
        ("{a|cidr|contains: 10.0.0.0/8}", "selection", 4, "|cidr does not go together with |contains"),
        ("{a|cidr: 10.0.0.1/8}", "selection", 4, "host bits"),
        ("{a|gt: x}", "selection", 4, "|gt compares numbers, and 'x' is none"),
        ("{a|exists: 1}", "selection", 4, "|exists is true or false, not 1"),
        ("{a|contains: 5}", "selection", 4, "|contains is about texts; put 5 into quotes"),
        ("{a|contains: null}", "selection", 4, "put null into quotes"),
        ("{a|wide: x}", "selection", 4, "add |base64offset|contains"),
        ("{a|base64: 'x*'}", "selection", 4, "write |contains after it"),
        ("{a|base64offset|contains: x}", "selection", 4, "give a longer text"),
        ("{a|wide|contains: x}", "selection", 4, "does not follow an encoding"),
        ("{a: {b: 1}}", "selection", 4, "no map"),
        ("{a: [[1]]}", "selection", 4, "no lists or maps in it"),
        ("{a: []}", "selection", 4, "write null"),
        ("{a: 2024-01-01}", "selection", 4, "as a date; put it into quotes"),
        ("{a: .nan}", "selection", 4, "no number to compare with"),
        ("{}", "selection", 4, "name a field"),
        ("[]", "selection", 4, "empty list"),
        ("[null]", "selection", 4, "null is no keyword"),
        ("['*']", "selection", 4, "an empty keyword"),
        ("{'|startswith': x}", "selection", 4, "needs a field"),
        ("{a: 1}", "selection | count() > 5", 5, "'| count' counts or joins"),
        ("{a: 1}", "2 of selection*", 5, "'2 of' is not known"),
        ("{a: 1}", "1 of filter*", 5, "no selection is named like 'filter*'; there are selection"),
        ("{a: 1}", "1 of", 5, "after 'of'"),
        ("{a: 1}", "(selection", 5, "add the closing )"),
        ("{a: 1}", "selection)", 5, "before ')'"),
        ("{a: 1}", "selection and", 5, "before 'the end'"),
        ("{a: 1}", "selection selection", 5, "expected and, or"),
        ("{a: 1}", "''", 5, "before 'the end'"),
        ("{a: 1}", "not " * 40 + "selection", 5, "nested deeper than 32"),
        ("{a: 1}", "selection\n  timeframe: 5m", 6, "timeframe: it counts events over time"),
        ("{a: 1}", "selection\ncorrelation: {}", 6, "correlation: a correlation joins several events"),
        ("{a: 1}", "selection\naction: global", 6, "write each rule as a whole"),
        ("{a: 1}", "{x: 1}", 4, "a text, or a list of texts"),
        ("{a: 1, a: 2}", "selection", 4, "the key 'a' stands twice"),
    ],
)
def test_what_cannot_be_said_names_rule_line_and_remedy(selection: str, condition: str, line: int, says: str) -> None:
    with pytest.raises(SigmaError) as caught:
        from_sigma(rule(selection, condition))
    assert (caught.value.line, caught.value.rule if line else "") == (line, caught.value.rule)
    assert says in str(caught.value) and f"line {line}" in str(caught.value)
    assert caught.value.rule in ("T", "") and str(caught.value.at_row(7)).startswith("row 7: ")


def test_a_selection_that_no_condition_uses_is_not_read() -> None:
    assert from_sigma(rule("{a: 1}", unused="{b|re: x}")) == "a IN (1, '1')"


def bomb(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{at}: &a{at} [{', '.join([f'*a{at - 1}'] * 10)}]" for at in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (bomb(12), "line 5: more than 100,000 values"),
        ("a: &x [*x]", "refers to a list or map that it stands in"),
        ("a: *x", "undefined alias|refers to no anchor"),
        ("a: !!python/object/apply:os.system ['true']", "line 1: the tag"),
        ("a: !!str 5", "the tag tag:yaml.org,2002:str is not read"),
        ("[" * 5000, "line 1: nested deeper than 32"),
        ("{a: " * 5000, "line 1: nested deeper than 32"),
        ("a: " + "x" * (1 << 20), "too many; 1,048,576 are read"),
        ("- x\n" * 150_000, "more than 100,000 values"),
        ("<<: {a: 1}", "merge keys"),
        ("? [a]\n: b", "a key is a text"),
        ("a: 'x", "line 1: no YAML: "),
        ("a: b\n\tc: d", "line 2: no YAML: "),
        ("a: \x00", "no YAML"),
        ("a: \ud800", "surrogate"),
        ("", "found 0 documents"),
        ("a: 1\n---\nb: 2", "found 2 documents"),
        ("- a", "a rule is a map"),
        ("title: x", "a rule has a detection"),
        ("detection: {a: {b: 1}}", "has a condition"),
        (b"title: \xff", "not UTF-8 at byte 7"),
        (7, "not int"),
    ],
)
def test_hostile_yaml_is_refused(text: str | bytes, says: str) -> None:
    with pytest.raises(SigmaError, match=says.replace("(", r"\(").replace("<", r"\<")):
        from_sigma(text)  # type: ignore[arg-type]


def test_texts_that_multiply_are_bounded() -> None:
    with pytest.raises(SigmaError, match="more than 4,194,304 characters; split the rule"):
        from_sigma(rule(f"{{a|windash|contains: '{' -x' * 12}'}}"))
    condition = " or ".join(["selection"] * 3_000)
    with pytest.raises(SigmaError, match="more than 4,194,304 characters"):
        from_sigma(rule(f"{{a: {'x' * 2_000}}}", condition))
    assert len(from_sigma(rule("{a|windash|contains: ' -x -y -z'}")).split(" OR ")) == 125


def test_an_alias_is_a_copy() -> None:
    text = rule("&one {EventID: 1}", "selection and other", other="*one")
    assert from_sigma(text) == "EventID IN (1, '1') AND EventID IN (1, '1')"


def test_log_sources_add_their_conditions() -> None:
    sources = {
        "product: windows": "os = 'w' OR os = 'win'",
        "category: process_creation, product: windows": "EventID = 1",
        "category: dns": "EventID = 22",
    }
    text = dedent("""
        logsource: {product: windows, category: process_creation, definition: x}
        detection: {a: {b: x}, condition: a}
    """)
    said = "(os = 'w' OR os = 'win') AND (EventID = 1) AND b = 'x' IGNORING CASE"
    assert from_sigma(text, log_sources=sources) == said
    assert from_sigma(text) == "b = 'x' IGNORING CASE"
    for wrong in ({"windows": "a = 1"}, {"os: x": "a = 1"}, {"product: x": ""}, {"product: x": 5}):
        with pytest.raises(OptionError, match="log source"):
            from_sigma(text, log_sources=wrong)  # type: ignore[arg-type]


WORDS = st.sampled_from(["1", "12", "-a", "/a", "a -b", "A /b", "Ab", "50%", "a\\\\*", "*a", "true"])
TEXTS = st.one_of(WORDS, st.text(alphabet="aAbß-/*?\\ %_!'1.é", max_size=6))
SCALARS = st.one_of(TEXTS, st.integers(-2, 12), st.sampled_from([1.5, 1.0, True, False, None, "1", "12", "true", "01"]))
FIELDS = st.sampled_from(["a", "b", "c.d", "m"])
CHANGES = st.sampled_from(["contains", "startswith", "endswith", "windash|contains", "base64offset|contains", ""])


@st.composite
def items(draw: st.DrawFn) -> tuple[str, object]:
    field, change = draw(FIELDS), draw(CHANGES)
    if "base64" in change:
        values: object = draw(st.lists(st.text("aB1 ", min_size=2, max_size=4), min_size=1, max_size=2))
    elif change:
        values = draw(st.lists(TEXTS, min_size=1, max_size=3))
    else:
        special = draw(st.sampled_from(["", "", "", "exists", "gt", "lte", "neq"]))
        if special == "exists":
            return f"{field}|exists", draw(st.booleans())
        if special in ("gt", "lte"):
            return f"{field}|{special}", draw(st.integers(-2, 12))
        values, change = draw(st.lists(SCALARS, min_size=1, max_size=3)), special
    flags = draw(st.sampled_from(["", "", "|all", "|cased", "|all|cased"]))
    return "|".join(part for part in (field, change) if part) + flags, values


KEYWORDS = st.lists(
    st.text("abA1?", min_size=1, max_size=3).filter(lambda text: set(text) - {"*"}), min_size=1, max_size=2
)
MAPS = st.lists(items(), min_size=1, max_size=2).map(dict)
SELECTIONS = st.one_of(MAPS, st.lists(MAPS, min_size=1, max_size=2), KEYWORDS)
CONDITIONS = st.sampled_from(
    [
        "s1",
        "s1 and not s2",
        "not s1",
        "1 of s*",
        "all of them",
        "s1 or s2 and not t",
        "not (s1 or t) or s2",
        "not 1 of s* and t",
        ["s1 and t", "s2"],
    ]
)
RULES = st.builds(
    lambda s1, s2, t, condition: {"detection": {"s1": s1, "s2": s2, "t": t, "condition": condition}},
    SELECTIONS,
    SELECTIONS,
    SELECTIONS,
    CONDITIONS,
)
VALUES = st.recursive(
    st.one_of(TEXTS, st.text("abAB1QRFISEhZmVv ", max_size=8), SCALARS),
    lambda inner: st.lists(inner, max_size=2),
    max_leaves=3,
)
EVENTS = st.fixed_dictionaries(
    {}, optional={"a": VALUES, "b": VALUES, "m": VALUES, "c": st.fixed_dictionaries({}, optional={"d": VALUES})}
)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.lists(RULES, min_size=1, max_size=6), st.lists(EVENTS, min_size=1, max_size=6))
def test_random_rules_and_events_agree_with_the_evaluator(rules: list[dict], events: list[dict]) -> None:
    texts = [yaml.safe_dump(one, allow_unicode=True, sort_keys=False) for one in rules]
    index = PredicateIndex(text=["m"], max_clauses=1 << 14)
    for at, text in enumerate(texts):
        index[at] = from_sigma(text)
    wanted = [sigma_oracle.compiled(yaml.safe_load(text)) for text in texts]
    for event in events:
        view = sigma_oracle.View(event, ("m",))
        assert index.match(event) == [at for at, holds in enumerate(wanted) if holds(view)]
    found = index.match_many(events)
    pairs = sorted(zip(found["event"].to_pylist(), found["subscription"].to_pylist(), strict=True))
    views = [sigma_oracle.View(event, ("m",)) for event in events]
    assert pairs == [(e, at) for e, view in enumerate(views) for at, holds in enumerate(wanted) if holds(view)]


def test_every_error_is_a_subscription_error() -> None:
    assert issubclass(SigmaError, SubscriptionError)
