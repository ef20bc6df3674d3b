"""What is every index? A mapping that can be asked backwards, with a language plugged in.

In the order in which data passes: `columns` (subscriptions as they come), `refusals` (those that are refused),
`catalog` (ids, texts, slots), `language` (what plugs in) over `structure` (what a method is); then `events` (events as
they come), `tables` (a column of which has them), `texts` (several of which are one event), `hits` (what was found),
`answers` (how it is handed back), `report` (figures, explanations), `views`; `gate` lets threads read together and
change one by one; `routing` is for shards.
"""

from watchword.index.events import next_size
from watchword.index.index import Index, Key, Subscriptions, reads
from watchword.index.language import Language, Method, method_table
from watchword.index.refusals import Refused
from watchword.index.report import ClauseReport, Explanation, Stats
from watchword.languages import LANGUAGES, language_class, methods

__all__ = [
    "LANGUAGES",
    "ClauseReport",
    "Explanation",
    "Index",
    "Key",
    "Language",
    "Method",
    "Refused",
    "Stats",
    "Subscriptions",
    "language_class",
    "method_table",
    "methods",
    "next_size",
    "reads",
]
