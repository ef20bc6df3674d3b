r"""Sigma rules as subscriptions.

>>> text = from_sigma(r'''
... title: Downloads by an office program
... logsource: {category: process_creation, product: windows}
... detection:
...   selection:
...     ParentImage|endswith: '\winword.exe'
...     CommandLine|contains: http
...   filter: {User: SYSTEM}
...   condition: selection and not filter
... ''', log_sources={"category: process_creation": "EventID = 1"})
>>> print(text.replace(" AND ", " AND\n"))
(EventID = 1) AND
ParentImage ENDS WITH '\winword.exe' IGNORING CASE AND
CommandLine HAS 'http' IGNORING CASE AND
NOT User = 'SYSTEM' IGNORING CASE

The answers are Sigma's, as its specification and its reference implementation have them, with these decisions:

- All values are texts that ignore case, says Sigma. A value without wildcards equals a text, case aside, and the number
  or boolean that is written so: ``EventID: 1`` and ``EventID: '1'`` both find 1 and '1'. Wildcards, contains,
  startswith and endswith look into texts only; ``*`` alone is any value. lt, lte, gt and gte compare numbers only.
- Case is folded by Unicode's full rules, and ``?`` is one character of the folded text.
- null is a field that is missing, null, or an empty list, and so is ``exists: false``. NOT is plain negation: where a
  field is missing, a filter on its text does not hold.
- A field that is a list has some value that fits; with `all`, each text may be in another value.
- A dot in a field leads into an object: ``userIdentity.type``.
- Keywords look into the attributes that the option `text` of the index names: ``HAS 'x' IGNORING CASE``.
- `neq` negates its field with all its values. `base64` and `base64offset` ignore case, too, unless `cased` is there.
"""

from __future__ import annotations

from collections.abc import Mapping

from watchword.predicates.dialects import aws
from watchword.predicates.dialects.aws import joined, write
from watchword.predicates.dialects.sigma.conditions import Condition
from watchword.predicates.dialects.sigma.documents import Map, Scalar, Sequence, Tree, read_documents
from watchword.predicates.dialects.sigma.errors import SigmaError
from watchword.predicates.dialects.sigma.log_sources import checked_log_sources, conditions_for, source_of
from watchword.predicates.dialects.sigma.selections import Selections

__all__ = ["from_sigma"]

_REFUSED = {
    "correlation": "a correlation joins several events, and a subscription is about one; subscribe to its rules",
    "filter": "a filter changes other rules; write its conditions into them",
    "action": "collections with actions are not read; write each rule as a whole",
}


def from_sigma(rule: str | bytes, *, log_sources: Mapping[str, str] | None = None) -> str:
    """Return the subscription with the answers of a Sigma rule, which is YAML.

    `log_sources` has conditions that log sources stand for: ``{"category: process_creation": "EventID = 1"}``. A rule
    that is wrong, or that no subscription can express, raises a `SubscriptionError` with its title and the line:

    >>> from_sigma("title: T\\ndetection:\\n  a:\\n    Image|fieldref: b\\n  condition: a")
    Traceback (most recent call last):
    ...
    watchword.predicates.dialects.sigma.errors.SigmaError: rule 'T', line 4: |fieldref: two fields of an event are not \
compared with each other; compare each with a value
    """
    sources = checked_log_sources(log_sources or {})
    documents = read_documents(rule)
    if len(documents) != 1:
        raise SigmaError(f"expected one rule, found {len(documents)} documents; give each by itself", line=0)
    [document] = documents
    if not isinstance(document, Map):
        raise SigmaError("a rule is a map with title, logsource and detection", line=document.line)
    try:
        detected = _detected(document)
        conditions: list[aws.Tree] = [*conditions_for(source_of(document.get("logsource")), sources)]
        return write(joined("and", [*conditions, detected]))
    except SigmaError as error:
        raise error.of_rule(_name(document)) from error.__cause__


def _name(rule: Map) -> str:
    found = rule.get("title") or rule.get("id")
    return found.text[:200] if isinstance(found, Scalar) else ""


def _detected(rule: Map) -> aws.Tree:
    """Return the tree of a rule's detection."""
    for name, reason in _REFUSED.items():
        if name in rule.pairs:
            raise SigmaError(f"{name}: {reason}", line=rule.keys[name].line)
    detection = rule.get("detection")
    if not isinstance(detection, Map):
        raise SigmaError("a rule has a detection, a map of selections and a condition", line=rule.line)
    if "timeframe" in detection.pairs:
        message = "timeframe: it counts events over time, and a subscription is about one; leave it out"
        raise SigmaError(message, line=detection.keys["timeframe"].line)
    conditions = _conditions(detection)
    named = _Named({name: node for name, node in detection.pairs.items() if name != "condition"})
    return joined("or", [Condition(one.text, one.line, named.nodes, named.tree).read() for one in conditions])


def _conditions(detection: Map) -> list[Scalar]:
    found = detection.get("condition")
    conditions = found.items if isinstance(found, Sequence) else [found]
    texts = [one for one in conditions if isinstance(one, Scalar)]
    if not texts or len(texts) < len(conditions):
        raise SigmaError("a detection has a condition: a text, or a list of texts", line=detection.line)
    return texts


class _Named:
    """The selections of a rule by name, each translated when a condition asks for it."""

    def __init__(self, nodes: dict[str, Tree]) -> None:
        self.nodes = nodes
        self._selections = Selections()
        self._made: dict[str, tuple[aws.Tree, int]] = {}

    def tree(self, name: str) -> aws.Tree:
        """Return a selection's tree; what it adds to the rule's text is counted each time."""
        if name not in self._made:
            made = self._selections.tree(self.nodes[name])
            self._made[name] = made, len(write(made))
        tree, length = self._made[name]
        self._selections.budget.spend(length, self.nodes[name].line)
        return tree
