"""Driving expat: parsers made, fed and freed, whole batches in one call without the interpreter.

Expat's functions are known by their addresses (`watchword.paths.parsing.expat` finds them). Two documents in one run of
bytes, ``<a/>`` and ``<b></b>``, with b as label 1::

    data, offsets     <a/><b></b>, [0, 4, 11]
    codes             0 END 1 END

A parser is made and freed for each document, since expat's interface gives no way to use one again.

A document is fed in pieces of a megabyte, so that one that nests too deep, or has an internal subset, is left after a
piece. Expat reads a token that is not complete anew with each piece, which takes quadratic time if a token is large. So
where a piece has not moved the parser at all, the next is twice as large.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int64, UInt8
from watchword.kernels.c_calls import call_int, call_long, call_void
from watchword.kernels.jit import kernel
from watchword.kernels.paths.handlers import DEPTH, ELEMENTS, FILL, FINE, STATUS, set_asked, set_codes

(
    CREATE,
    FREE,
    PARSE,
    ERROR_CODE,
    ERROR_LINE,
    ERROR_COLUMN,
    SET_SALT,
    SET_USER,
    SET_ELEMENTS,
    SET_TEXT,
    SET_COMMENT,
    SET_INSTRUCTION,
    SET_DOCTYPE,
    SET_DEFERRAL,
    START_TAG,
    END_TAG,
    CHARACTER_DATA,
    COMMENT,
    INSTRUCTION,
    DOCTYPE,
    SALT,
    UTF_8,
    SEPARATOR,
) = range(23)
"""The places of `functions`: expat's functions, our handlers, and three values: the salt of its hash tables, the name
of an encoding and the separator of namespaces."""

FUNCTIONS = 23

CODE, LINE, COLUMN, NEXT = range(4)
"""The places of an outcome: expat's error or ours, where the parser stands, and how large the next piece should be."""

OUTCOME = 4

NO_MEMORY, TOO_LARGE, STOPPED = 1, -1, -100
"""What a code says besides expat's own numbers: a document above the limit; ``STOPPED - status``, what a handler had to
say. The first is expat's."""

JUNK = 9
"""Expat's error for what stands behind a root element."""

PIECE = 1 << 20
FIRST_PIECE = 1 << 13
MOST = 1 << 30


TAB, LF, CR, SPACE, LESS, GREATER = 9, 10, 13, 32, 60, 62


class Kind(NamedTuple):
    """How documents are to be read: namespaces resolved; text tests asked for; the limits."""

    namespaces: bool
    texts: bool
    max_depth: int
    max_bytes: int


class Batch(NamedTuple):
    """Documents in one run of bytes; ``decoded[i]`` says that one was a `str`, so what encoding it declares is void."""

    data: UInt8
    offsets: Int64
    decoded: UInt8


@kernel
def open_parser(functions, state, decoded, kind):
    """Return a parser whose handlers write to this state; 0 if there is no memory."""
    encoding = functions[UTF_8] if decoded else np.int64(0)
    separator = functions[SEPARATOR] if kind.namespaces else np.int64(0)
    parser = call_long(functions[CREATE], (encoding, np.int64(0), separator))
    if parser == 0:
        return parser
    call_int(functions[SET_SALT], (parser, functions[SALT]))
    if functions[SET_DEFERRAL] != 0:  # pieces grow by themselves
        call_int(functions[SET_DEFERRAL], (parser, np.int32(0)))
    call_void(functions[SET_USER], (parser, state.ctypes.data))
    call_void(functions[SET_ELEMENTS], (parser, functions[START_TAG], functions[END_TAG]))
    call_void(functions[SET_DOCTYPE], (parser, functions[DOCTYPE]))
    if kind.texts:
        call_void(functions[SET_TEXT], (parser, functions[CHARACTER_DATA]))
        call_void(functions[SET_COMMENT], (parser, functions[COMMENT]))
        call_void(functions[SET_INSTRUCTION], (parser, functions[INSTRUCTION]))
    return parser


@kernel
def close_parser(functions, parser):
    """Give a parser's memory back."""
    call_void(functions[FREE], (parser,))


@kernel
def feed_parser(functions, parser, state, span, final, outcome):
    """Parse memory between two addresses, the last of a document or not; return whether all is well.

    An element that is not complete at the end of a piece was not seen by a handler; it is with the next.
    """
    at, end = span
    while True:
        size = min(end - at, outcome[NEXT])
        last = final and at + size == end
        status = call_int(functions[PARSE], (parser, at, np.int32(size), np.int32(last)))
        at += size
        if last and status == 1 and state[STATUS] == FINE:
            return True  # where the parser stands matters to nobody
        line, column = call_long(functions[ERROR_LINE], (parser,)), call_long(functions[ERROR_COLUMN], (parser,))
        moved = line != outcome[LINE] or column != outcome[COLUMN]
        outcome[NEXT] = PIECE if moved else min(2 * outcome[NEXT], MOST)
        outcome[LINE], outcome[COLUMN] = line, column
        if state[STATUS] != FINE or status != 1:
            outcome[CODE] = (
                STOPPED - state[STATUS] if state[STATUS] != FINE else call_int(functions[ERROR_CODE], (parser,))
            )
            return False
        if at == end:
            return True


