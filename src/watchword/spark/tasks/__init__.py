"""What runs on Spark's workers: record batches in, record batches out. Nothing here imports pyspark.

`sorter` says in which shard a subscription belongs, `writer` writes shards; `router` says which shards an event is for,
and `matcher` matches it; `shard_cache` keeps shards open between tasks.
"""
