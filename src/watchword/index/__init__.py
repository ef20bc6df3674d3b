"""What is every index? A mapping that can be asked backwards, with a language plugged in.

In the order in which data passes: `columns` (subscriptions as they come), `refusals` (those that are refused),
`catalog` (ids, texts, slots), `language` (what plugs in) over `structure` (what a method is); then `events` (events as
they come), `tables` (a column of which has them), `texts` (several of which are one event), `hits` (what was found),
`answers` (how it is handed back), `report` (figures, explanations), `views`; `gate` lets threads read together and
change one by one; `routing` is for shards.
"""

from watchword.index.changes import as_reader
from watchword.index.index import Index, Key, Subscriptions
from watchword.index.language import EventKind, Language, Method, method_table
from watchword.index.refusals import Refused
from watchword.index.report import ClauseReport, Explanation, Stats
from watchword.languages import LANGUAGES, language_class, methods

__all__ = [
    "LANGUAGES",
    "ClauseReport",
    "EventKind",
    "Explanation",
    "Index",
    "Key",
    "Language",
    "Method",
    "Refused",
    "Stats",
    "Subscriptions",
    "as_reader",
    "language_class",
    "method_table",
    "methods",
]
