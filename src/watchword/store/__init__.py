"""The store: subscribers, their subscriptions in any language, and the matches that wait in their inboxes.

`store` is the one public class, whose methods are in `methods/`; `records` has the values that it takes and returns.
Below it, `subscribing` keeps subscriptions and numbers their changes, `details` keeps their names, tags and examples,
`options` keeps the options of each language's index, `delivering` writes the matches of a batch once, `inboxes` reads
them, and `explaining` says why an item matched. `telling` names the story of each item, `muting` withholds items,
and `outgoing` puts what a batch brings into the outbox of the `channels` that are to be told; `outbox` hands it
to dispatchers, and `outbox_log` is its log. `access` keeps the hashes of tokens, logins and
sessions, `audit` keeps the log of changes, and answers. Their SQL runs on any `engine`; `sqlite/` is the engine over a
SQLite file.
"""

from watchword.items import Item
from watchword.store.access import SCOPES, Session, Token
from watchword.store.audit import AuditEntry
from watchword.store.channels import Channel, Profile
from watchword.store.outbox import Attempt, Desk, Job, Planned, Verdict, Work
from watchword.store.outbox_log import OutboxCounts, Sent, Unsent
from watchword.store.owning import Owned
from watchword.store.records import (
    Change,
    Changes,
    Delivery,
    Details,
    Example,
    InboxCounts,
    Match,
    Reason,
    Request,
    StoreStats,
    Subscriber,
    Subscription,
)
from watchword.store.store import Store

__all__ = [
    "SCOPES",
    "Attempt",
    "AuditEntry",
    "Change",
    "Changes",
    "Channel",
    "Delivery",
    "Desk",
    "Details",
    "Example",
    "InboxCounts",
    "Item",
    "Job",
    "Match",
    "OutboxCounts",
    "Owned",
    "Planned",
    "Profile",
    "Reason",
    "Request",
    "Sent",
    "Session",
    "Store",
    "StoreStats",
    "Subscriber",
    "Subscription",
    "Token",
    "Unsent",
    "Verdict",
    "Work",
]
