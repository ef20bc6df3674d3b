"""Paths over trees: a document's moves up and down, and what is found on the way. `moves` has what all share."""
