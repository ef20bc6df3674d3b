"""Errors of the library in the words of the command line: its flags, not the arguments of Python.

>>> in_flags("write OR; literal_operators=True reads all of them as words")
'write OR; --literal-operators reads all of them as words'
>>> in_flags("its OR and NOT multiply into more than max_clauses=256 clauses")
'its OR and NOT multiply into more than 256 clauses; --set max_clauses=NUMBER sets this limit'
"""

from __future__ import annotations

import re
from functools import cache, partial

from watchword.languages import LANGUAGES, language_options
from watchword.options import Option

QUOTES = "\"'"
_VALUE = r"""(\[[^]]*]|\{[^}]*}|"[^"]*"|'[^']*'|\w+)"""


def in_flags(message: str) -> str:
    """Return a message of the library for people at a shell. Only its first line is changed: the others show a text."""
    first, newline, rest = message.partition("\n")
    for name, option in flagged_options().items():
        first = re.sub(rf"\b{name}={_VALUE}", partial(_written, name, option), first)
        first = re.sub(rf"^((?:.*: )?){name} (is|must|has)\b", rf"\1{flag_of(name)} \2", first)
    limits = dict.fromkeys(re.findall(r"\b(max_\w+)=[\d,]+", first))
    first = re.sub(r"\bmax_\w+=([\d,]*\d)", r"\1", first)
    first = re.sub(r"\braise (max_\w+)", r"raise it with --set \1=NUMBER", first)
    first = re.sub(r"\bmake the index with a larger (max_\w+)", r"give a larger --set \1=NUMBER", first)
    first = re.sub(r"^(max_\w+ must)\b", r"--set \1", first)
    for name in limits:
        first += "" if f"--set {name}=" in first else f"; --set {name}=NUMBER sets this limit"
    return first + newline + rest


def flag_of(name: str) -> str:
    """Return the flag of an option: ``--stop-words``."""
    return "--" + parameter_of(name).replace("_", "-")


def parameter_of(name: str) -> str:
    """Return the parameter of a command that gives an option; ``--text`` is a column of the events."""
    return "text_attributes" if name == "text" else name


def _written(name: str, option: Option, found: re.Match[str]) -> str:
    match option.flag:
        case "switch":
            return flag_of(name)
        case "words" | "json":
            return f"{flag_of(name)} FILE"
        case _:
            return f"{flag_of(name)} {found[1].strip(QUOTES)}"


@cache
def flagged_options() -> dict[str, Option]:
    """Return the options of all languages that have a flag of their own."""
    every = {name: option for language in LANGUAGES for name, option in sorted(language_options(language).items())}
    return {name: option for name, option in every.items() if option.flag is not None}
