"""Keywords, where `text` and `sets` meet: one text read and matched in one call (`one_text`), and the clauses of many
subscriptions (`normal_form`)."""
