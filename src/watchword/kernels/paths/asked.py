"""What paths ask of documents, as the parser's handlers look it up: names, attributes, values, texts.

Four things are numbered. *Names* of elements (label = number + 1). *Attributes*, by name; one more number, `TEXT`
below, stands for an element's text. *Values*, of attributes and texts alike. *Tests*: that an attribute is there, or
that an attribute, or a text, has a value. The paths ``//a[@x]``, ``//b[@x='1']`` and ``//c[text()='1']`` ask for::

    names       a 0, b 1, c 2
    attributes  x 0
    values      1 0
    present     [0]                             test 0: @x
    pairs       (0, 0) → 1, (TEXT, 0) → 2       test 1: @x='1', test 2: text()='1'
"""

from __future__ import annotations

from typing import NamedTuple

from watchword.arrays import Int32, Int64
from watchword.kernels.text.vocabulary import StringTable

TEXT = (1 << 31) - 1
"""The attribute that stands for an element's text nodes in `Asked.pairs`."""


class Asked(NamedTuple):
    """What paths ask for. ``present[attribute]`` is the test that it is there, or -1; a `child_table` of
    ``(attribute, value)`` has the tests of values. ``limits[0]`` is the length of the longest text value in bytes, -1
    if no text is asked for; ``limits[1]`` the number of attributes, so 0 where no path looks at one."""

    names: StringTable
    attributes: StringTable
    values: StringTable
    present: Int32
    pair_keys: Int64
    pair_tests: Int32
    limits: Int64
