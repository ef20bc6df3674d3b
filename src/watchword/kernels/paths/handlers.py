"""What expat calls while it parses: start tags, end tags, text. Each call looks names up and writes codes.

A *raw code* is the label of a start tag (number of its name + 1, 0 where no path asks for it), behind it ``-1 - test``
for each test of attributes that it passes, and `END` for an end tag. A test of a text node is known only where the node
ends, so it stands later, but before its element's `END`. With the names a, b (labels 1, 2), the test 0 for ``@x`` and
the test 1 for ``text()='hi'``::

    <a x="1"><b/>hi</a>            1 -1 2 END -2 END

A text node is a maximal run of character data, CDATA included, between tags, comments and processing instructions.

Handlers cannot stop the parser, and what they may touch is behind one pointer: an int64 array, whose places are named
below. Where something is wrong they say so in `STATUS` and close the room for codes, so that nothing more is written.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.c_calls import length, memory
from watchword.kernels.child_table import find_child
from watchword.kernels.jit import callback, inline, kernel
from watchword.kernels.paths.asked import TEXT
from watchword.kernels.paths.moves import END
from watchword.kernels.text.vocabulary import StringTable, find_at, home_bucket, string_key

STATUS, DEPTH, MAX_DEPTH, ELEMENTS = range(4)
"""What is wrong, elements open, how many may be, elements opened."""

CODES, FILL, ROOM = range(4, 7)
"""Where codes go, how many are there, how many fit."""

NAMES, ATTRIBUTES, VALUES = 7, 11, 15
"""Three string tables: the addresses of table, blob and offsets, and the length of the table."""

PRESENT, PAIR_KEYS, PAIR_TESTS, PAIR_SLOTS = range(19, 23)
"""The tests of attributes and of values; `PRESENT` is 0 where no path looks at an attribute."""

NODE, NODE_FILL, NODE_ROOM = range(23, 26)
"""The text node that is open: its bytes, how many; one more than there is room for: it is too long for any value."""

PLACES = 26

FINE, DEEP, SUBSET, OVERFULL = range(4)
"""The status: nothing wrong; more elements open than may be; the DOCTYPE has an internal subset; no room for a code."""

_PAGE = 4096
_TEXT = np.int64(TEXT)  # a plain int would be compiled in, and then hashed with an overflow that is undefined
_FAR = 1 << 40


@kernel
def set_asked(state, asked, node, max_depth):
    """Set a parser's state to the beginning of a document; `node` has room for the longest text value, and 8 more."""
    state[:] = 0
    state[MAX_DEPTH] = max_depth
    _set_table(state, NAMES, asked.names)
    _set_table(state, ATTRIBUTES, asked.attributes)
    _set_table(state, VALUES, asked.values)
    state[PRESENT] = asked.present.ctypes.data if asked.limits[1] > 0 else 0
    state[PAIR_KEYS] = asked.pair_keys.ctypes.data
    state[PAIR_TESTS] = asked.pair_tests.ctypes.data
    state[PAIR_SLOTS] = len(asked.pair_keys)
    state[NODE] = node.ctypes.data
    state[NODE_ROOM] = max(0, asked.limits[0])


@kernel
def _set_table(state, at, known):
    state[at] = known.table.ctypes.data
    state[at + 1] = known.blob.ctypes.data
    state[at + 2] = known.offsets.ctypes.data
    state[at + 3] = len(known.table)


@kernel
def set_codes(state, codes, fill):
    """Let codes go into this array, from `fill` on."""
    state[CODES] = codes.ctypes.data
    state[FILL] = fill
    state[ROOM] = len(codes)


@inline
def _table(state, at):
    """Return a string table; kernels only ask for the length of its table, so the others have any."""
    table = memory(state[at], state[at + 3], np.uint64)
    return StringTable(table, memory(state[at + 1], _FAR, np.uint8), memory(state[at + 2], _FAR, np.int64))


