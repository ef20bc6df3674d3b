"""An expression of CESQL as one tree of predicates: constants are calculated, attributes asked.

A node becomes a constant, a view of an attribute, a condition, or a `Failure`: an error that every event meets. A node
without a predicate is refused at its place; so is an expression that is true of no event, for it is a mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from watchword.errors import SubscriptionSyntaxError
from watchword.predicates.dialects.cesql import constants, syntax
from watchword.predicates.dialects.cesql.comparing import (
    CONSTANTS,
    equal,
    integers_of,
    ordered,
    texts_of,
    truth_of,
)
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
)
from watchword.predicates.dialects.sigma.values import accepts


@dataclass(frozen=True)
class Failure:
    """An error that occurs for every event."""

    reason: str
    at: int


Found = Value | View | Failure


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
        kind = (
            TYPES[type(found)]
            if isinstance(found, str | int)
            else "an Integer"
            if isinstance(found, Integers)
            else "a String"
        )
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
        raise Refusal(_ARITHMETIC)

    def _logic(self, node: syntax.Logic) -> Found:
        parts = [self._truth(self._value(part), part) for part in node.parts]
        if node.operator == "XOR":
            found = parts[0]
            for part in parts[1:]:
                found = exclusive(found, part)
            return found
        return conjunction(parts) if node.operator == "AND" else disjunction(parts)

    def _truth(self, found: Found, node: Node) -> Truth:
        """Return a value cast to a Boolean, as a condition; what cannot be cast is an error of every event."""
        try:
            return NEVER if isinstance(found, Failure) else truth_of(found)
        except Fault as fault:
            self._fail(str(fault), node.at)
            return NEVER

    # operators

    def _binary(self, node: syntax.Binary) -> Found:
        left, right = self._value(node.left), self._value(node.right)
        if isinstance(left, Failure) or isinstance(right, Failure):
            return left if isinstance(left, Failure) else right
        if node.operator in "+-*/%":
            if isinstance(left, CONSTANTS) and isinstance(right, CONSTANTS):
                return constants.calculate(node.operator, int(cast(left, int)), int(cast(right, int)))
            raise Refusal(_ARITHMETIC)
        if node.operator not in ("=", "!="):
            return ordered(node.operator, left, right)
        found = equal(left, right)
        if node.operator == "=":
            return found
        return not found if isinstance(found, bool) else opposite(found)

    def _like(self, node: syntax.Like) -> Found:
        found, pieces = self._value(node.operand), pattern_of(node.pattern)
        if isinstance(found, Failure):
            return found
        if isinstance(found, CONSTANTS):
            return accepts(pieces, str(cast(found, str)))
        return texts_of(found).like(pieces)

    def _in(self, node: syntax.In) -> Found:
        found = self._value(node.operand)
        members = [self._value(member) for member in node.members]
        if isinstance(found, Failure):
            return found
        known = [member for member in members if isinstance(member, CONSTANTS)]
        if isinstance(found, Attribute) and len(known) == len(members):
            return found.among(known)
        return disjunction([self._truth(self._member(member, found, node), node) for member in members])

    def _member(self, member: Found, found: Value | View, node: syntax.In) -> Found:
        """Return whether a member, cast to the type of what may be IN, equals it."""
        if isinstance(member, Failure):
            return member
        try:
            return equal(member, found)
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
        if node.name in _OF_ONE and not isinstance(first, (*CONSTANTS, Failure)):
            return _OF_ONE[node.name](first)
        if node.name in ("LOWER", "UPPER", *CASTS) and isinstance(first, Attribute):
            return _OF_ATTRIBUTES[node.name](first)
        numbers = [int(cast(one, int)) for one in others if isinstance(one, CONSTANTS)]
        is_cut = node.name in ("LEFT", "RIGHT", "SUBSTRING") and len(numbers) == len(others)
        if is_cut and isinstance(first, Attribute | Texts):
            return cut(node.name, texts_of(first), numbers)
        raise Refusal(f"{node.name} of an attribute cannot be said here; {_REMEDIES.get(node.name, _REMEDY)}")


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

_OF_ONE: dict[str, Callable[[View], View]] = {
    "INT": integers_of,
    "BOOL": truth_of,
    "STRING": texts_of,
    "LENGTH": lambda found: lengths(texts_of(found)),
}
_OF_ATTRIBUTES: dict[str, Callable[[Attribute], View]] = {
    "LOWER": lambda found: found.folded(str.lower, "LOWER"),
    "UPPER": lambda found: found.folded(str.upper, "UPPER"),
    "IS_INT": lambda found: within(found.as_integer().defined, found.exists),
    "IS_BOOL": lambda found: within(found.as_truth().defined, found.exists),
}

_ARITHMETIC = (
    "arithmetic with an attribute cannot be said; bring the calculation to the side of the constants, or add an "
    "attribute that has the result to the events"
)
_REMEDY = "compare the attribute itself, or add an attribute that has the result to the events"
_REMEDIES = {
    "TRIM": "compare with each text that may come, by IN, or trim the attribute before the event is matched",
    "ABS": "write a > -5 AND a < 5 for ABS(a) < 5",
    "CONCAT": "compare each attribute with its part of the text",
    "CONCAT_WS": "compare each attribute with its part of the text",
}
