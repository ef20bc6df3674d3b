"""Compiled loops over flat arrays, in rooms that mirror the package. Nothing here knows an id, a file or a
subscription.

Every kernel is decorated with `jit.kernel`, `inline` or `leaf`: compiled on first use, cached on disk, free of the GIL.
A kernel that matches takes its events first, then its state, then where it is to go on and to write::

    match(item_offsets, item_atoms, state, first, used, offsets, payloads)

What every room uses lies here: `jit`, `held_signals` (Ctrl-C waits for the compiler), `unpickling` (and for what a
kernel returns), `memory` (what numba has no words for), `handles` (many arrays as one argument), `int_set`,
`stamped_table` and `child_table` (hash tables), `arena` and `free_rows` (memory that is given back), `tombstones`,
`merge` (two answers as one), `ids` (subscriptions by their ids), `stable_hash`, `sampling` (workloads).
The rooms are `text`, `sets`, `sequences`, `keywords`, `patterns`, `predicates`, `properties` and `paths`; each says in
which order data passes its files.
"""
