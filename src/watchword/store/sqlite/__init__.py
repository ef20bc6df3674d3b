"""The store in a SQLite file, through the standard library.

`database` is the engine: transactions, errors, files. `connections` keeps a connection for each thread, and closes them
around a fork. `migrations` has the schema.
"""
