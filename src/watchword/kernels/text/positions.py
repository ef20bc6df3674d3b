"""How an event is written as one row of numbers, for languages that ask for terms at places.

``["ferry", "the", "storm"]`` and, as a second text of the event, ``["ferries"]``, with ferry 0, storm 1, and the family
``ferr*`` as atom 5::

    terms      0 -1 1   -2   -1           positions 0 to 4: atoms, `UNKNOWN`, and `BORDER` between texts
    families   -3 5   -7 5                ``POSITION - p``, then the families of the word at position `p`
    end        -8                         ``POSITION - n``: there are `n` positions

An event without families has neither the second part nor an end. Structures pass over negative numbers.
"""

from __future__ import annotations

from watchword.kernels.jit import kernel

UNKNOWN, BORDER, POSITION = -1, -2, -3


@kernel
def text_end(atoms, start, stop):
    """Return the number of positions of the event ``atoms[start:stop]``."""
    if stop > start and atoms[stop - 1] <= POSITION:
        return POSITION - atoms[stop - 1]
    return stop - start