@kernel
def _find(address, size, known):
    """Return the number of a string in memory, or -1. Eight bytes are read at once where they end on the same page."""
    room = size if address & (_PAGE - 1) > _PAGE - 8 else max(size, 8)
    data = memory(address, room, np.uint8)
    key = string_key(data, 0, size)
    return find_at(key, home_bucket(key, known.table), data, 0, size, known)


@inline
def _put(state, code):
    fill = state[FILL]
    if fill < state[ROOM]:
        memory(state[CODES], _FAR, np.int32)[fill] = code
        state[FILL] = fill + 1
    else:
        _refuse(state, OVERFULL)


@inline
def _refuse(state, status):
    """Note what is wrong first, and close the room for codes."""
    if state[STATUS] == FINE:
        state[STATUS] = status
    state[ROOM] = 0


@kernel
def _put_test_of(state, attribute, address, size):
    """Write the test that an attribute, or a text, has this value, if it is asked for."""
    value = _find(address, size, _table(state, VALUES))
    if value >= 0:
        slots = state[PAIR_SLOTS]
        keys, tests = memory(state[PAIR_KEYS], slots, np.int64), memory(state[PAIR_TESTS], slots, np.int32)
        test = find_child(keys, tests, attribute, value)
        if test >= 0:
            _put(state, -1 - test)


@kernel
def _end_node(state):
    """A text node ends here, if one is open."""
    fill = state[NODE_FILL]
    if fill > 0:
        state[NODE_FILL] = 0
        if fill <= state[NODE_ROOM]:
            _put_test_of(state, _TEXT, state[NODE], fill)


@kernel
def _put_tests(state, attributes):
    """Write the tests of attributes: names and values in turn, then a null pointer."""
    strings = memory(attributes, _FAR, np.int64)
    known = _table(state, ATTRIBUTES)
    present = memory(state[PRESENT], _FAR, np.int32)
    at = 0
    while strings[at] != 0:
        attribute = _find(strings[at], length(strings[at]), known)
        if attribute >= 0:
            if present[attribute] >= 0:
                _put(state, -1 - present[attribute])
            _put_test_of(state, attribute, strings[at + 1], length(strings[at + 1]))
        at += 2


@callback("void(int64, int64, int64)")
def start_tag(user, name, attributes):
    """An element opens."""
    state = memory(user, PLACES, np.int64)
    _end_node(state)
    depth = state[DEPTH] + 1
    state[DEPTH] = depth
    state[ELEMENTS] += 1
    if depth > state[MAX_DEPTH]:
        _refuse(state, DEEP)
        return
    _put(state, _find(name, length(name), _table(state, NAMES)) + 1)
    if state[PRESENT] != 0:
        _put_tests(state, attributes)


@callback("void(int64, int64)")
def end_tag(user, name):
    """An element closes."""
    state = memory(user, PLACES, np.int64)
    _end_node(state)
    state[DEPTH] -= 1
    _put(state, END)


@callback("void(int64, int64, int32)")
def character_data(user, address, size):
    """Text goes on; of a text that is longer than any value it is known only that it is."""
    state = memory(user, PLACES, np.int64)
    fill, room = state[NODE_FILL], state[NODE_ROOM]
    if fill + size > room:
        state[NODE_FILL] = room + 1
        return
    source, target = memory(address, size, np.uint8), memory(state[NODE] + fill, size, np.uint8)
    for k in range(size):
        target[k] = source[k]
    state[NODE_FILL] = fill + size


@callback("void(int64, int64)")
def comment(user, text):
    """A comment ends a text node."""
    _end_node(memory(user, PLACES, np.int64))


@callback("void(int64, int64, int64)")
def instruction(user, target, text):
    """A processing instruction ends a text node."""
    _end_node(memory(user, PLACES, np.int64))


@callback("void(int64, int64, int64, int64, int32)")
def doctype(user, name, system, public, has_subset):
    """An internal subset may declare entities and defaults of attributes, which these handlers do not look after."""
    if has_subset != 0:
        _refuse(memory(user, PLACES, np.int64), SUBSET)
