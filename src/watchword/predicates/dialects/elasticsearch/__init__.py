"""Queries of Elasticsearch's query DSL as subscriptions, in the order in which a query passes the files.

queries       `from_elasticsearch`: which file knows which query
context       shared by the parts of one query: fields, time, dropped weights; `body` has the parameters of a part
compound      bool, nested, constant_score, dis_max, boosting, function_score, match_all, match_none
full_text     match and its kin; `query_strings` has query_string, `simple` simple_query_string
term_level    term, terms, terms_set, range, exists, prefix, wildcard, fuzzy, ids
intervals     intervals; `spans` has span_near and its kin; both write `orders`: words in an order and at a distance
unsayable     queries that cannot be said, and the remedies
dumps         `from_percolator`: all queries of a percolator index; `options` has the options of readers for its fields
"""

from __future__ import annotations

from watchword.predicates.dialects.elasticsearch.queries import from_elasticsearch

__all__ = ["from_elasticsearch"]
