"""The core of every index: a mapping from ids to subscriptions that can be asked backwards, with a language plugged in.

In the order in which data passes: `columns` (subscriptions as they come), `refusals` (subscriptions that are refused),
`catalog` (ids, texts, slots), `language` (what plugs in) over `structure` (what a method is), `changes` (whole or not
at all); then `events` (events as they come), `frames` (tables that have them in a column), `arrow` (one walk through
columns), `texts` (several texts as one event), `hits` (slots that were found), `answers` (pairs of event and id),
`report` (figures, explanations), `places` (where in an event), `covering` and `comparing` (which subscription covers
which), `views`; `gate` lets threads read together and change one by one; `routing` is for shards.
"""

from watchword.index.changes import as_reader
from watchword.index.covering import Covering
from watchword.index.index import Index, Key, Subscriptions
from watchword.index.language import EventKind, Language, Method, method_table
from watchword.index.places import Occurrence, Place
from watchword.index.refusals import Refused
from watchword.index.report import ClauseReport, Explanation, Stats
from watchword.languages import LANGUAGES, language_class, methods

__all__ = [
    "LANGUAGES",
    "ClauseReport",
    "Covering",
    "EventKind",
    "Explanation",
    "Index",
    "Key",
    "Language",
    "Method",
    "Occurrence",
    "Place",
    "Refused",
    "Stats",
    "Subscriptions",
    "as_reader",
    "language_class",
    "method_table",
    "methods",
]
