"""Compiled loops over flat arrays. Nothing here knows a text, an id or a file.

Every kernel is decorated with `kernel`: compiled on first use, cached on disk, free of the GIL.
"""
