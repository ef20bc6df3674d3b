"""How does an index change while it is matched? An immutable base, a small delta, tombstones, and packing aside.

`layered` has the life cycle, once for every language; `tombstones` the payloads removed from the base; `background` a
piece of work in a thread.
"""
