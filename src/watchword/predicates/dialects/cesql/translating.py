"""An expression of CESQL as one tree of predicates: constants are calculated, attributes asked.

A node becomes a constant, a view of an attribute, a condition, or a `Failure`: an error that every event meets. What no
predicate can say is refused at its place; so is what is true of no event, for it is a mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from watchword.errors import SubscriptionSyntaxError
from watchword.predicates.dialects.cesql import constants, syntax
from watchword.predicates.dialects.cesql.constants import CASTS, FUNCTIONS, TYPES, Fault, cast, is_castable
from watchword.predicates.dialects.cesql.cutting import cut, lengths
from watchword.predicates.dialects.cesql.integers import Unsayable
from watchword.predicates.dialects.cesql.syntax import Node, Value
from watchword.predicates.dialects.cesql.trees import (
    MAX_PREDICATES,
    NEVER,
    TooMany,
    Tree,
    Truth,
    conjunction,
    disjunction,
    exclusive,
    fixed,
    opposite,
    within,
)
from watchword.predicates.dialects.cesql.views import (
    Attribute,
    Integers,
    Refusal,
    Texts,
    View,
    pattern_of,
    same,
    truth_as_integer,
    truth_as_text,
)
from watchword.predicates.dialects.sigma.values import accepts

CONSTANTS = (str, int, bool)
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True)
class Failure:
    """An error that occurs for every event."""

    reason: str
    at: int


@dataclass(frozen=True)
class Length:
    """The LENGTH of a text made from an attribute."""

    texts: Texts


Found = Value | View | Length | Failure


def translated(text: str) -> Tree:
    """Return the tree of predicates of an expression."""
    return _Translator(text).whole(syntax.parse(text))


class _Translator:
    def __init__(self, text: str) -> None:
        self._text = text
        self._failures: list[Failure] = []
        self._asks = False
        """Whether an attribute was asked."""

    def whole(self, node: Node) -> Tree:
        """Return the tree of the root."""
        try:
            found = self._condition(node)
            true = found.true
        except TooMany:
            self._refuse(f"the expression becomes more than {MAX_PREDICATES:,} predicates", node)
        except Refusal as refusal:
            self._refuse(str(refusal), node)
        if true is False and (self._asks or found.false is not True):
            self._refuse_never(node)
        return true

    def _condition(self, node: Node) -> Truth:
        """Return a whole expression as a condition: a filter that is no Boolean passes no event."""
        found = self._value(node)
        if isinstance(found, Attribute):
            return found.is_true()
        if isinstance(found, bool | Truth | Failure):
            return self._truth(found, node)
        kind = TYPES[type(found)] if isinstance(found, str | int) else _kind(found)
        self._refuse(f"the expression is {kind}; a filter has to be a Boolean, so compare it with something", node)

    def _refuse(self, message: str, node: Node) -> NoReturn:
        raise SubscriptionSyntaxError(message, text=self._text, position=node.at)

    def _refuse_never(self, node: Node) -> NoReturn:
        if self._failures:
            failure = self._failures[0]
            message, at = f"no event passes, for this is always an error: {failure.reason}", failure.at
        else:
            message, at = "no event passes: this can never be true", node.at
        if any(isinstance(one, syntax.Unary) and one.operator == "NOT" for one in _operands(node)):
            message += "; NOT binds tighter than what follows it: write NOT (a = 'x') for what NOT a = 'x' is to mean"
        raise SubscriptionSyntaxError(message, text=self._text, position=at)

    def _fail(self, reason: str, at: int) -> Failure:
        failure = Failure(reason, at)
        self._failures.append(failure)
        return failure

    # values

    def _value(self, node: Node) -> Found:
        try:
            return _READERS[type(node)](self, node)
        except Fault as fault:
            return self._fail(str(fault), node.at)
        except Refusal as refusal:
            self._refuse(str(refusal), node)
        except Unsayable:
            self._refuse("which integers have this form cannot be said; compare with = or <", node)

    def _literal(self, node: syntax.Literal) -> Found:
        return node.value

    def _attribute(self, node: syntax.Attribute | syntax.Exists) -> Attribute:
        if node.name in ("data", "database64"):
            self._refuse("CESQL asks for the context attributes of an event, not for its data", node)
        self._asks = True
        return Attribute(node.name)

    def _exists(self, node: syntax.Exists) -> Found:
        return within(self._attribute(node).exists, True)

    def _unary(self, node: syntax.Unary) -> Found:
        found = self._value(node.operand)
        if isinstance(found, Failure):
            return found
        if node.operator == "NOT":
            return not cast(found, bool) if isinstance(found, CONSTANTS) else opposite(self._truth(found, node.operand))
        if isinstance(found, CONSTANTS):
            return constants.checked(-int(cast(found, int)))
        self._refuse_arithmetic(node)

    def _logic(self, node: syntax.Logic) -> Found:
        parts = [self._truth(self._value(part), part) for part in node.parts]
        if node.operator == "XOR":
            found = parts[0]
            for part in parts[1:]:
                found = exclusive(found, part)
            return found
        return conjunction(parts) if node.operator == "AND" else disjunction(parts)

    def _truth(self, found: Found, node: Node) -> Truth:
        """Return a value cast to a Boolean, as a condition."""
        if isinstance(found, Truth):
            return found
        if isinstance(found, Failure):
            return NEVER
        if isinstance(found, CONSTANTS):
            if not is_castable(found, bool):
                self._fail(f"{found!r} is neither true nor false", node.at)
                return NEVER
            return fixed(bool(cast(found, bool)))
        if isinstance(found, Attribute | Integers):
            return found.as_truth()
        self._refuse("a function that makes a text cannot be taken for a Boolean; compare it with a text", node)

    # comparisons and arithmetic

    def _binary(self, node: syntax.Binary) -> Found:
        left, right = self._value(node.left), self._value(node.right)
        for found in (left, right):
            if isinstance(found, Failure):
                return found
        if node.operator in "+-*/%":
            if isinstance(left, CONSTANTS) and isinstance(right, CONSTANTS):
                return constants.calculate(node.operator, int(cast(left, int)), int(cast(right, int)))
            self._refuse_arithmetic(node)
        if node.operator in ("=", "!="):
            equal = self._equal(left, right, node)
            return equal if node.operator == "=" or isinstance(equal, Failure) else opposite(_condition_of(equal))
        return self._ordered(node, left, right)

    def _refuse_arithmetic(self, node: Node) -> NoReturn:
        self._refuse(
            "arithmetic with an attribute cannot be said; bring the calculation to the side of the constants, or add "
            "an attribute that has the result to the events",
            node,
        )

    def _refuse_two(self, node: Node) -> NoReturn:
        self._refuse(
            "two attributes cannot be compared with each other; compare each with a constant, or add an attribute that "
            "has the result to the events",
            node,
        )

    def _ordered(self, node: syntax.Binary, left: Found, right: Found) -> Found:
        sign = node.operator
        if isinstance(left, CONSTANTS) and isinstance(right, CONSTANTS):
            return constants.compare(sign, int(cast(left, int)), int(cast(right, int)))
        if isinstance(left, CONSTANTS):
            left, right, sign = right, left, _FLIPPED[sign]
        if not isinstance(right, CONSTANTS):
            self._refuse_two(node)
        return self._integers(left, node).compare(sign, int(cast(right, int)))

    def _integers(self, found: Found, node: Node) -> Integers:
        """Return something that is no constant, cast to an Integer."""
        if isinstance(found, Attribute):
            return found.as_integer()
        if isinstance(found, Length):
            return lengths(found.texts)
        if isinstance(found, Truth):
            return truth_as_integer(found)
        if isinstance(found, Integers):
            return found
        self._refuse("a function that makes a text cannot be taken for an Integer; compare it with a text", node)

    def _equal(self, left: Found, right: Found, node: Node) -> Found:
        """Return whether two values are equal, `left` being cast to the type of `right`."""
        if isinstance(right, CONSTANTS):
            if isinstance(left, CONSTANTS):
                return cast(left, type(right)) == right
            return self._equal_constant(left, right, node)
        if isinstance(left, CONSTANTS):
            return self._constant_equal(left, right, node)
        if isinstance(right, Truth):
            return same(self._truth(left, node), right)
        self._refuse_two(node)

    def _equal_constant(self, left: Found, right: Value, node: Node) -> Truth:
        if isinstance(right, bool):
            truth = self._truth(left, node)
            return truth if right else opposite(truth)
        if isinstance(right, int):
            return self._integers(left, node).compare("=", right)
        return self._texts(left).equal(right)

    def _texts(self, found: Found) -> Texts:
        """Return something that is no constant, cast to a String."""
        if isinstance(found, Attribute | Integers):
            return found.as_text()
        if isinstance(found, Length):
            return lengths(found.texts).as_text()
        if isinstance(found, Truth):
            return truth_as_text(found)
        assert isinstance(found, Texts)
        return found

    def _constant_equal(self, left: Value, right: Found, node: Node) -> Truth:
        """Return whether a constant, cast to the type that the right side has, equals it."""
        if isinstance(right, Attribute):
            return right.among([left])
        if isinstance(right, Texts):
            return right.equal(str(cast(left, str)))
        if isinstance(right, Truth):
            return right if cast(left, bool) else opposite(right)
        return self._integers(right, node).compare("=", int(cast(left, int)))

    # LIKE and IN

    def _like(self, node: syntax.Like) -> Found:
        found, pieces = self._value(node.operand), pattern_of(node.pattern)
        if isinstance(found, Failure):
            return found
        if isinstance(found, CONSTANTS):
            return accepts(pieces, str(cast(found, str)))
        return self._texts(found).like(pieces)

    def _in(self, node: syntax.In) -> Found:
        found = self._value(node.operand)
        members = [self._value(member) for member in node.members]
        if isinstance(found, Failure):
            return found
        known = [member for member in members if isinstance(member, CONSTANTS)]
        if isinstance(found, Attribute) and len(known) == len(members):
            return found.among(known)
        parts = [self._member(member, found, node) for member in members]
        return disjunction([self._truth(part, node) for part in parts])

    def _member(self, member: Found, found: Found, node: syntax.In) -> Found:
        """Return whether a member, cast to the type of what may be IN, equals it."""
        if isinstance(member, Failure):
            return member
        try:
            return self._equal(member, found, node)
        except Fault as fault:
            return self._fail(str(fault), node.at)

    # functions

    def _call(self, node: syntax.Call) -> Found:
        self._check_call(node)
        arguments = [self._value(argument) for argument in node.arguments]
        for argument in arguments:
            if isinstance(argument, Failure):
                return argument
        known = [argument for argument in arguments if isinstance(argument, CONSTANTS)]
        if len(known) == len(arguments):
            return is_castable(known[0], CASTS[node.name]) if node.name in CASTS else constants.call(node.name, known)
        return self._asked(node, arguments)

    def _check_call(self, node: syntax.Call) -> None:
        if node.name not in FUNCTIONS and node.name not in CASTS:
            offered = ", ".join(sorted([*FUNCTIONS, *CASTS]))
            self._refuse(f"there is no function {node.name} here; there are {offered}", node)
        least, most = constants.arity(node.name)
        if not least <= len(node.arguments) <= most:
            self._refuse(f"{node.name} has {least if least == most else f'{least} to {most}'} arguments", node)

    def _asked(self, node: syntax.Call, arguments: Sequence[Found]) -> Found:
        """Return what a function makes of something that is no constant."""
        first, others = arguments[0], arguments[1:]
        if node.name in _CASTING and not isinstance(first, CONSTANTS):
            return _CASTING[node.name](self, first, node)
        if node.name in ("LOWER", "UPPER") and isinstance(first, Attribute):
            return first.folded(str.lower if node.name == "LOWER" else str.upper, node.name)
        numbers = [int(cast(one, int)) for one in others if isinstance(one, CONSTANTS)]
        is_cut = node.name in ("LEFT", "RIGHT", "SUBSTRING") and len(numbers) == len(others)
        if is_cut and isinstance(first, Attribute | Texts):
            return cut(node.name, self._texts(first), numbers)
        self._refuse(f"{node.name} of an attribute cannot be said here; {_REMEDIES.get(node.name, _REMEDY)}", node)

    def _castable(self, found: Found, node: syntax.Call) -> Found:
        if not isinstance(found, Attribute):
            self._refuse(f"{node.name} can be said of an attribute only", node)
        defined = found.as_integer().defined if node.name == "IS_INT" else found.as_truth().defined
        return within(defined, found.exists)

    def _as_text(self, found: Found, node: syntax.Call) -> Found:
        return self._texts(found)


def _condition_of(found: Found) -> Truth:
    if isinstance(found, bool):
        return fixed(found)
    assert isinstance(found, Truth)
    return found


def _kind(found: Found) -> str:
    return "an Integer" if isinstance(found, Integers | Length) else "a String"


def _operands(node: Node) -> list[Node]:
    """Return what a comparison, LIKE or IN is about."""
    if isinstance(node, syntax.Binary):
        return [node.left]
    return [node.operand] if isinstance(node, syntax.Like | syntax.In) else []


_READERS: dict[type[Node], Callable[..., Found]] = {
    syntax.Literal: _Translator._literal,
    syntax.Attribute: _Translator._attribute,
    syntax.Exists: _Translator._exists,
    syntax.Unary: _Translator._unary,
    syntax.Binary: _Translator._binary,
    syntax.Logic: _Translator._logic,
    syntax.Like: _Translator._like,
    syntax.In: _Translator._in,
    syntax.Call: _Translator._call,
}

_CASTING: dict[str, Callable[..., Found]] = {
    "INT": lambda translator, found, node: translator._integers(found, node),
    "BOOL": lambda translator, found, node: translator._truth(found, node),
    "STRING": _Translator._as_text,
    "IS_INT": _Translator._castable,
    "IS_BOOL": _Translator._castable,
    "LENGTH": lambda translator, found, node: Length(translator._texts(found)),
}

_REMEDY = "compare the attribute itself, or add an attribute that has the result to the events"
_REMEDIES = {
    "TRIM": "compare with each text that may come, by IN, or trim the attribute before the event is matched",
    "ABS": "write a > -5 AND a < 5 for ABS(a) < 5",
    "CONCAT": "compare each attribute with its part of the text",
    "CONCAT_WS": "compare each attribute with its part of the text",
}
