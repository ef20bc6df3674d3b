"""What do events hold? Phase one of predicates: objects, JSON and Arrow columns into what each field has.

`reader` walks one object, `columns` and `placing` Arrow columns, `documents` makes columns of JSON texts and `blocks`
reads ahead of them; `depth` refuses what nests too deep, and `members` warns where CONTAINS meets a text. Whatever the
way, the result is a `held.Held`.
"""
