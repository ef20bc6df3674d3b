"""Following walks by the backtracking automaton PMA (Silvasti, Sippu and Soisalon-Soininen 2010, section 3).

All output tuples are in one set, the *current output*, which is kept in two orders; what an element did to it is
logged, and undone when the element closes. The path ``//a/*/b`` has the keywords 0 (`a`, state 1) and 1 (`b`, state 2),
and waits for `b` two elements below an `a`. In ``<a><c>``, at depth 2::

    by_end     (3, 1, 3), (LAST, 0, 1)      end, keyword, begin: the tuples that expire first come first
    by_state   (1, 1, 0), (2, 3, 1)         state, begin, keyword: what waits in a state, by where it begins
    log        1 3                          keyword 1, beginning at depth 3, was inserted at depth 1
    log_starts [., 0, 2]                    where each depth begins in the log

`LAST` stands for no end. A keyword's number tells path and place in it (`output`), so the triple (e, i, j) of the paper
is end and keyword, and its pair (q, b) state and begin; the third number makes keys of those that would be equal, in
place of the paper's lists.

    by_end, by_state   two skip lists, equal in what they hold
    log                int32, two words a record: keyword (its complement if the tuple was deleted) and begin
    dropped            int32: first keywords whose tuples were deleted for good, and come back with the next document
    notes              int64, three words for each keyword (`output`)
    figures            int64: those named below

Cost. Every tuple that is put into the two orders or taken out of them is a *change*, in the logarithm of the tuples.
Theorem 2 of the paper has a change for each occurrence of a prefix only. But a first keyword that must end at depth 1,
as `x` in ``/x//y``, expires below the root: Algorithm 2 deletes its tuple at every child of the root, and Algorithm 4
puts it back when the child closes. 16,000 such paths and 2,000 children make 64 million changes, and no prefix occurs.

Invariant: closing an element leaves the current output as it was before, but for tuples of paths that were found as
often as wanted. A path has at most one tuple without end.

Deviations. What has expired is deleted before the tuples of a state are traversed, not afterwards, so that every tuple
that begins early enough is one that is waited for (Lemma 2). A tuple without end is not inserted if the path has one
for this keyword or a later one: with Lemma 3, which deletes those of earlier keywords, this leaves one of them, so that
nothing is touched twice. What is deleted is deleted one by one, each in the logarithm of the size, not in bulk. A tuple
that Lemma 3 deleted is not put back if its path is done. Where several tuples of a keyword match, as only gaps with
``least < most < ANY`` make them, one occurrence is reported.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.kernels.arena import WORDS_END
from watchword.kernels.jit import inline, kernel, leaf
from watchword.kernels.paths.moves import AT, DEPTH, DONE, ELEMENT, END, FULL, GROW, OPERATIONS, USED, end_document
from watchword.kernels.paths.output import NOTE_WORDS, OPEN, VERSION_NOTE, report, target, wanted
from watchword.kernels.paths.skip_list import KEYS, NEXT, RECORD_WORDS, OrderedKeys, drop, first_from, put

LAST = (1 << 31) - 1
"""The end of a tuple that has none."""

FIGURES = 6
VERSION, DOCUMENT, SEARCHES, LOGGED, DROPPED, CHANGES = range(FIGURES)
"""Elements opened over all documents; the document, from 1; states searched; words of the log and keywords dropped;
tuples inserted into the current output and deleted from it."""


class CurrentOutput(NamedTuple):
    """What a run keeps, as told above."""

    states: Int32
    log_starts: Int64
    log: Int32
    by_end: OrderedKeys
    by_state: OrderedKeys
    dropped: Int32
    notes: Int64
    figures: Int64


@kernel
def follow(tables, output, moves, progress, found):
    """Follow moves; returns `DONE`, or `FULL` or `GROW` before a move for which there is no room."""
    counters = progress.counters
    depth = counters[DEPTH]
    status = DONE
    for at in range(counters[AT], len(moves)):
        move = moves[at]
        counters[AT] = at
        if move == END:
            if not _room_to_close(output, depth):
                status = GROW
                break
            _backtrack(tables, output, progress, depth)
            depth -= 1
            if depth == 0:
                _end(tables, output, progress, found)
        else:
            state = target(tables, output.states, depth, move)
            if state >= 0:
                status = _room(tables, output, counters, found, state, depth)
                if status != DONE:
                    break
                if move >= 0:
                    depth += 1
                    _open(output, counters, depth, state)
                    _clean(tables, output, progress, depth)
                while True:
                    _traverse(tables, output, progress, found, state, depth)
                    if state == 0 or move < 0:
                        break
                    state = np.int64(tables.outputs[state])
        counters[AT] = at + 1
    counters[DEPTH] = depth
    return status


@leaf
def _room(tables, output, counters, found, state, depth):
    """Say what a move to this state, from this depth, has no room for: every tuple may expire, each new one end one."""
    if len(found.payloads) - counters[USED] < tables.found[state]:
        return FULL
    more = tables.inserted[state]
    logged = output.figures[LOGGED] + 2 * (output.by_end.state[KEYS] + 2 * more)
    if logged > len(output.log) or depth + 2 > len(output.states) or not _fit(output, more):
        return GROW
    return DONE


@leaf
def _room_to_close(output, depth):
    """Say whether what is logged at this depth can be undone, and at depth 1, what was dropped put back."""
    figures = output.figures
    return _fit(output, (figures[LOGGED] - output.log_starts[depth]) // 2 + len(output.dropped) * (depth == 1))


@leaf
def _fit(output, more):
    """Say whether so many tuples more fit."""
    by_end, by_state = output.by_end, output.by_state
    fits = by_end.state[WORDS_END] + RECORD_WORDS * more <= len(by_end.words)
    return fits and by_state.state[WORDS_END] + RECORD_WORDS * more <= len(by_state.words)


@leaf
def _open(output, counters, depth, state):
    figures = output.figures
    figures[VERSION] += 1
    output.states[depth], output.log_starts[depth] = state, figures[LOGGED]
    counters[ELEMENT] += 1


@leaf
def _clean(tables, output, progress, depth):
    """Delete what expired above this depth: Algorithm 2."""
    words = output.by_end.words
    record = np.int64(words[NEXT])
    while record >= 0 and words[record] < depth:
        keyword, begin = np.int64(words[record + 1]), np.int64(words[record + 2])
        if wanted(tables, output.notes, progress.limits, keyword, output.figures[DOCUMENT]):
            _delete(tables, output, keyword, begin)
            _note(output, ~keyword, begin)
        else:
            _forget(tables, output, keyword, begin)
        record = np.int64(words[NEXT])


@leaf
def _traverse(tables, output, progress, found, state, depth):
    """Touch the tuples of a state that wait for this depth: Algorithm 3, for one state of the output path."""
    by_state = output.by_state
    words = by_state.words
    output.figures[SEARCHES] += 1
    record = first_from(by_state, state, 0, 0)
    while record >= 0 and words[record] == state and words[record + 1] <= depth:
        begin, keyword = np.int64(words[record + 1]), np.int64(words[record + 2])
        if _touch(tables, output, progress, found, keyword, begin, depth):
            record = np.int64(words[record + NEXT])
        else:
            record = first_from(by_state, state, begin, keyword + 1)


@leaf
def _touch(tables, output, progress, found, keyword, begin, depth):
    """A keyword that was waited for ends here: report its path, or wait for the next. False if tuples were deleted."""
    progress.counters[OPERATIONS] += 1
    notes, limits, document = output.notes, progress.limits, output.figures[DOCUMENT]
    if not wanted(tables, notes, limits, keyword, document):
        _forget(tables, output, keyword, begin)
        return False
    group = tables.follows[keyword]
    if group >= 0:
        return _wait(tables, output, keyword, group, depth)
    note = NOTE_WORDS * keyword + VERSION_NOTE
    if notes[note] == output.figures[VERSION]:
        return True
    notes[note] = output.figures[VERSION]
    report(tables, notes, progress.counters, found, keyword, document)
    if wanted(tables, notes, limits, keyword, document):
        return True
    _forget(tables, output, keyword, begin)
    record = _endless(tables, output, keyword)
    if record >= 0:
        words = output.by_end.words
        _forget(tables, output, np.int64(words[record + 1]), np.int64(words[record + 2]))
    return False


@leaf
def _wait(tables, output, keyword, group, depth):
    """Insert the tuple of the next keyword; Lemma 3 deletes that of an earlier one. False if it did."""
    kept = True
    if tables.highs[group] == OPEN:
        record = _endless(tables, output, keyword)
        if record >= 0:
            words = output.by_end.words
            earlier, begin = np.int64(words[record + 1]), np.int64(words[record + 2])
            if earlier > keyword:
                return True
            _delete(tables, output, earlier, begin)
            _note(output, ~earlier, begin)
            kept = False
    begin = depth + tables.lows[group]
    if _insert(tables, output, keyword + 1, begin):
        _note(output, keyword + 1, begin)
    return kept


@leaf
def _endless(tables, output, keyword):
    """Return the record of the tuple without end that a keyword's path has, in the order of ends, or -1."""
    by_end, begins = output.by_end, tables.begins
    record = first_from(by_end, LAST, begins[keyword], 0)
    if record >= 0 and begins[by_end.words[record + 1]] == begins[keyword]:
        return record
    return np.int64(-1)


