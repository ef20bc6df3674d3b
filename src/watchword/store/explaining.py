"""Why an item is in an inbox: made from the stored item and the subscription's text, on demand.

A batch of the pipeline writes pairs without reasons: most are never read, and explaining costs Python time for each.
The event is made by `watchword.items`, as the pipeline made it, and explained by the language with the store's options:

    match: greece AND crisis

A subscription, or the tree of topics, may have changed since the item was delivered, and not match it any more. Then
the reason says so (`CHANGED`), because the old text is not kept. An item that the language cannot read again, such as
a document whose bytes were in another encoding, has no reason either, and says why.

Languages are loaded at the first question: counting an inbox loads none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from watchword.errors import WatchwordError
from watchword.items import Item, event_of
from watchword.languages import language_class
from watchword.store.options import Options
from watchword.store.records import Reason

if TYPE_CHECKING:
    from watchword.index import Index
    from watchword.index.places import Place

CHANGED = "matched when it was delivered; the subscription, and the topics, as they are now do not match it"


class Explainer:
    """Explains matches with the options of a store; it needs no open store."""

    def __init__(self, options: Mapping[str, Options]) -> None:
        self._options = options
        self._indexes: dict[str, Index[str]] = {}

    def reason(self, item: Item, subscription: str, language: str | None, text: str | None, why: str) -> Reason:
        """Return a reason that is explained on demand, unless it was stored or the subscription is gone."""
        if language is None or text is None:
            return Reason(subscription, text, why)
        places = partial(self.places, language, text, item)
        return Reason(subscription, text, why or partial(self.explain, language, text, item), places)

    def explain(self, language: str, text: str, item: Item) -> str:
        """Return why an item matches a subscription, for people."""
        try:
            index = self._index(language)
            explanation = index.explain_text(event_of(language, item, index.attributes), text)
        except WatchwordError as error:
            return f"matched when it was delivered; it cannot be explained now: {str(error).splitlines()[0]}"
        return str(explanation) if explanation else CHANGED

    def places(self, language: str, text: str, item: Item) -> Sequence[Place]:
        """Return where in the event of an item the words of a subscription stand; none where it does not match."""
        try:
            index = self._index(language)
            return index.places(event_of(language, item, index.attributes), text)
        except WatchwordError:
            return ()

    def _index(self, language: str) -> Index[str]:
        """Return an index without subscriptions, with the store's options of its language."""
        if language not in self._indexes:
            self._indexes[language] = language_class(language)(**self._options.get(language, {}))
        return self._indexes[language]
