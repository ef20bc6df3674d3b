"""The options of path indexes, as data (`watchword.options`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from watchword.errors import OptionError
from watchword.options import Option, whole

MAX_LENGTH = 4096
MAX_STEPS = 256
MAX_DEPTH = 1_000
MAX_BYTES = 1 << 30
MAX_DECLARED = 256
MAX_STATES = 10_000
GUIDE_BYTES = 64 << 20


def _namespaces(name: str, value: Any) -> dict[str, str] | None:
    """Check a mapping from prefix to namespace, or None for names as they are written."""
    if value is None:
        return None
    if not isinstance(value, Mapping) or not all(isinstance(part, str) for pair in value.items() for part in pair):
        raise OptionError(f"{name} must be a mapping from prefix to namespace, not {value!r}")
    for prefix, uri in value.items():
        if not prefix or not uri or "}" in uri:
            raise OptionError(f"{name}: {prefix!r} is {uri!r}; neither may be empty, and a namespace has no '}}'")
    return dict(value)


OPTIONS = {
    "namespaces": Option(
        None,
        _namespaces,
        "Namespaces by the prefixes that paths use; names are then compared by namespace.",
        flag="json",
    ),
    "max_length": Option(MAX_LENGTH, whole(1, 1 << 24), "How many characters the text of a path may have."),
    "max_steps": Option(MAX_STEPS, whole(1, 1 << 20), "How many steps a path may have."),
    "max_depth": Option(MAX_DEPTH, whole(1, 1 << 24), "How deep the elements of a document may nest."),
    "max_bytes": Option(MAX_BYTES, whole(1, 1 << 40), "How many bytes a document may have."),
    "max_declared": Option(
        MAX_DECLARED, whole(0, 1 << 24), "How many attributes a document's DOCTYPE may declare for one element."
    ),
}
"""Options of every method."""

METHOD_OPTIONS = {
    "auto": {
        "guide_bytes": Option(
            GUIDE_BYTES,
            whole(0, 1 << 40),
            "How many bytes the guide may take, or as many as the automaton if those are more; then it learns no more.",
        )
    },
    "lazy-dfa": {
        "max_states": Option(MAX_STATES, whole(2, 1 << 24), "How many states are kept; then all are dropped.")
    },
}
"""Options of single methods."""