@leaf
def _backtrack(tables, output, progress, depth):
    """Undo what the element did that is open at this depth: Algorithm 4."""
    log, figures = output.log, output.figures
    for at in range(figures[LOGGED] - 2, output.log_starts[depth] - 1, -2):
        keyword, begin = np.int64(log[at]), np.int64(log[at + 1])
        if keyword >= 0:
            _delete(tables, output, keyword, begin)
        elif wanted(tables, output.notes, progress.limits, ~keyword, figures[DOCUMENT]):
            _insert(tables, output, ~keyword, begin)
        else:
            _drop(tables, output, ~keyword)
    figures[LOGGED] = output.log_starts[depth]


@leaf
def _end(tables, output, progress, found):
    """End a document: put back the first keywords' tuples that it dropped."""
    end_document(progress, found)
    figures = output.figures
    for k in range(figures[DROPPED]):
        keyword = np.int64(output.dropped[k])
        _insert(tables, output, keyword, tables.lows[tables.groups[keyword]])
    figures[DROPPED] = 0
    figures[DOCUMENT] += 1


@inline
def _insert(tables, output, keyword, begin):
    """Insert a tuple into both orders; False if it is there."""
    group = tables.groups[keyword]
    if not put(output.by_end, _end_of(tables, group, begin), keyword, begin):
        return False
    output.figures[CHANGES] += 1
    return put(output.by_state, np.int64(tables.group_states[group]), begin, keyword)