@kernel
def begin_document(outcome):
    """Set an outcome to the beginning of a document."""
    outcome[CODE], outcome[LINE], outcome[COLUMN], outcome[NEXT] = 0, 1, 0, PIECE


@kernel
def parse_documents(functions, asked, kind, batch, first, work, outcome):
    """Parse documents from number `first` on; return the first that cannot be read, or their number.

    `work` has the state of the handlers, room for a text node, the codes and, as one entry, how many there are. Of a
    document that cannot be read no codes are left, and `outcome` says why.
    """
    state, node, codes, fill = work
    base = batch.data.ctypes.data
    for document in range(first, len(batch.offsets) - 1):
        start, end = batch.offsets[document], batch.offsets[document + 1]
        if end - start > kind.max_bytes:
            outcome[CODE] = TOO_LARGE
            return document
        set_asked(state, asked, node, kind.max_depth)
        set_codes(state, codes, fill[0])
        begin_document(outcome)
        parser = open_parser(functions, state, batch.decoded[document] != 0, kind)
        if parser == 0:
            outcome[CODE] = NO_MEMORY
            return document
        well = feed_parser(functions, parser, state, (base + start, base + end), True, outcome)
        close_parser(functions, parser)
        if not well:
            return document
        fill[0] = state[FILL]
    return len(batch.offsets) - 1


@kernel
def parse_stream(functions, asked, kind, data, decoded, work, ends):
    """Parse documents that stand one behind the other, until `ends` is full; return their number.

    A document is taken if it is well-formed and the beginning of the next is seen behind it. ``ends[d]`` is how many
    codes there are when document `d` has ended, and where the next begins; `work` is as for `parse_documents`.
    """
    state, node, codes, fill = work
    start = documents = 0
    # a zero would be UTF-16, in which lines are counted otherwise
    while documents < len(ends) and start + 1 < len(data) and data[start] == LESS and data[start + 1] != 0:
        set_asked(state, asked, node, kind.max_depth)
        set_codes(state, codes, fill[0])
        parser = open_parser(functions, state, decoded, kind)
        if parser == 0:
            break
        following = _following(functions, parser, state, data, start)
        close_parser(functions, parser)
        if following < 0 or following - start > kind.max_bytes:
            break
        fill[0], start = state[FILL], following
        ends[documents, 0], ends[documents, 1] = fill[0], start
        documents += 1
    return documents


@kernel
def _following(functions, parser, state, data, start):
    """Parse the document that begins at `start`; return where the next one begins, or -1 if that is not certain.

    The parser sees the next beginning as an error. No piece ends with a carriage return, since a line feed behind it
    would count as another line.
    """
    base, at, size = data.ctypes.data, start, FIRST_PIECE
    while at < len(data):
        end = min(at + size, len(data))
        while end < len(data) and data[end - 1] == CR:
            end += 1
        status = call_int(functions[PARSE], (parser, base + at, np.int32(end - at), np.int32(0)))
        at, size = end, min(2 * size, PIECE)
        if state[STATUS] != FINE:
            return -1
        if status != 1:
            closed = state[DEPTH] == 0 and state[ELEMENTS] > 0
            if not closed or call_int(functions[ERROR_CODE], (parser,)) != JUNK:
                return -1
            line, column = call_long(functions[ERROR_LINE], (parser,)), call_long(functions[ERROR_COLUMN], (parser,))
            return _beginning(data, start, line, column)
    return -1


@kernel
def _beginning(data, at, line, column):
    """Return the byte of a line and column, counted from `at`, if a document may begin there, else -1.

    Expat counts columns in characters, so a line with others than ASCII is not certain: how many bytes they have is a
    matter of encoding.
    """
    row = 1
    while row < line:
        if at >= len(data):
            return -1
        if data[at] == LF or data[at] == CR:
            row += 1
            if data[at] == CR and at + 1 < len(data) and data[at + 1] == LF:
                at += 1
        at += 1
    place = at + column
    if place >= len(data) or place == 0 or data[place] != LESS:
        return -1
    for k in range(at, place):
        if data[k] >= 128:
            return -1
    before = data[place - 1]
    return place if before in (GREATER, SPACE, TAB, LF, CR) else -1
