"""From XML documents to moves.

A document passes `documents` (what it was given as, into bytes), then one of three: `batch` (whole documents in memory,
many at once), `feed` (one document in chunks) or `streams` (concatenated documents in a file). All of them
drive `expat` from kernels, and leave to `plain`, handlers in Python, what kernels do not look after. `settling` turns
the codes of either into moves; `guards` has the limits, and the error messages.
"""
