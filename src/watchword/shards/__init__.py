"""A sharded snapshot: a folder of versions, each a list of immutable shards. Nothing here knows Spark.

Layout of version 8, which changed shard 3 of version 7::

    PATH/current.json                       the newest version's number: 8
    PATH/versions/000008.json               what version 8 is: language, kind of ids, its shards with their sizes
    PATH/shards/0003-000007-<hex>/          shard 3 as version 7 wrote it: a snapshot (`watchword.snapshot`)
    PATH/shards/0003-000008-<hex>/          its changes in version 8: a snapshot of the subscriptions that were added
                                            or replaced, and gone.arrow, the ids of shard 3 that no longer count
    PATH/.watchword.lock                    held by the one process that is writing; in an object store, writers/ has
                                            a marker of it instead (`storage.writers`)

PATH is a folder, or a URL of an object store: ``s3://bucket/index`` (`watchword.storage` has the differences).

A large shard that changes little is not rewritten: the version names its changes and, as `Shard.base`, the shard below
them; `changed_shard` reads both as one. A version that follows a store says in its own file which state of the store it
has (`Origin`), so that the two cannot disagree.

Invariant: a file of `versions/` appears whole, after every shard that it names is on the disk, and `current.json` is
replaced after that. So a reader sees a version entirely or not at all, whatever happens to a writer. A shard's folder
never changes, and versions share the shards that did not change between them. The next writer removes the files of a
dead one, and all versions but the newest few and the pinned.

A plain snapshot, a folder made by `Index.save`, is read as a version of one shard: itself. In an object store it is
refused, because it could be replaced while it is read.

| file | question |
| --- | --- |
| `version` | which facts make up a version? |
| `reading` | which versions are there, and which is the newest? |
| `publishing` | how does a version become the newest, and which ones are removed? |
| `shard_files` | what lies in the folder of a shard, beside its snapshot? |
| `opening` | how is a shard opened, wherever it lies? |
| `changed_shard` | how are a shard and its changes matched as one? |
| `cache` | which shards has this process open? |
"""

from watchword.shards.publishing import Writing, discard, next_version, publish, shard_folder, writing
from watchword.shards.reading import current, resolve, resolve_checked, settings, versions
from watchword.shards.shard_files import load_counts, save_counts, save_shard
from watchword.shards.version import IdKind, Origin, Shard, Version, id_kind

__all__ = [
    "IdKind",
    "Origin",
    "Shard",
    "Version",
    "Writing",
    "current",
    "discard",
    "id_kind",
    "load_counts",
    "next_version",
    "publish",
    "resolve",
    "resolve_checked",
    "save_counts",
    "save_shard",
    "settings",
    "shard_folder",
    "versions",
    "writing",
]
