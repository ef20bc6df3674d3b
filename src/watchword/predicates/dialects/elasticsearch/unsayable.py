"""Queries that cannot be said, and what to write instead."""

from __future__ import annotations

_PLACES = (
    "places on a map are not compared; write ranges of latitude and longitude, as range queries on fields such as "
    "location.lat and location.lon"
)
_SCRIPT = "scripts are not run; write the condition as term, range and bool queries"
_JOINED = "a match is about one event; put what is asked of the parent or child into the event itself"
_SCORED = "it weighs, and a match has no score; leave it out"
_VECTORS = "vectors are not compared; write the words that are meant, as a match query"

UNSAYABLE = {
    "regexp": "regular expressions are not there yet; say it with wildcard, prefix, or several terms",
    "more_like_this": (
        "what a text is like depends on all documents of an index; write the words that matter, as a match query with "
        "minimum_should_match"
    ),
    **dict.fromkeys(("geo_distance", "geo_bounding_box", "geo_polygon", "geo_shape", "geo_grid", "shape"), _PLACES),
    **dict.fromkeys(("script", "script_score"), _SCRIPT),
    **dict.fromkeys(("has_child", "has_parent", "parent_id"), _JOINED),
    **dict.fromkeys(("distance_feature", "rank_feature", "pinned", "rule"), _SCORED),
    **dict.fromkeys(("knn", "sparse_vector", "text_expansion", "weighted_tokens", "semantic"), _VECTORS),
    "percolate": "a query that asks for queries has no meaning for an event; leave it out",
    "wrapper": "queries in Base64 are not read; write the query itself",
    "common": "it weighs words by how frequent they are in an index; write match",
    "span_not": "a span without another is not looked for; write bool with must and must_not",
    "span_containing": "a span inside of another is not looked for; write span_near",
    "span_within": "a span inside of another is not looked for; write span_near",
    "field_masking_span": "words of several fields have no distance; ask each field by itself",
    "type": "events have no type; leave it out",
    "indices": "events have no index; leave it out",
}
"""By the name of a query, the reason and the remedy."""
