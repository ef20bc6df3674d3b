"""Analysers of Elasticsearch as options of readers: what the texts of a field are read with here.

>>> analysis_of("english", {}).options()["stemmer"]
'porter'
>>> own = {"analyzer": {"plain": {"tokenizer": "standard", "filter": ["lowercase", "asciifolding"]}}}
>>> analysis_of("plain", own).options()
{'fold_accents': True}
>>> analysis_of("whitespace", {})
Traceback (most recent call last):
...
watchword.predicates.dialects.searches.refused.Refused: the analyzer 'whitespace' cannot be said; standard, simple, \
stop, english, snowball, cjk, and custom ones of the tokenizer standard, lowercase, asciifolding, stop and stemmers, can

Where words are cut is not the same; docs/predicates.md has the differences.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from watchword.predicates.dialects.searches.refused import Refused

ENGLISH = (
    *("a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not"),
    *("of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was"),
    *("will", "with"),
)
"""Lucene's English stop words."""

_SAID = (
    "standard, simple, stop, english, snowball, cjk, and custom ones of the tokenizer standard, lowercase, "
    "asciifolding, stop and stemmers, can"
)


@dataclass(frozen=True)
class Analysis:
    """How texts become terms. `whole`: they do not, a text is one term."""

    stop_words: tuple[str, ...] = ()
    stemmer: str | None = None
    fold_accents: bool = False
    cjk: str | None = None
    whole: bool = False

    def options(self) -> dict[str, Any]:
        """Return the options of an attribute that is read so, as the option `reading` has them."""
        made = {
            "stop_words": list(self.stop_words),
            "stemmer": self.stemmer,
            "fold_accents": self.fold_accents,
            "cjk": self.cjk,
        }
        return {name: value for name, value in made.items() if value}


_BUILT_IN = {
    "default": Analysis(),
    "standard": Analysis(),
    "simple": Analysis(),
    "stop": Analysis(ENGLISH),
    "english": Analysis((*ENGLISH, "s"), "porter"),
    "cjk": Analysis(ENGLISH, cjk="bigrams"),
    "keyword": Analysis(whole=True),
}


def analysis_of(name: str, settings: Mapping[str, Any]) -> Analysis:
    """Return what an analyser does; `settings` are those of ``analysis`` of an index."""
    own = _named(settings, "analyzer", name)
    if own is None:
        if name not in _BUILT_IN:
            raise Refused(f"the analyzer {name!r} cannot be said; {_SAID}")
        return _BUILT_IN[name]
    kind = own.get("type", "custom")
    if kind == "custom":
        return _custom(name, own, settings)
    if kind == "snowball":
        return Analysis(_stop_words(own.get("stopwords", "_english_")), _stemmer(own.get("language", "English")))
    if kind not in _BUILT_IN or own.get("stem_exclusion"):
        raise Refused(f"the analyzer {name!r} of type {kind!r} cannot be said; {_SAID}")
    base = _BUILT_IN[kind]
    return replace(base, stop_words=_stop_words(own["stopwords"])) if "stopwords" in own else base


def is_folding(name: str | None, settings: Mapping[str, Any]) -> bool:
    """Return whether the normalizer of a keyword field folds case; one that does anything else is refused."""
    if name is None:
        return False
    own = {"filter": ["lowercase"]} if name == "lowercase" else _named(settings, "normalizer", name)
    filters = [] if own is None else _list(own.get("filter", []))
    if own is None or own.get("char_filter") or any(one != "lowercase" for one in filters):
        raise Refused(f"the normalizer {name!r} cannot be said; one of the filter lowercase can")
    return bool(filters)


def _named(settings: Mapping[str, Any], group: str, name: str) -> Mapping[str, Any] | None:
    members = settings.get(group)
    found = members.get(name) if isinstance(members, Mapping) else None
    return found if isinstance(found, Mapping) else None


def _custom(name: str, own: Mapping[str, Any], settings: Mapping[str, Any]) -> Analysis:
    tokenizer = own.get("tokenizer", "standard")
    filters = [str(one) for one in _list(own.get("filter", []))]
    if tokenizer == "keyword" and not filters:
        return Analysis(whole=True)
    if tokenizer not in ("standard", "lowercase") or own.get("char_filter"):
        raise Refused(f"the analyzer {name!r} has a tokenizer or char_filter that cannot be said; {_SAID}")
    if tokenizer == "standard" and not {"lowercase", "icu_folding"} & set(filters):
        raise Refused(f"the analyzer {name!r} keeps case, and words are compared without it; {_SAID}")
    made = Analysis()
    for one in filters:
        made = _filtered(name, made, one, settings)
    return made


def _filtered(name: str, made: Analysis, filter_name: str, settings: Mapping[str, Any]) -> Analysis:
    """Return an analysis with another token filter behind it."""
    own = _named(settings, "filter", filter_name) or {}
    kind = own.get("type", filter_name)
    if kind == "lowercase":
        return made
    if kind in ("asciifolding", "icu_folding"):
        return replace(made, fold_accents=True)
    if kind == "stop":
        return replace(made, stop_words=(*made.stop_words, *_stop_words(own.get("stopwords", "_english_"))))
    if kind == "porter_stem":
        return replace(made, stemmer="porter")
    language = str(own.get("language", own.get("name", "english")))
    if kind == "stemmer" and language == "possessive_english":
        return replace(made, stop_words=(*made.stop_words, "s"))
    if kind in ("stemmer", "snowball"):
        return replace(made, stemmer="porter" if (kind, language) == ("stemmer", "english") else _stemmer(language))
    raise Refused(f"the filter {filter_name!r} of the analyzer {name!r} cannot be said; {_SAID}")


def _stemmer(language: str) -> str:
    """Return the stemmer of a language of Snowball."""
    found = {"porter2": "english", "kp": "", "lovins": "", "german2": ""}.get(language.lower(), language.lower())
    if found not in _snowball_languages():
        raise Refused(f"the stemmer {language!r} cannot be said; those of Snowball can: English, German, French …")
    return found


@cache
def _snowball_languages() -> frozenset[str]:
    try:
        import Stemmer
    except ImportError:
        raise Refused("stems need PyStemmer: pip install 'watchword[stemming]'") from None
    return frozenset(Stemmer.algorithms())


def _stop_words(given: Any) -> tuple[str, ...]:
    if given in ("_none_", []):
        return ()
    if given in ("_english_", ["_english_"]):
        return ENGLISH
    words = tuple(str(one).lower() for one in _list(given))
    if any(one.startswith("_") for one in words):
        raise Refused(f"the stop words {given!r:.60} are not known here; list them")
    return words


def _list(given: Any) -> list[Any]:
    return list(given) if isinstance(given, list | tuple) else [given]
