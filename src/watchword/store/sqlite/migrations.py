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
- `items.story` is the name of the story that an item tells, `link_key` and `title_key` what it is found by; all are
  empty for what version 7 or earlier stored. `dated` is when it was published, or else recorded.
- `notifications` has a row for each item and channel that it was meant for, written in the transaction of its batch; a
  row is `new` until it is planned, then `gathered` for a digest, `planned` for a message, or `withheld`.
- `messages.id` is what a receiver knows a message by: it is drawn once, and the same at each attempt.
- `channels.secrets` is a JSON list of [secret, time or null], the newest first; an older one is valid until that time.
- `keys` has random secrets of this store, by their use.
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
    """
    ALTER TABLE subscribers ADD COLUMN zone TEXT NOT NULL DEFAULT 'UTC';
    ALTER TABLE subscribers ADD COLUMN by_story INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE subscriptions ADD COLUMN mutes INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX subscriptions_mute ON subscriptions (id) WHERE mutes = 1;

    ALTER TABLE items ADD COLUMN story TEXT NOT NULL DEFAULT '';
    ALTER TABLE items ADD COLUMN link_key TEXT NOT NULL DEFAULT '';
    ALTER TABLE items ADD COLUMN title_key TEXT NOT NULL DEFAULT '';
    ALTER TABLE items ADD COLUMN dated TEXT NOT NULL DEFAULT '';
    ALTER TABLE items ADD COLUMN sketch INTEGER;
    CREATE INDEX items_story ON items (story) WHERE story <> '';
    CREATE INDEX items_link ON items (link_key) WHERE link_key <> '';
    CREATE INDEX items_title ON items (title_key, dated) WHERE title_key <> '';
    CREATE TABLE sketches (
        band INTEGER NOT NULL,
        value INTEGER NOT NULL,
        item INTEGER NOT NULL REFERENCES items ON DELETE CASCADE,
        PRIMARY KEY (band, value, item)
    ) WITHOUT ROWID;
    CREATE INDEX sketches_of ON sketches (item);

    CREATE TABLE muted (
        subscriber INTEGER NOT NULL REFERENCES subscribers ON DELETE CASCADE,
        item TEXT NOT NULL,
        time TEXT NOT NULL,
        PRIMARY KEY (subscriber, item)
    ) WITHOUT ROWID;

    CREATE TABLE channels (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        subscriber INTEGER NOT NULL REFERENCES subscribers ON DELETE CASCADE,
        name TEXT NOT NULL,
        kind TEXT NOT NULL,
        address TEXT NOT NULL,
        settings TEXT NOT NULL DEFAULT '{}',
        secrets TEXT NOT NULL DEFAULT '[]',
        everything INTEGER NOT NULL DEFAULT 1,
        fallback INTEGER REFERENCES channels ON DELETE SET NULL,
        state TEXT NOT NULL,
        reason TEXT NOT NULL DEFAULT '',
        created TEXT NOT NULL,
        failures INTEGER NOT NULL DEFAULT 0,
        wait_until TEXT NOT NULL DEFAULT '',
        holder TEXT NOT NULL DEFAULT '',
        held_until TEXT NOT NULL DEFAULT '',
        UNIQUE (subscriber, name)
    );
    CREATE INDEX channels_fallback ON channels (fallback) WHERE fallback IS NOT NULL;

    CREATE TABLE routes (
        subscription TEXT NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
        channel INTEGER NOT NULL REFERENCES channels ON DELETE CASCADE,
        PRIMARY KEY (subscription, channel)
    ) WITHOUT ROWID;
    CREATE INDEX routes_to ON routes (channel);

    CREATE TABLE messages (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        channel INTEGER NOT NULL REFERENCES channels ON DELETE CASCADE,
        kind TEXT NOT NULL,
        state TEXT NOT NULL,
        reason TEXT NOT NULL DEFAULT '',
        made TEXT NOT NULL,
        due TEXT NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        ended TEXT
    );
    CREATE INDEX messages_waiting ON messages (channel, number) WHERE state = 'waiting';
    CREATE INDEX messages_dead ON messages (channel, number) WHERE state = 'dead';
    CREATE INDEX messages_made ON messages (channel, made);
    CREATE INDEX messages_ended ON messages (ended) WHERE ended IS NOT NULL;

    CREATE TABLE notifications (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        channel INTEGER NOT NULL REFERENCES channels ON DELETE CASCADE,
        delivery INTEGER NOT NULL REFERENCES deliveries ON DELETE CASCADE,
        story TEXT NOT NULL,
        state TEXT NOT NULL,
        reason TEXT NOT NULL DEFAULT '',
        due TEXT,
        message INTEGER REFERENCES messages ON DELETE CASCADE,
        written TEXT NOT NULL,
        UNIQUE (channel, delivery)
    );
    CREATE INDEX notifications_new ON notifications (channel, number) WHERE state = 'new';
    CREATE INDEX notifications_gathered ON notifications (channel, due) WHERE state = 'gathered';
    CREATE INDEX notifications_withheld ON notifications (channel, number) WHERE state = 'withheld';
    CREATE INDEX notifications_story ON notifications (channel, story) WHERE story <> '';
    CREATE INDEX notifications_in ON notifications (message, number) WHERE message IS NOT NULL;
    CREATE INDEX notifications_of ON notifications (delivery);

    CREATE TABLE attempts (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        message INTEGER NOT NULL REFERENCES messages ON DELETE CASCADE,
        time TEXT NOT NULL,
        ok INTEGER NOT NULL,
        answer TEXT NOT NULL,
        milliseconds INTEGER NOT NULL
    );
    CREATE INDEX attempts_of ON attempts (message, number);

    CREATE TABLE keys (
        name TEXT NOT NULL PRIMARY KEY,
        secret TEXT NOT NULL
    ) WITHOUT ROWID;
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
