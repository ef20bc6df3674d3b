"""A share of a batch's items, with the ids that the batch gave them, for the self-audit (`watchword.auditing`).

Of the items 7, 8 and 9 of a batch, 8 is drawn; keywords found the pairs (7, s1), (7, s2) and (8, s2)::

    Decided("keywords", "Ferry. It sails", frozenset({"s2"}), 41, {…})

The event is made of the item as an inbox makes it again, in plain Python (`watchword.items`), and not by the columns
that Spark matched: so a difference between the two would be found, too. An item that cannot be read so, such as a
document whose bytes are in another encoding, is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc
from pyspark.sql import functions as F

from watchword.archive import item_of
from watchword.auditing import Answer as Decided
from watchword.errors import WatchwordError
from watchword.items import event_of
from watchword.languages import language_class
from watchword.shards import Version, settings
from watchword.spark.found import Answer, read_items
from watchword.spark.sources import NUMBER

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from watchword.auditing import Auditor

MOST = 100
"""Items of a batch that are decided again at most."""


def audit_batch(
    auditor: Auditor,
    batch: DataFrame,
    answers: Mapping[str, Answer],
    versions: Mapping[str, Version],
    row: Column,
    feeds: bool,
) -> None:
    """Keep the answers for a share of a batch's items; `row` makes the column `row`, `feeds` says whether they are
    items of feeds."""
    drawn = read_items(batch.where(F.rand() < auditor.share).limit(MOST), row).to_pylist()
    for language, answer in answers.items():
        origin = versions[language].origin
        if origin is None or not drawn:
            continue
        index = language_class(language)(**settings(versions[language]))
        for item in drawn:
            try:
                event = event_of(language, item_of(item), index.attributes, feeds=feeds)
            except WatchwordError:
                continue
            ids = ids_of(answer, item[NUMBER])
            auditor.keep(Decided(language, event, ids, origin.counter, index.options))


def ids_of(answer: Answer, number: int) -> frozenset[str]:
    """Return the ids that an answer has for the item of a number."""
    position = int(np.searchsorted(answer.numbers, number))
    if position == len(answer.numbers) or answer.numbers[position] != number:
        return frozenset()
    pairs = answer.pairs.filter(pc.equal(answer.pairs["item"], position))
    return frozenset(pairs["subscription"].to_pylist())
