"""From the options about rules of other systems to the arguments of what translates them.

``--dialect lucene --mapping mapping.json --dialect-set default_operator=AND`` calls
``from_lucene(query, fields=…, default_operator="AND")``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from watchword.cli.reporting import fail
from watchword.errors import OptionError

if TYPE_CHECKING:
    from watchword.cli.opening import IndexOptions
    from watchword.predicates.dialects.searches.fields import Fields

IN_FOLDERS = ("sigma",)
"""Dialects whose rules may lie in a folder."""

_MAPPED = ("elasticsearch", "lucene")
_SETTINGS = {
    "elasticsearch": ("drop", "now", "field"),
    "lucene": ("default_operator", "default_field", "drop", "now"),
}


def check(options: IndexOptions) -> None:
    """End the command for an option of another dialect, or of none."""
    if options.log_sources is not None and options.dialect != "sigma":
        fail("--log-sources: they are those of Sigma rules: give --dialect sigma")
    if options.dialect not in _MAPPED:
        for name, given in (("--mapping", options.mapping), ("--dialect-set", options.dialect_set)):
            if given:
                fail(f"{name}: it is about queries of search engines: give --dialect elasticsearch or lucene")


def arguments(options: IndexOptions) -> dict[str, Any]:
    """Return the arguments of what translates a rule."""
    check(options)
    if options.log_sources is not None:
        from watchword.predicates.dialects.sigma.log_sources import read_log_sources

        return {"log_sources": read_log_sources(options.log_sources)}
    given = _settings(options)
    given.pop("field", None)
    if options.mapping is not None:
        given["mapping" if options.dialect == "elasticsearch" else "fields"] = read_mapping(options.mapping)
    return given


def reader_arguments(options: IndexOptions) -> dict[str, Any]:
    """Return the arguments of what reads the files of a dialect."""
    check(options)
    if options.dialect != "elasticsearch":
        return {}
    from watchword.predicates.dialects.elasticsearch.dumps import percolator_of

    own = None if options.mapping is None else percolator_of(read_mapping(options.mapping))
    return {"field": _settings(options).get("field", own)}


def reading(options: IndexOptions) -> dict[str, Any]:
    """Return what the texts of a mapping are read with, by attribute; nothing without one."""
    if options.mapping is None:
        return {}
    check(options)
    from watchword.predicates.dialects.elasticsearch.options import readings

    return readings(read_mapping(options.mapping))[0]


def read_mapping(path: str) -> Fields:
    """Return the fields of a mapping in a file of JSON."""
    from watchword.predicates.dialects.searches.fields import Fields

    try:
        return Fields(Path(path).read_bytes())
    except OptionError as error:
        raise OptionError(f"{path}: {error}") from None


def _settings(options: IndexOptions) -> dict[str, Any]:
    """Return what ``--dialect-set`` says."""
    known = _SETTINGS.get(options.dialect or "", ())
    found: dict[str, Any] = {}
    for pair in options.dialect_set or ():
        name, equals, value = pair.partition("=")
        if not equals or name not in known:
            fail(f"--dialect-set {pair}: expected NAME=VALUE, with one of {', '.join(known)}")
        found[name] = tuple(value.split(",")) if name == "drop" else value
    return found
