"""What expressions of CESQL come to, as the conformance tests of the specification say it.

Taken from the test cases ("TCK") of CloudEvents SQL 1.0, https://github.com/cloudevents/spec, folder cesql/cesql_tck,
which are under the Apache License 2.0 (https://www.apache.org/licenses/LICENSE-2.0): the expressions, events and
results, put into another form. The groups *exists*, *in*, *case* and *parse* are those of the Java library's tests,
https://github.com/cloudevents/sdk-java, under the same licence. Two results are those of the Go library's newer copy,
https://github.com/cloudevents/sdk-go, under that licence, too: ``NOT 10`` is no error, and the fourth case in
conjunctive normal form is false; four expressions stood under a misspelt key, and are the intended ones.

A case is an expression, its result or the name of its error in angle brackets, and what the event has beside `BASE`.
"""

from __future__ import annotations

from typing import Any

BASE = {
    "specversion": "1.0",
    "id": "A234-1234-1234",
    "source": "http://localhost/source",
    "type": "com.example.someevent",
}

Case = tuple[str, Any, dict[str, Any]]


def _cases(*rows: tuple) -> list[Case]:
    return [(row[0], row[1], row[2] if len(row) > 2 else {}) for row in rows]


MATH, CAST, MISSING, UNKNOWN, WRONG, PARSE = "<math>", "<cast>", "<attribute>", "<function>", "<evaluation>", "<parse>"
ERRORS = (MATH, CAST, MISSING, UNKNOWN, WRONG, PARSE)

_LIKES = "myext LIKE 'abc%123\\%456\\_d_f'"
_DNF = (
    "(id = 'myId' AND type LIKE '%.success') OR (id = 'notmyId' AND source LIKE 'http://%' AND type LIKE '%.warning')"
)
_CNF = "(id = 'myId' OR type LIKE '%.success') AND (id = 'notmyId' OR source LIKE 'https://%' OR type LIKE '%.warning')"
_NAMED = "(firstname = 'Francesco' AND lastname = 'Guardiani') OR subject = 'Francesco Guardiani'"
_EITHER = "id LIKE 'my%' OR source LIKE '%.ca'"
_BOTH = "id LIKE 'my%' AND source LIKE '%.ca'"
_CA, _COM = "http://www.some-website.ca", "http://www.some-website.com"
_HOPS = {"hop": "5", "ttl": "10"}

