"""Texts: cut, folded, looked up.

In the order in which bytes pass: `plain_rows` (which subscriptions are plain words), `boolean_rows` (those with
phrases, OR, NOT and parentheses, as codes), `utf8` (code points), `characters` (what becomes of them, as tables),
`scan` (where terms begin and end, and their folding), `nfc` (marks that are out of order or unite with
letters), `vocabulary` (strings and their numbers), `read_terms` (all in one pass: a text into term numbers). `folding`
(whole texts case-folded, characters counted, UTF-8 checked) and `code_points` are for patterns.
"""
