"""Which words, in which order, with which gaps between them? What patterns over text and paths over trees share.

`words` numbers the distinct words of a batch, `automaton` makes the automaton that finds all of them in one walk;
`labels` does where letters are numbers, not bytes. How they are put together along a line is in
`kernels.sequences.gaps`.
"""
