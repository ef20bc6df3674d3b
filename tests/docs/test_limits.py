"""docs/limits.md has the limits that the code has: every option and every field, and the numbers of the constants."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import rows, sections
from watchword import PredicateIndex, SubscriptionSyntaxError
from watchword.feeds import Limits
from watchword.languages import language_options
from watchword.options import Option
from watchword.predicates import language as predicates
from watchword.retention import Retention
from watchword.serve.limits import Limits as ServerLimits
from watchword.spark.feed_source import _Options as FeedOptions

SECTIONS = sections((Path(__file__).parents[2] / "docs" / "limits.md").read_text(encoding="utf-8"))
LANGUAGES = ("Keywords", "Patterns", "Paths", "Predicates", "Properties")
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40, "": 1}
NO_LIMITS = {"min_word_len", "min_split_score", "capacity", "vocabulary", "block"}
"""Options that are numbers and bound nothing."""
NUMBER = r"\d[\d,]*(?:\.\d+)?"


def number(text: str) -> float | bool:
    """Return what a cell says: a size, a number, or off.

    >>> number("8 MiB"), number("2,097,152"), number("off")
    (8388608.0, 2097152.0, False)
    """
    if text == "off":
        return False
    found = re.fullmatch(rf"({NUMBER})(?: ([KMGT]iB))?", text)
    assert found is not None, text
    return float(found[1].replace(",", "")) * UNITS[found[2] or ""]


def table(section: str) -> dict[str, list[str]]:
    """Return the cells of a section's rows by what they are set by, the first name if there are several."""
    return {re.split(r"`[, ]*", cells[2].lstrip("`"))[0]: cells for cells in rows(SECTIONS[section], "what")}


def options(language: str) -> dict[str, Option]:
    """Return the options of a language and of its methods that are numbers."""
    own: Mapping[str, Option] = language_options(language)
    module = import_module(f"watchword.{language}.options")
    methods: Mapping[str, Mapping[str, Option]] = getattr(module, "METHOD_OPTIONS", {})
    all_of_them = dict(own) | {name: option for group in methods.values() for name, option in group.items()}
    return {
        name: option
        for name, option in all_of_them.items()
        if isinstance(option.default, int | float) and not isinstance(option.default, bool) and name not in NO_LIMITS
    }


@pytest.mark.parametrize("section", LANGUAGES)
def test_every_option_that_is_a_limit_is_there(section: str) -> None:
    declared, written = options(section.lower()), table(section)
    plain = {name: cells for name, cells in written.items() if "." not in name and name != "fixed"}
    assert set(plain) == set(declared)
    for name, cells in plain.items():
        assert number(cells[1]) == declared[name].default, name
        most = re.search(rf"up to ({NUMBER}(?: TiB)?)", cells[2])
        if most is not None:
            greatest = int(number(most[1]))
            assert declared[name].check(name, greatest) == greatest
            with pytest.raises(ValueError, match=name):
                declared[name].check(name, greatest + 1)
        else:
            assert declared[name].check(name, 1 << 50) == 1 << 50


def value_of(name: str) -> Any:
    """Return a constant, or the default of an argument: ``watchword.store.Store.open(timeout)``."""
    dotted, _, argument = name.rstrip(")").partition("(")
    parts, found = dotted.split("."), None
    for end in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            found = getattr(found, part)
        break
    return inspect.signature(found).parameters[argument].default if argument else found  # type: ignore[arg-type]


@pytest.mark.parametrize("section", SECTIONS)
def test_constants_have_these_values(section: str) -> None:
    for name, cells in table(section).items():
        if name.startswith("watchword."):
            assert number(cells[1]) == value_of(name), name


def test_every_limit_of_feeds_is_there() -> None:
    written = {name: cells for name, cells in table("Feeds").items() if "." not in name}
    assert {name: number(cells[1]) for name, cells in written.items()} == {
        field.name: field.default for field in fields(Limits)
    }


def test_every_limit_of_the_server_is_there() -> None:
    written = {name: cells for name, cells in table("The server").items() if "." not in name}
    assert {name: number(cells[1]) for name, cells in written.items()} == {
        field.name: field.default for field in fields(ServerLimits)
    }


def test_everything_that_is_forgotten_is_there() -> None:
    kept = {name.rpartition(".")[2] for name in table("The running system") if "Retention" in name}
    assert kept == {field.name for field in fields(Retention)}


def test_the_options_of_the_feed_source() -> None:
    given, written = FeedOptions({"feeds": "a.xml"}), table("Spark")
    assert {name: number(written[name][1]) for name in ("interval", "keep", "rows")} == {
        "interval": given.interval,
        "keep": given.keep,
        "rows": given.rows,
    }


def test_what_is_fixed() -> None:
    fixed = {cells[0]: cells[1] for cells in rows(SECTIONS["Predicates"], "what") if cells[2] == "fixed"}
    assert number(fixed["predicates in one clause"]) == predicates.MORE - 1
    digits = fixed["digits of a number in a subscription"]
    with pytest.raises(SubscriptionSyntaxError, match=f"a number of more than {digits} digits"):
        PredicateIndex().check("a = " + "1" * (int(number(digits)) + 1))