@inline
def _delete(tables, output, keyword, begin):
    """Delete a tuple from both orders, if it is there."""
    group = tables.groups[keyword]
    if drop(output.by_end, _end_of(tables, group, begin), keyword, begin):
        output.figures[CHANGES] += 1
        drop(output.by_state, np.int64(tables.group_states[group]), begin, keyword)


@leaf
def _forget(tables, output, keyword, begin):
    """Delete a tuple for good, as far as this document goes."""
    _delete(tables, output, keyword, begin)
    _drop(tables, output, keyword)


@leaf
def _drop(tables, output, keyword):
    """Note that a tuple is to come back with the next document, if every document begins with it."""
    if tables.begins[keyword] == keyword:
        output.dropped[output.figures[DROPPED]] = keyword
        output.figures[DROPPED] += 1


@inline
def _note(output, keyword, begin):
    """Log a tuple that was inserted, or, with the keyword's complement, deleted."""
    figures = output.figures
    output.log[figures[LOGGED]], output.log[figures[LOGGED] + 1] = keyword, begin
    figures[LOGGED] += 2


@inline
def _end_of(tables, group, begin):
    """Return the last depth for which a tuple waits."""
    return np.int64(LAST) if tables.highs[group] == OPEN else begin + tables.highs[group] - tables.lows[group]
