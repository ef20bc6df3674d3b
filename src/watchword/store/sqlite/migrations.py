"""The schema, as the list of scripts that made it: script `n` takes a file from version `n` to `n + 1`.

A script that has been released is never edited; a new version is a new script at the end. `docs/store.md` describes
the tables for readers from elsewhere.

Invariants that the statements below cannot say alone:

- `changes` has one row for every (id, language) ever subscribed, numbered by its *last* change; no number is used
  twice. If the id is no longer subscribed in that language, the row records the deletion.
- `subscriptions.since` is the number of the change that made it; replacing keeps it, and so the order.
- `matches.subscription` outlives the subscription: a delivery stays delivered. `why` is empty if no reason was given.
- An item is here while some delivery has it. Its `categories` are a JSON list of texts, its `locale` is the language
  that people read it in, and its `row` is the source's row as a JSON object, null if the source has no rows. Its
  `feed` is the feed's title; of items that version 5 or earlier stored it is the address, as `feed_url` is.
- `options` of a language, JSON, do not change once `changes` has a row of the language.
- A row of `subscriptions` has the details of the subscription; `tags` is a JSON list of texts, `examples` one of
  [event, 0 or 1], and `revision` counts the edits of text and details since it was made.
- A paused subscription is none to followers: its last change is that it was paused, or was edited meanwhile.
- `hash` is the SHA-256 of a secret, which is nowhere in the file. Numbers of tokens are not used twice.
- `audit` refers to nothing, so that it outlives whatever it names; `old` and `new` are JSON.
- `epochs` has a random name for each of the last states of `changes`, by its counter, and always that of counter 0,
  the store's identity. Two copies of a store that go on apart have different names from there on.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

APPLICATION_ID = int.from_bytes(b"WWCW", "big")
"""The mark of a store in the header of its file."""

MIGRATIONS: list[str] = [
    f"""
    PRAGMA application_id = {APPLICATION_ID};

    CREATE TABLE subscribers (
        number INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        created TEXT NOT NULL
    );

    CREATE TABLE subscriptions (
        id TEXT NOT NULL PRIMARY KEY,
        subscriber INTEGER NOT NULL REFERENCES subscribers ON DELETE CASCADE,
        language TEXT NOT NULL,
        text TEXT NOT NULL,
        created TEXT NOT NULL,
        since INTEGER NOT NULL UNIQUE
    );
    CREATE INDEX subscriptions_of ON subscriptions (subscriber, since);

    CREATE TABLE changes (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL,
        language TEXT NOT NULL,
        UNIQUE (id, language)
    );

    CREATE TABLE batches (
        id TEXT NOT NULL PRIMARY KEY,
        written TEXT NOT NULL,
        matches INTEGER NOT NULL
    ) WITHOUT ROWID;

    CREATE TABLE items (
        number INTEGER PRIMARY KEY,
        identity TEXT NOT NULL UNIQUE,
        title TEXT NOT NULL,
        text TEXT NOT NULL,
        link TEXT NOT NULL,
        author TEXT NOT NULL,
        published TEXT,
        language TEXT NOT NULL,
        feed TEXT NOT NULL
    );

    CREATE TABLE deliveries (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        subscriber INTEGER NOT NULL REFERENCES subscribers ON DELETE CASCADE,
        item INTEGER NOT NULL REFERENCES items ON DELETE CASCADE,
        matched TEXT NOT NULL,
        read TEXT,
        UNIQUE (subscriber, item)
    );
    CREATE INDEX deliveries_of ON deliveries (subscriber, number);
    CREATE INDEX deliveries_unread ON deliveries (subscriber, number) WHERE read IS NULL;
    CREATE INDEX deliveries_item ON deliveries (item);

    CREATE TABLE matches (
        delivery INTEGER NOT NULL REFERENCES deliveries ON DELETE CASCADE,
        subscription TEXT NOT NULL,
        why TEXT NOT NULL,
        PRIMARY KEY (delivery, subscription)
    ) WITHOUT ROWID;
    """,
    """
    CREATE TABLE options (
        language TEXT NOT NULL PRIMARY KEY,
        options TEXT NOT NULL
    ) WITHOUT ROWID;
    """,
    """
    CREATE TABLE epochs (
        counter INTEGER PRIMARY KEY,
        epoch TEXT NOT NULL
    );
    INSERT INTO epochs VALUES (0, lower(hex(randomblob(8))));
    INSERT OR IGNORE INTO epochs SELECT coalesce(max(number), 0), lower(hex(randomblob(8))) FROM changes;
    """,
    """
    ALTER TABLE items ADD COLUMN categories TEXT NOT NULL DEFAULT '[]';
    """,
    """
    ALTER TABLE items RENAME COLUMN language TO locale;
    ALTER TABLE items ADD COLUMN row TEXT;
    CREATE INDEX subscriptions_in ON subscriptions (language, since);
    """,
    """
    ALTER TABLE items ADD COLUMN feed_url TEXT NOT NULL DEFAULT '';
    UPDATE items SET feed_url = feed WHERE row IS NULL;
    """,
    """
    ALTER TABLE subscriptions ADD COLUMN name TEXT NOT NULL DEFAULT '';
    ALTER TABLE subscriptions ADD COLUMN note TEXT NOT NULL DEFAULT '';
    ALTER TABLE subscriptions ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE subscriptions ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE subscriptions ADD COLUMN snoozed TEXT;
    ALTER TABLE subscriptions ADD COLUMN examples TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE subscriptions ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
    CREATE INDEX subscriptions_tried ON subscriptions (id) WHERE examples <> '[]';

    ALTER TABLE deliveries ADD COLUMN starred TEXT;
    CREATE INDEX deliveries_starred ON deliveries (subscriber, number) WHERE starred IS NOT NULL;

    CREATE TABLE tokens (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        subscriber INTEGER NOT NULL REFERENCES subscribers ON DELETE CASCADE,
        hash TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        scopes TEXT NOT NULL,
        created TEXT NOT NULL,
        expires TEXT,
        used TEXT
    );
    CREATE INDEX tokens_of ON tokens (subscriber, number);

    CREATE TABLE logins (
        hash TEXT NOT NULL PRIMARY KEY,
        subscriber INTEGER NOT NULL REFERENCES subscribers ON DELETE CASCADE,
        expires TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX logins_of ON logins (subscriber);

    CREATE TABLE sessions (
        hash TEXT NOT NULL PRIMARY KEY,
        subscriber INTEGER NOT NULL REFERENCES subscribers ON DELETE CASCADE,
        created TEXT NOT NULL,
        used TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX sessions_of ON sessions (subscriber);

    CREATE TABLE answers (
        subscriber INTEGER NOT NULL REFERENCES subscribers ON DELETE CASCADE,
        key TEXT NOT NULL,
        answer TEXT NOT NULL,
        written TEXT NOT NULL,
        PRIMARY KEY (subscriber, key)
    );
    CREATE INDEX answers_written ON answers (written);

    CREATE TABLE audit (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        time TEXT NOT NULL,
        who TEXT NOT NULL,
        what TEXT NOT NULL,
        which TEXT NOT NULL,
        source TEXT NOT NULL,
        old TEXT NOT NULL,
        new TEXT NOT NULL
    );
    """,
]


def statements(script: str) -> Iterator[str]:
    """Cut a script into statements: they run inside our transaction, which `executescript` would commit first.

    >>> list(statements("CREATE TABLE a (x); INSERT INTO a VALUES (';');"))
    ['CREATE TABLE a (x);', "INSERT INTO a VALUES (';');"]
    """
    piece = ""
    for part in script.split(";")[:-1]:
        piece += part + ";"
        if sqlite3.complete_statement(piece):
            yield piece.strip()
            piece = ""
