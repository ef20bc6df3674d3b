"""What runs on Spark's workers: record batches in, record batches out. Nothing here imports pyspark.

`shard_counter` says in which shard a subscription belongs, `writer` writes shards; `router` says which shards an event
is for, and `matcher` matches it. `watchword.shards` opens shards, wherever they lie, and keeps them open between tasks.
"""
