"""`Reading`: how the texts of attributes are read, as the options `text` and `reading` of an index say.

    text=["title", "body"]                                            MATCHES 'ferry' without an attribute reads these
    reading={"*": {"fold_accents": True}, "body": {"stemmer": "english"}}   options of the languages inside, for all
                                                                      attributes and for single ones

An attribute is named from the event on, also where ANY asks for it. A `MATCHES` without an attribute reads all its
attributes with the options for all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from watchword.errors import OptionError
from watchword.predicates.hierarchies import written
from watchword.predicates.predicate import Path, Predicate, show_path
from watchword.predicates.query import attribute_of

if TYPE_CHECKING:
    from watchword.index import Language
    from watchword.keywords.query import Grammar
    from watchword.paths.compiler import Compiler

    Plug = TypeVar("Plug", bound=Language)

ALL = "*"
"""Stands for all attributes in the option `reading`."""


class Reading:
    """The attributes that are read where none is named, and the options of the languages inside, by attribute."""

    def __init__(self, text: Sequence[Path] = (), options: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self.text, self._options = tuple(text), options or {}
        self._grammars: dict[Path, Grammar] = {}

    def inside(self, path: Path) -> Reading:
        """Return the reading as it is seen from the objects of an attribute.

        >>> Reading([("orders", "note"), ("body",)]).inside(("orders",)).text
        (('note',),)
        """
        start, size = show_path(path) + ".", len(path)
        kept = {name.removeprefix(start): given for name, given in self._options.items() if name.startswith(start)}
        texts = [one[size:] for one in self.text if one[:size] == path and len(one) > size]
        return Reading(texts, {**kept, ALL: self._options.get(ALL, {})})

    def given(self) -> dict[str, Any]:
        """Return the options from which it was made."""
        return {"text": [show_path(path) for path in self.text], "reading": self._options}

    def options(self, plug: type[Language], path: Path) -> dict[str, Any]:
        """Return the options with which a language reads an attribute; the empty path is read as all attributes."""
        from watchword.index.language import settle_options

        given = {**self._options.get(ALL, {}), **(self._options.get(show_path(path), {}) if path else {})}
        return settle_options(plug, "auto", {name: value for name, value in given.items() if name in plug.options})

    def make(self, plug: type[Plug], path: Path) -> Plug:
        """Return an empty index that reads an attribute."""
        return plug("auto", self.options(plug, path))

    def grammar(self, path: Path) -> Grammar:
        """Return how words of an attribute are written and read; made once for an attribute."""
        from watchword.keywords.language import Keywords
        from watchword.keywords.query import grammar_of

        found = self._grammars.get(path)
        if found is None:
            found = self._grammars[path] = grammar_of(self.options(Keywords, path))
        return found

    def plain_words(self, path: Path, text: str, most: int) -> list[Predicate] | None:
        """Return a predicate for each distinct word of a text of ASCII words; None where the parser has to look."""
        from watchword.keywords.query import plain_words
        from watchword.predicates.readers.terms import Terms

        grammar = self.grammar(path)
        words = plain_words(text, grammar.literal_operators) if grammar.analyzer.is_plain else None
        if not words or len(words) > min(most, grammar.limits.terms):
            return None
        if max(map(len, words)) > grammar.limits.term_bytes:
            return None
        return [Terms.word(path, word) for word in dict.fromkeys(words)]

    def path_compiler(self, path: Path) -> Compiler:
        """Return what parses the paths of an attribute, under its namespaces."""
        from watchword.paths.compiler import Compiler
        from watchword.paths.language import PathLanguage

        options = self.options(PathLanguage, path)
        return Compiler(options["namespaces"], options["max_length"], options["max_steps"])


def checked_text(name: str, value: Any) -> list[str]:
    """Return attributes, given as a list or as one text with commas, as subscriptions write them.

    >>> checked_text("text", "title, body")
    ['title', 'body']
    """
    if isinstance(value, str):
        value = [one.strip() for one in value.split(",")]
    if not isinstance(value, list | tuple):
        raise OptionError(f"{name} must be a list of attributes, such as ['title', 'body'], not {value!r}")
    return list(dict.fromkeys(written(name, attribute) for attribute in value))


def checked_reading(name: str, value: Any) -> dict[str, dict[str, Any]]:
    """Return options by attribute, each checked as the language checks it that has it."""
    if not isinstance(value, Mapping):
        raise OptionError(f"{name} must be a mapping of attribute, or '*', to options, not {value!r}")
    made = {}
    for attribute, options in value.items():
        if not isinstance(options, Mapping):
            raise OptionError(f"{name}[{attribute!r}] must be a mapping of options, not {options!r}")
        owner = ALL if attribute == ALL else written(name, attribute)
        made[owner] = {str(option): _checked(name, attribute, option, given) for option, given in options.items()}
    return made


def _checked(name: str, attribute: str, option: Any, value: Any) -> Any:
    from watchword.keywords.options import OPTIONS as KEYWORDS
    from watchword.paths.options import OPTIONS as PATHS
    from watchword.patterns.options import OPTIONS as PATTERNS

    known = {
        name: one
        for options in (KEYWORDS, PATTERNS, PATHS)
        for name, one in options.items()
        if not name.startswith("max_")
    }
    if option not in known:
        raise OptionError(f"{name}[{attribute!r}] has no option {option!r}; there are: {', '.join(known)}")
    return known[option].check(f"{name}[{attribute!r}][{option!r}]", value)


def paths_of(attributes: Sequence[str]) -> list[Path]:
    """Return attributes, as subscriptions write them, as paths."""
    return [attribute_of(attribute) for attribute in attributes]
