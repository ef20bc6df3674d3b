r"""The path language: a linear XPath expression into steps.

    path  := ["/" | "//"] step (("/" | "//") step)* ["/" "@" name]
    step  := (name | "*") test*
    test  := "[" "@" name ["=" value] "]"  |  "[" "text()" "=" value "]"
    value := "'" any text without it "'"  |  '"' any text without it '"'

A path without a leading slash may begin anywhere, as if it began with ``//``. ``/@id`` at the end asks the last element
for the attribute, and is the same as ``[@id]``. White space may stand around every sign. A name is written as documents
write it, prefix included; where the index has `namespaces`, a prefix stands for its namespace, ``{uri}name`` says it in
full, and a name without either is in none.

What else XPath has is refused with the remedy, never read as something else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

from watchword.errors import SubscriptionSyntaxError
from watchword.likeness import hinted
from watchword.paths.options import MAX_LENGTH, MAX_STEPS
from watchword.visible import shown

XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"
SUPPORTED = "supported are /, //, *, names, [@name], [@name='value'], [text()='value'] and /@name at the end"


class Test(NamedTuple):
    """A test of an element: of an attribute, or of its text if `attribute` is None; any value if `value` is None."""

    attribute: str | None
    value: str | None

    def __str__(self) -> str:
        subject = "text()" if self.attribute is None else f"@{self.attribute}"
        return f"[{subject}]" if self.value is None else f"[{subject}={quoted(self.value)}]"


class Step(NamedTuple):
    """One step: its axis, the name asked for or None for `*`, and the tests, each once, in one order."""

    descendant: bool
    name: str | None
    tests: tuple[Test, ...]

    def __str__(self) -> str:
        return f"{'//' if self.descendant else '/'}{self.name or '*'}{''.join(map(str, self.tests))}"


def parse(
    text: Any,
    namespaces: Mapping[str, str] | None = None,
    max_length: int = MAX_LENGTH,
    max_steps: int = MAX_STEPS,
) -> tuple[Step, ...]:
    """Return the steps of a subscription.

    >>> [str(step) for step in parse("a/*[@id]//b[@x = '1']/@y")]
    ['//a', '/*[@id]', "//b[@x='1'][@y]"]
    """
    if not isinstance(text, str):
        raise SubscriptionSyntaxError(
            f"a path subscription is a str, not {type(text).__name__}", text=repr(text)[:200], position=0
        )
    if len(text) > max_length:
        raise SubscriptionSyntaxError(
            f"the path has {len(text):,} characters, more than max_length={max_length:,}; "
            "shorten it, or make the index with a larger max_length",
            text=text,
            position=max_length,
        )
    try:
        steps = _quickly(text) or _Parser(text, namespaces).path()
    except SubscriptionSyntaxError as error:
        raise hinted(error, "paths") from None
    if len(steps) > max_steps:
        raise SubscriptionSyntaxError(
            f"the path has {len(steps):,} steps, more than max_steps={max_steps:,}; "
            "shorten it, or make the index with a larger max_steps",
            text=text,
            position=0,
        )
    return steps


_LOCAL = r"[^\W\d][\w.\-·]*"
_QUICK_STEP = re.compile(rf"(//?)(\*|{_LOCAL})((?:\[(?:@{_LOCAL}|text\(\))(?:='[^']*'|=\"[^\"]*\")?\])*)")
_QUICK_TEST = re.compile(rf"\[(?:@({_LOCAL})|text\(\))(?:=(?:'([^']*)'|\"([^\"]*)\"))?\]")


def _quickly(text: str) -> tuple[Step, ...] | None:
    """Return the steps of a plain path, without white space and prefixes; None for any other."""
    text = text if text.startswith("/") else f"//{text}"
    steps, at = [], 0
    while at < len(text):
        found = _QUICK_STEP.match(text, at)
        if found is None:
            return None
        at = found.end()
        axis, name, brackets = found.groups()
        tests = {
            Test(attribute, one if one is not None else other)
            for attribute, one, other in (test.groups() for test in _QUICK_TEST.finditer(brackets))
        }
        if any(test.attribute is None and test.value is None for test in tests):
            return None
        steps.append(Step(axis == "//", None if name == "*" else name, _sort_tests(tests) if tests else ()))
    return tuple(steps)


_SPACE = re.compile(r"\s*")
_AXIS = re.compile(r"//?")
_NAME = re.compile(r"(?:\{([^{}]*)\})?(?:([^\W\d][\w.\-·]*):(?!:))?([^\W\d][\w.\-·]*)")
_VALUE = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_REMEDIES = [
    (re.compile(r"\.\."), "a path only goes down"),
    (re.compile(r"\."), "a path names elements"),
    (re.compile(r"\|"), "subscribe to each path by itself"),
    (re.compile(r"[\w.\-]+\s*::"), "axes are written / and //"),
    (re.compile(r"[\w.\-]+:\*"), "a name is written in full, or * for any"),
    (re.compile(r"[\w.\-]+\s*\("), "functions are not known"),
    (re.compile(r"\$"), "variables are not known"),
    (re.compile(r"\("), "a path has no parentheses"),
]
"""The constructs of XPath that this language lacks, each with the remedy."""
_AXIS_REMEDIES = [
    *_REMEDIES,
    (re.compile(r":"), "a name is written in full, or * for any"),
    (re.compile(r"(?i:and|or|not)\b"), "a subscription is one path: subscribe to each by itself"),
]
_TEST_REMEDIES = [
    (re.compile(r"\d+\s*\]|position\s*\(|last\s*\("), "positions of elements are not asked for"),
    (re.compile(r"\.\s*="), "an element's text is asked for by text()='value'"),
    (re.compile(r"not\s*\("), "a test cannot be negated"),
    (re.compile(r"[\w.\-]+\s*\("), "functions are not known"),
    (re.compile(r"[^\W\d]"), "children cannot be tested; a path may go on to them"),
]
_CLOSING_REMEDIES = [
    (re.compile(r"or\b"), "there is no or: subscribe to each path by itself"),
    (re.compile(r"!=|[<>]"), "values are compared by = only"),
]


class _Parser:
    """Reads one text from left to right."""

    def __init__(self, text: str, namespaces: Mapping[str, str] | None) -> None:
        self._text, self._namespaces, self._at = text, namespaces, 0

    def path(self) -> tuple[Step, ...]:
        self._skip()
        if self._at == len(self._text):
            self._refuse("a path may not be empty; //* asks for any element")
        steps: list[Step] = []
        while self._at < len(self._text):
            descendant = self._axis(first=not steps)
            if self._sees("@"):
                steps = self._attribute(steps, descendant)
                break
            steps.append(self._step(descendant))
        return tuple(steps)

    def _axis(self, *, first: bool) -> bool:
        found = self._take(_AXIS)
        if found is None:
            if first:
                return True
            self._refuse("expected / or //", _AXIS_REMEDIES)
        if self._at == len(self._text):
            self._refuse("a path ends with a name, * or @name")
        if self._sees("/"):
            self._refuse("expected a name or * behind the slashes")
        return found[0] == "//"

    def _step(self, descendant: bool) -> Step:
        name = None
        if self._sees("*"):
            self._at += 1
            self._skip()
        else:
            name = self._name("expected a name, * or @name", element=True)
        tests: set[Test] = set()
        while self._sees("["):
            tests.add(self._test())
        return Step(descendant, name, _sort_tests(tests))

    def _attribute(self, steps: list[Step], descendant: bool) -> list[Step]:
        """Return the steps with the attribute that the path ends with among the tests of the last."""
        begin = self._at
        self._at += 1
        self._skip()
        if self._sees("*"):
            self._refuse("an attribute has a name; //*[@name] asks for one that any element has")
        test = Test(self._name("expected the name of an attribute", element=False), None)
        if self._sees("="):
            self._refuse(f"a value is asked for by [@{test.attribute}='value'] behind the element")
        if self._at < len(self._text):
            self._refuse("a path ends with its attribute", [])
        if descendant and steps:
            self._at = begin
            whole = "".join(map(str, steps)).removeprefix("//")
            self._refuse(
                f"//@ asks the element itself and all below it: subscribe to {whole}/@{test.attribute} "
                f"and to {whole}//*/@{test.attribute}"
            )
        if not steps:
            if not descendant:
                self._refuse("the document has no attributes; //@name asks any element")
            return [Step(True, None, (test,))]
        last = steps[-1]
        return [*steps[:-1], last._replace(tests=_sort_tests({*last.tests, test}))]

    def _test(self) -> Test:
        self._at += 1
        self._skip()
        if self._sees("@"):
            self._at += 1
            self._skip()
            attribute: str | None = self._name("expected the name of an attribute", element=False)
        elif self._take(re.compile(r"text\s*\(\s*\)")) is not None:
            attribute = None
        else:
            self._refuse("expected @name or text()", _TEST_REMEDIES)
        value = None
        if self._sees("="):
            self._at += 1
            self._skip()
            found = self._take(_VALUE)
            if found is None:
                self._refuse("expected a value in quotes", [])
            value = found[1] if found[1] is not None else found[2]
        elif attribute is None:
            self._refuse("expected = and a value in quotes", [])
        if not self._sees("]"):
            self._refuse("expected ]; several tests are written [@a][@b]", _CLOSING_REMEDIES)
        self._at += 1
        self._skip()
        return Test(attribute, value)

    def _name(self, expected: str, *, element: bool) -> str:
        begin = self._at
        for pattern, _ in _REMEDIES:
            if pattern.match(self._text, begin):
                self._refuse(expected, _REMEDIES)
        found = self._take(_NAME)
        if found is None:
            self._refuse(expected, _REMEDIES)
        uri, prefix, local = found.groups()
        if self._namespaces is None:
            if uri is not None:
                self._at = begin
                self._refuse("names are compared as written; make the index with namespaces={…} for {uri}name", [])
            return f"{prefix}:{local}" if prefix else str(local)
        if uri is not None and prefix:
            self._at = begin
            self._refuse("a name has a namespace or a prefix, not both", [])
        if prefix:
            uri = self._namespaces.get(prefix, XML_NAMESPACE if prefix == "xml" else None)
            if uri is None:
                self._at = begin
                known = ", ".join(sorted({*self._namespaces, "xml"}))
                self._refuse(f"no namespace has the prefix {shown(prefix)}; there are: {known}", [])
        return f"{uri}}}{local}" if uri else str(local)

    def _sees(self, sign: str) -> bool:
        return self._text.startswith(sign, self._at)

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self._text, self._at)
        if found is not None:
            self._at = found.end()
            self._skip()
        return found

    def _skip(self) -> None:
        found = _SPACE.match(self._text, self._at)
        self._at = found.end() if found is not None else self._at

    def _refuse(self, message: str, remedies: list[tuple[re.Pattern[str], str]] | None = None) -> NoReturn:
        for pattern, remedy in remedies or ():
            if pattern.match(self._text, self._at):
                message = f"{remedy}; {SUPPORTED}"
                break
        raise SubscriptionSyntaxError(message, text=self._text, position=self._at)


def _sort_tests(tests: set[Test]) -> tuple[Test, ...]:
    return tuple(sorted(tests, key=lambda test: (test.attribute or "", test.value is not None, test.value or "")))


def quoted(value: str) -> str:
    """Return a value in quotes."""
    return f'"{value}"' if "'" in value else f"'{value}'"
