"""Lucene's classic query syntax as subscriptions, in the order in which a query passes the files.

tokens        a query into tokens
parser        tokens into clauses: which are required, optional or prohibited
conditions    what one clause asks of the fields; Elasticsearch's `query_string` has its own
queries       `from_lucene`
"""

from __future__ import annotations

from watchword.predicates.dialects.lucene.queries import from_lucene

__all__ = ["from_lucene"]
