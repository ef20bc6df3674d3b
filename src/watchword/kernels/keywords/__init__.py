"""Keywords: what `text` and `sets` do one after the other, in one call for one text (`one_text`)."""
