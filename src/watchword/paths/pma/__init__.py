"""The pattern-matching automata of Silvasti, Sippu and Soisalon-Soininen (2010): keywords with gaps along paths.

`gaps` cuts paths into keywords and gaps, `store` keeps the rows, `tabled` makes the automaton and `output` its tables
again after a change; `pma` (Algorithms 1 to 4) and `pma2` (section 5) are the two methods.
"""
