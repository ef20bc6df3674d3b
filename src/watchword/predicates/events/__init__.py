"""What do events hold? Phase one of predicates: objects, JSON and Arrow columns into what each field has.

`reader` walks one object, `columns` and `placing` Arrow columns. `scanning` finds in JSON texts the values that are
asked for, and makes columns of them; `documents` reads the texts that it leaves over, and makes Arrow columns of texts
for an index with a schema. `single` reads one text at a time, by kernels alone if it can. `blocks` reads ahead; `depth`
refuses what nests too deep, and `members` warns where CONTAINS meets a text. Whatever the way, the result is a
`held.Held`.
"""
