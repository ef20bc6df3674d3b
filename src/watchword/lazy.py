"""`lazy`: an attribute that is computed when it is first asked for, without a lock.

`functools.cached_property` has one lock for all objects of a class up to Python 3.11: the child of a fork waits for
ever if another thread of its parent was computing. Here threads that race compute the same value; the last one stays.

>>> class Circle:
...     @lazy
...     def area(self):
...         print("computed")
...         return 3
>>> circle = Circle()
>>> circle.area, circle.area
computed
(3, 3)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

Value = TypeVar("Value")


class lazy(Generic[Value]):
    """A method that becomes an attribute of its object when it is first asked for."""

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self._compute, self.__doc__ = compute, compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, owner: None, kind: type) -> lazy[Value]: ...
    @overload
    def __get__(self, owner: object, kind: type) -> Value: ...
    def __get__(self, owner: Any, kind: type) -> Any:
        """Compute the value and keep it in the object, where it is found from then on."""
        if owner is None:
            return self
        value = owner.__dict__[self._name] = self._compute(owner)
        return value
