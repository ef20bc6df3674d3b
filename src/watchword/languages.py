"""The registry of languages: a name, and where its index class lives. Adding a language adds one line here.

Nothing is imported until a language is asked for; its options can be read without loading its methods.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from watchword.errors import OptionError
from watchword.options import Option

if TYPE_CHECKING:
    from watchword.index import Index

LANGUAGES: dict[str, str] = {
    "keywords": "watchword.keywords:KeywordIndex",
    "paths": "watchword.paths:PathIndex",
    "patterns": "watchword.patterns:PatternIndex",
    "predicates": "watchword.predicates:PredicateIndex",
    "properties": "watchword.properties:PropertyIndex",
}


def language_class(language: str) -> type[Index]:
    """Return the index class of a language."""
    module, _, name = _home(language).partition(":")
    found: type[Index] = getattr(import_module(module), name)
    return found


def language_options(language: str) -> Mapping[str, Option]:
    """Return the options that every method of a language has: the `OPTIONS` of the module `options` in its folder.

    A language that is a single file, and has no such module, is loaded to be asked.
    """
    module, _, _ = _home(language).partition(":")
    try:
        options: Mapping[str, Option] = import_module(f"{module}.options").OPTIONS
    except ModuleNotFoundError:
        options = language_class(language).plug.options
    return options


def language_dialects(language: str) -> Mapping[str, Callable[[str], str]]:
    """Return what turns rules of other systems into subscriptions of a language: the `DIALECTS` of its `dialects`.

    >>> language_dialects("predicates")["eventbridge"]('{"state": ["open"]}')
    "state = 'open'"
    >>> language_dialects("keywords")
    {}
    """
    module, _, _ = _home(language).partition(":")
    try:
        dialects: Mapping[str, Callable[[str], str]] = import_module(f"{module}.dialects").DIALECTS
    except ModuleNotFoundError:
        dialects = {}
    return dialects


def rule_files(language: str, dialect: str | None) -> Callable[..., Any] | None:
    """Return what reads the rules of a folder or a dump, for a dialect that has files of its own; for others None.

    >>> rule_files("predicates", "sns") is None, rule_files("keywords", None) is None
    (True, True)
    """
    if dialect not in language_dialects(language):
        return None
    module, _, _ = _home(language).partition(":")
    found: Callable[..., Any] | None = import_module(f"{module}.dialects").RULE_FILES.get(dialect)
    return found


def methods(language: str) -> list[str]:
    """Return the names of a language's methods, `auto` first.

    >>> methods("keywords")[:3]
    ['auto', 'brute', 'brute-ordered']
    """
    return list(language_class(language).methods)


def _home(language: str) -> str:
    if language not in LANGUAGES:
        raise OptionError(f"no language {language!r}; there are: {', '.join(LANGUAGES)}")
    return LANGUAGES[language]
