"""Keywords, where `text` and `sets` meet: one text read and matched in one call (`one_text`), one subscription of plain
words stored or removed in one call (`one_change`), and the clauses of many subscriptions (`dnf`)."""