CASES: dict[str, list[Case]] = {
    "comparisons": _cases(
        *(
            (f"{left} {sign} {right}", (left == right) is (sign == "="))
            for sign in ("=", "!=", "<>")
            for left, right in [
                ("TRUE", "FALSE"),
                ("FALSE", "FALSE"),
                ("1", "2"),
                ("2", "2"),
                ("'abc'", "'123'"),
                ("'abc'", "'abc'"),
            ]
        ),
        *((f"missing {sign} 2", MISSING) for sign in ("=", "!=", "<>", "<=")),
        ("2 <= 2", True),
        ("3 <= 2", False),
        ("1 < 2", True),
        ("2 < 2", False),
        ("2 >= 2", True),
        ("2 >= 3", False),
        ("2 > 1", True),
        ("2 > 2", False),
        ("true = 'TRUE'", False),
        ("'TRUE' = true", True),
    ),
    "logic": _cases(
        *((f"{a} AND {b}", a == b == "TRUE") for a in ("FALSE", "TRUE") for b in ("FALSE", "TRUE")),
        ("false and (1 != 1 / 0)", False),
        ("true and (1 != 1 / 0)", MATH),
        *((f"{a} OR {b}", "TRUE" in (a, b)) for a in ("FALSE", "TRUE") for b in ("FALSE", "TRUE")),
        ("true or (1 != 1 / 0)", True),
        ("false or (1 != 1 / 0)", MATH),
        *((f"{a} XOR {b}", a != b) for a in ("FALSE", "TRUE") for b in ("FALSE", "TRUE")),
    ),
    "arithmetic": _cases(
        ("4 * 2 + 4 / 2", 10),
        ("4 * (2 + 4) / 2", 12),
        ("5 / 3", 1),
        ("5 / 0", MATH),
        ("5 % 2", 1),
        ("5 % 0", MATH),
        ("missing / 0", MISSING),
        ("missing % 0", MISSING),
        ("4 + 1", 5),
        ("-4 + 1", -3),
        ("-4 + -1", -5),
        ("4 + -1", 3),
        ("4 - 1", 3),
        ("-4 - 1", -5),
        ("'5' + 3", 8),
        ("5 + '3'", 8),
        ("'5' + '3'", 8),
        ("5 + TRUE", 6),
    ),
    "casts": _cases(
        ("INT('1')", 1),
        ("INT('-1')", -1),
        ("INT(1)", 1),
        ("INT(-1)", -1),
        ("INT(TRUE)", 1),
        ("INT(FALSE)", 0),
        ("INT('ABC')", CAST),
        ("BOOL('TRUE')", True),
        ('BOOL("false")', False),
        ("BOOL(TRUE)", True),
        ("BOOL(FALSE)", False),
        ("BOOL('ABC')", CAST),
        ("BOOL(1)", True),
        ("BOOL(0)", False),
        ("BOOL(100)", True),
        ("BOOL(-50)", True),
        ("STRING(TRUE)", "true"),
        ("STRING(FALSE)", "false"),
        ("STRING(1)", "1"),
        ("STRING(-1)", "-1"),
        ('STRING("abc")', "abc"),
    ),
    "attributes": _cases(
        ("id", "myId", {"id": "myId"}),
        ("subject", "mySubject", {"subject": "mySubject"}),
        ("subject", MISSING),
        ("mybool", True, {"mybool": True}),
        ("myint", 10, {"myint": 10}),
        ("myext", "my extension", {"myext": "my extension"}),
        ("source", "http://localhost/source"),
        ("time", "2018-04-26T14:48:09+02:00", {"time": "2018-04-26T14:48:09+02:00"}),
    ),
    "ABS": _cases(("ABS(10)", 10), ("ABS(-10)", 10), ("ABS(0)", 0), ("ABS(-2147483648)", MATH)),
    "LIKE": _cases(
        *(
            (f"'{text}' LIKE '{form}'", result)
            for text, form, result in [
                ("abc", "abc", True),
                ("ab\\c", "ab\\c", True),
                ("abc", "a%b%c", True),
                ("azbc", "a%b%c", True),
                ("azzzbzzzc", "a%b%c", True),
                ("a%b%c", "a%b%c", True),
                ("ac", "abc", False),
                ("", "abc", False),
                (".ab.cde.", ".%.%.", True),
                ("ab.cde", ".%.%.", False),
                ("abc", "a_b_c", False),
                ("a_b_c", "a_b_c", True),
                ("abzc", "a_b_c", False),
                ("azbc", "a_b_c", False),
                ("azbzc", "a_b_c", True),
                (".a.b.", "._._.", True),
                ("abcd.", "._._.", False),
                ("a_b_c", "a\\_b\\_c", True),
                ("azbzc", "a\\_b\\_c", False),
                ("abc", "a\\_b\\_c", False),
                ("abc", "a\\%b\\%c", False),
                ("a%b%c", "a\\%b\\%c", True),
                ("azbzc", "a\\%b\\%c", False),
            ]
        ),
        ("'abc' NOT LIKE 'abc'", False),
        ("'a_b_c' NOT LIKE 'a\\_b\\_c'", False),
        (_LIKES, True, {"myext": "abc123123%456_dzf"}),
        (_LIKES.replace("LIKE", "NOT LIKE"), False, {"myext": "abc123123%456_dzf"}),
        ("234 LIKE '23_'", True),
        ("2344 LIKE '23%'", True),
        ("2344 LIKE '23_'", False),
        ("TRUE LIKE 'tr%'", True),
        ("TRUE LIKE '%ue'", True),
        ("FALSE LIKE 'tr%'", False),
        ("FALSE LIKE 'fal%'", True),
    ),
    "literals": _cases(
        ("TRUE", True),
        ("FALSE", False),
        ("0", 0),
        ("1", 1),
        ("'abc'", "abc"),
        ('"abc"', "abc"),
        ("'aBc'", "aBc"),
        ('"AbC"', "AbC"),
        ("'a\"b\\'c'", "a\"b'c"),
        ('"a\'b\\"c"', "a'b\"c"),
    ),
    "minus": _cases(("-10", -10), ("--10", 10), ("-'10'", -10), ("--'10'", 10), ("-TRUE", -1), ("-missing", MISSING)),
    "NOT": _cases(
        ("NOT TRUE", False),
        ("NOT FALSE", True),
        ("NOT 'TRUE'", False),
        ("NOT 'FALSE'", True),
        ("NOT 10", False),
        ("NOT missing", MISSING),
    ),
    "examples": _cases(
        ("int(hop) < int(ttl) and int(hop) < 1000", True, _HOPS),
        ("INT(hop) < INT(ttl) AND INT(hop) < 1000", True, _HOPS),
        ("hop < ttl", True, _HOPS),
        ("sequence = 5", True, {"sequence": "5"}),
        ("sequence = 5", False, {"sequence": "6"}),
        ("firstname = 'Francesco' OR subject = 'Francesco'", True, {"subject": "Francesco", "firstname": "Doug"}),
        ("firstname = 'Francesco' OR subject = 'Francesco'", True, {"subject": "Doug", "firstname": "Francesco"}),
        (_NAMED, True, {"subject": "Doug", "firstname": "Francesco", "lastname": "Guardiani"}),
        (_NAMED, True, {"subject": "Francesco Guardiani", "firstname": "Doug", "lastname": "Davis"}),
        ("EXISTS subject", True, {"subject": "Francesco Guardiani"}),
    ),
    "texts": _cases(
        ("LENGTH('abc')", 3),
        ("LENGTH('')", 0),
        ("LENGTH('2')", 1),
        ("LENGTH(TRUE)", 4),
        ("CONCAT('a', 'b', 'c')", "abc"),
        ("CONCAT()", ""),
        ("CONCAT('a')", "a"),
        ("CONCAT_WS(',', 'a', 'b', 'c')", "a,b,c"),
        ("CONCAT_WS(',')", ""),
        ("CONCAT_WS(',', 'a')", "a"),
        ("CONCAT_WS()", UNKNOWN),
        *((f"LOWER('{text}')", "abc") for text in ("ABC", "AbC", "abc")),
        *((f"UPPER('{text}')", "ABC") for text in ("ABC", "AbC", "abc")),
        *((f"TRIM('{text}')", "a b c") for text in ("   a b c   ", "   a b c", "a b c   ", "a b c")),
        ("LEFT('abc', 2)", "ab"),
        ("LEFT('abc', 10)", "abc"),
        ("LEFT('', 0)", ""),
        ("LEFT('abc', -2)", WRONG),
        ("RIGHT('abc', 2)", "bc"),
        ("RIGHT('abc', 10)", "abc"),
        ("RIGHT('', 0)", ""),
        ("RIGHT('abc', -2)", WRONG),
        ("SUBSTRING('abcdef', 1)", "abcdef"),
        ("SUBSTRING('abcdef', 2)", "bcdef"),
        ("SUBSTRING('Quadratically', 5)", "ratically"),
        ("SUBSTRING('Sakila', -3)", "ila"),
        ("SUBSTRING('abcdef', 1, 6)", "abcdef"),
        ("SUBSTRING('abcdef', 2, 4)", "bcde"),
        ("SUBSTRING('Sakila', -5, 3)", "aki"),
        ("SUBSTRING('Quadratically', 0)", ""),
        ("SUBSTRING('Quadratically', 0, 1)", ""),
        ("SUBSTRING('abcdef', 10)", WRONG),
        ("SUBSTRING('abcdef', -10)", WRONG),
        ("SUBSTRING('abcdef', 10, 10)", WRONG),
        ("SUBSTRING('abcdef', -10, 10)", WRONG),
    ),
    "parentheses": _cases(("(TRUE)", True), ("4 * (2 + 3)", 20), ("(2 + 3) * 4", 20)),
    "subscriptions": _cases(
        ("source LIKE 'https://%'", True, {"source": "https://example.com"}),
        ("source LIKE 'https://%'", False, {"source": "http://example.com"}),
        ("myext LIKE 'custom%'", True, {"myext": "customext"}),
        ("myext LIKE 'custom%'", MISSING),
        ("type like '%.error'", True, {"type": "com.github.error"}),
        ("type like '%.error'", False, {"type": "com.github.success"}),
        ("myext LIKE '%ext'", True, {"myext": "customext"}),
        ("myext LIKE '%ext'", MISSING),
        ("id = 'myId'", True, {"id": "myId"}),
        ("id = 'myId'", False, {"id": "notmyId"}),
        ("myext = 'customext'", True, {"myext": "customext"}),
        ("myext = 'customext'", MISSING),
        (_BOTH, True, {"id": "myId", "source": _CA}),
        (_BOTH, False, {"id": "myId", "source": _COM}),
        (
            "myext LIKE 'custom%' AND type LIKE '%.error'",
            True,
            {"myext": "customext", "type": "com.github.error"},
        ),
        ("type LIKE 'example.%' AND myext LIKE 'custom%'", MISSING, {"type": "example.event.type"}),
        (_EITHER, True, {"id": "myId", "source": _CA}),
        (_EITHER, True, {"id": "myId", "source": _COM}),
        (_EITHER, True, {"id": "notmyId", "source": _CA}),
        (_EITHER, False, {"id": "notmyId", "source": _COM}),
        ("id LIKE 'my%' OR myext LIKE '%ext'", MISSING, {"id": "notmyId", "source": _COM}),
        (_DNF, True, {"id": "myId", "type": "example.event.success"}),
        (_DNF, True, {"id": "notmyId", "type": "example.event.warning", "source": "http://localhost.localdomain"}),
        (_DNF, False, {"id": "notmyId", "type": "example.event.warning", "source": "https://localhost.localdomain"}),
        (
            f"{_DNF} OR (myext = 'cusomext')",
            MISSING,
            {"id": "notmyId", "type": "example.event.warning", "source": "https://localhost.localdomain"},
        ),
        (_CNF, True, {"id": "myId", "type": "example.event.warning", "source": "http://localhost.localdomain"}),
        (_CNF, True, {"id": "notmyId", "type": "example.event.success", "source": "http://localhost.localdomain"}),
        (_CNF, False, {"id": "notmyId", "type": "example.event.warning", "source": "http://localhost.localdomain"}),
        (_CNF, False, {"id": "myId", "type": "example.event.success", "source": "http://localhost.localdomain"}),
        (
            f"{_CNF} AND (myext = 'customext')",
            MISSING,
            {"id": "myId", "type": "example.event.warning", "source": "http://localhost.localdomain"},
        ),
    ),
    "exists": _cases(
        ("EXISTS id", True),
        ("EXISTS time", True, {"time": "2018-04-26T14:48:09Z"}),
        ("EXISTS time", False),
        ("EXISTS myext", True, {"myext": 123}),
        ("EXISTS myext", False),
    ),
    "in": _cases(
        ("123 IN (1, 2, 3, 12, 13, 23, 123)", True),
        ("123 NOT IN (1, 2, 3, 12, 13, 23, 123)", False),
        ("'abc' IN ('abc', \"bcd\")", True),
        ("'aaa' IN ('abc', \"bcd\")", False),
        ("TRUE IN (TRUE, FALSE)", True),
        ("TRUE IN (FALSE)", False),
        ("source IN (myext, 'abc')", True, {"myext": "http://localhost/source"}),
        ("source IN (id, 'http://localhost/source')", True),
        ("source IN (id, 'xyz')", False),
    ),
    "case": _cases(
        *((text, True) for text in ("TRUE", "true", "tRuE")), *((text, False) for text in ("FALSE", "false", "FaLsE"))
    ),
    "parse": _cases(
        ("ABC(", PARSE),
    ),
}
