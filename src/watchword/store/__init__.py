"""The store: subscribers, their subscriptions in any language, and the matches that wait in their inboxes.

`store` is the one public class; `records` has the values that it takes and returns. Below it, `subscribing` keeps
subscriptions and numbers their changes, `options` keeps the options of each language's index, `delivering` writes the
matches of a batch once and reads inboxes, and `explaining` says why an item matched. Their SQL runs on any `engine`;
`sqlite/` is the engine over a SQLite file.
"""

from watchword.items import Item
from watchword.store.records import (
    Change,
    Changes,
    Delivery,
    Match,
    Reason,
    Request,
    StoreStats,
    Subscriber,
    Subscription,
)
from watchword.store.store import Store

__all__ = [
    "Change",
    "Changes",
    "Delivery",
    "Item",
    "Match",
    "Reason",
    "Request",
    "Store",
    "StoreStats",
    "Subscriber",
    "Subscription",
]
