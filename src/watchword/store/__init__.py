"""The store: subscribers, their subscriptions in any language, and what matched while they were away.

SQLite through the standard library. `database` opens, migrates and guards the file; `subscribing` keeps who
subscribed to what, and which change came when; `options` how each language's index is made; `delivering` writes what
a batch matched, once, and reads inboxes; `store` is the one class over them, and `records` what it takes and gives.
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
