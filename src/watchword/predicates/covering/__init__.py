"""Whether one rule covers another: `proving` asks which predicates imply which others (`implying`; of forms of texts
`forms`), and where it finds no proof, tries events that `witnesses` makes."""
