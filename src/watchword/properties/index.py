"""`PropertyIndex`: the class that users make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from watchword.index import Index, Key
from watchword.properties.language import Properties

if TYPE_CHECKING:
    from collections.abc import Iterable

    from watchword.index import Subscriptions


class PropertyIndex(Index[Key]):
    """Subscriptions over declared binary properties: which must be 1, which must be 0, and which do not matter.

    >>> index = PropertyIndex(properties=["sports", "politics", "arts"])
    >>> index.update({"s1": "sports=1 politics=0", "s2": "*1*", "s3": "arts=0"})
    >>> index.match({"sports"})
    ['s1', 's3']
    >>> index.match("110")
    ['s2', 's3']
    >>> print(index.explain({"sports": 1, "politics": 1}, "s1"))
    no match: forbidden politics=1 in: sports=1 AND politics=0

    A subscription is pairs with spaces, commas or AND between them, or the ternary string of all properties in their
    order. An event is the set of the names that are 1, the bit string of all properties, or a mapping from names to 0
    or 1. Many events may also be an Arrow array of bit strings, of lists of names or of structs, or a table with a
    column of booleans, or of integers 0 and 1, for each property. Names are compared as they are written.

    Options of every method:

    - `properties` (to be given always): their names, distinct, in the order of ternary and bit strings

    Option of `rapid`:

    - `c` (10): up to how many ones an event is light
    """

    plug = Properties

    if TYPE_CHECKING:  # for editors and type checkers; when it runs, `Index` takes and checks every option

        def __init__(
            self,
            subscriptions: Subscriptions[Key] | None = None,
            *,
            id: str | None = None,
            subscription: str | None = None,
            method: str | Literal["auto", "brute", "count", "tree", "rapid"] = "auto",
            properties: Iterable[str] | None = None,
            c: int = ...,
        ) -> None: ...
