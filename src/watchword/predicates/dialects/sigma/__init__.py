"""Sigma rules as subscriptions, in the order in which a rule passes the files.

documents     YAML into a tree that knows its lines, within bounds
rules         `from_sigma`: a rule, its detection, its log source
conditions    ``1 of selection* and not filter``
selections    maps, lists and keywords into predicates; `modifiers` change texts, `values` spell them
log_sources   conditions that log sources stand for
files         rules of a folder, a file or an archive
"""

from __future__ import annotations

from watchword.predicates.dialects.sigma.rules import from_sigma

__all__ = ["from_sigma"]
