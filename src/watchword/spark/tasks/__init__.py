"""What runs on Spark's workers: record batches in, record batches out. Nothing here imports pyspark.

`shard_counter` says in which shard a subscription belongs, `writer` writes shards; `router` says which shards an event
is for, and `matcher` matches it; `shard_copies` opens shards, wherever they lie, and `shard_cache` keeps them open
between tasks.
"""
