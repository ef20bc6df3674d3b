"""Steps into keywords and gaps (Silvasti, Sippu and Soisalon-Soininen 2010, section 2); `watchword.paths.pma.gaps` has
the layout.

With `a` = 1 and `b` = 2, the steps of ``/a/b//*/b`` are 2, 4, 1, 4: the keyword 1 2 behind a gap of nothing, and the
keyword 2 behind a gap of one element or more.
"""

from __future__ import annotations

from watchword.kernels.jit import kernel
from watchword.kernels.sequences.gaps import ANY


@kernel
def decompose(path_offsets, steps, rows):
    """Write keywords and gaps of all paths; returns how many keywords and labels there are."""
    offsets, word_offsets, labels, least, most = rows
    keywords = letters = 0
    offsets[0] = word_offsets[0] = 0
    for path in range(len(path_offsets) - 1):
        low = high = 0
        grows = False  # whether a name can still be put behind the keyword at hand
        for at in range(path_offsets[path], path_offsets[path + 1]):
            label = steps[at] >> 1
            if steps[at] & 1:
                high = ANY
            if label == 0:
                grows = False
                low += 1
                high += high != ANY
                continue
            if not (grows and label > 0 and steps[at] & 1 == 0):
                least[keywords], most[keywords] = low, high
                keywords += 1
                low = high = 0
            labels[letters] = label
            letters += 1
            word_offsets[keywords] = letters
            grows = label > 0
        if low > 0:
            least[keywords], most[keywords] = low, high
            keywords += 1
            word_offsets[keywords] = letters
        offsets[path + 1] = keywords
    return keywords, letters
