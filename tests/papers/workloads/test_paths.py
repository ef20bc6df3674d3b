"""Paths and documents of a DTD: what is drawn fits the DTD, keeps to the parameters, and follows from the seed."""

from __future__ import annotations

import io
import re
from collections import Counter
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from tests.path_oracle import plain_occurrences
from watchword.errors import OptionError
from watchword.papers.workloads.auctions import AUCTIONS_TEXT
from watchword.papers.workloads.documents import DocumentWorkload
from watchword.papers.workloads.dtd import NEWS, NEWS_TEXT, RECURSIVE, RECURSIVE_TEXT, Dtd, read_dtd
from watchword.papers.workloads.paths import PathWorkload

CHAIN = read_dtd("<!ELEMENT a (b)> <!ELEMENT b (c?)> <!ELEMENT c EMPTY>")
DTDS = {"news": NEWS, "recursive": RECURSIVE, "chain": CHAIN}


def drawn(paths: int, dtd: Dtd = NEWS, **more: object) -> list[str]:
    return PathWorkload(paths, dtd, **more).subscription_table()["subscription"].to_pylist()  # type: ignore[arg-type]


def steps(path: str) -> list[tuple[str, str]]:
    return re.findall(r"(//?)([^/]+)", path)


def below(dtd: Dtd, names: set[str]) -> set[str]:
    """Return all that can stand somewhere in elements of these names."""
    found: set[str] = set()
    while new := {child for name in names for child in dtd.children(name)} - found:
        found |= new
        names = new
    return found


def fits(dtd: Dtd, path: str) -> bool:
    """Return whether some document of the DTD has an occurrence of the path."""
    here: set[str] | None = None
    for axis, name in steps(path):
        near = {dtd.root} if here is None else {child for each in here for child in dtd.children(each)}
        reached = near | below(dtd, near) if axis == "//" else near
        here = reached if name == "*" else reached & {name}
    return bool(here)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(
    name=st.sampled_from(sorted(DTDS)),
    depth=st.integers(1, 9),
    wildcard=st.sampled_from([0.0, 0.2, 0.7, 1.0]),
    descendant=st.sampled_from([0.0, 0.2, 1.0]),
    theta=st.sampled_from([0.0, 1.5]),
    seed=st.integers(0, 3),
)
def test_paths_fit_their_dtd(
    name: str, depth: int, wildcard: float, descendant: float, theta: float, seed: int
) -> None:
    dtd = DTDS[name]
    for path in drawn(
        200, dtd, depth=depth, wildcard=wildcard, descendant=descendant, theta=theta, distinct=False, seed=seed
    ):
        assert re.fullmatch(r"(//?[^/]+)+", path) and "//*" not in path
        assert 1 <= len(steps(path)) <= depth
        assert fits(dtd, path), path
        if not wildcard:
            assert "*" not in path
        if not descendant:
            assert "//" not in path
            # Nothing is skipped: a path that ends early ends in a leaf.
            assert len(steps(path)) == depth or "*" in path or not dtd.children(steps(path)[-1][1])


def test_without_wildcards_there_are_as_many_paths_as_ways_down() -> None:
    assert sorted(set(drawn(500, CHAIN, wildcard=0, descendant=0, distinct=False))) == ["/a/b/c"]
    assert sorted(set(drawn(500, CHAIN, depth=2, wildcard=0, descendant=0, distinct=False))) == ["/a/b"]
    # A path that skips to its leaf keeps what was written before; one with nothing written is drawn again.
    anywhere = set(drawn(2000, CHAIN, depth=3, wildcard=0, descendant=0.5, distinct=False))
    assert anywhere == {
        *("/a/b/c", "/a/b//c", "/a//c", "/a//b/c", "/a//b//c"),
        *("//a/b/c", "//a/b//c", "//a//b/c", "//a//b//c", "//a//c", "//b/c", "//b//c", "//c"),
    }


def test_a_star_in_a_gap_stands_before_it() -> None:
    seen = set(drawn(3000, CHAIN, depth=3, wildcard=0.5, descendant=0.5, distinct=False))
    assert {"/*//c", "/*/*//c", "/a/*//c", "/*/*/*", "/*//b/c"} <= seen


def test_probabilities_are_those_asked_for() -> None:
    plain = [steps(path) for path in drawn(20_000, RECURSIVE, wildcard=0.3, descendant=0, distinct=False)]
    assert all(len(path) == 6 for path in plain)
    stars = sum(name == "*" for path in plain for _, name in path) / (6 * len(plain))
    assert abs(stars - 0.3) < 0.01
    gaps = drawn(20_000, RECURSIVE, wildcard=0, descendant=0.25, distinct=False)
    assert abs(sum(path.startswith("//") for path in gaps) / len(gaps) - 0.25) < 0.01


def test_skipped_levels_are_uniform() -> None:
    paths = drawn(30_000, RECURSIVE, depth=2, wildcard=0, descendant=1, distinct=False)
    # The first level opens a gap of 0 or 1; after 0 the second opens another, of 0.
    assert abs(sum(len(steps(path)) == 1 for path in paths) / len(paths) - 0.5) < 0.01


def test_children_are_drawn_by_rank() -> None:
    for theta, shares in ((0.0, (1, 1, 1, 1, 1)), (1.0, (1, 1 / 2, 1 / 3, 1 / 4, 1 / 5))):
        paths = drawn(30_000, RECURSIVE, depth=2, wildcard=0, descendant=0, theta=theta, distinct=False)
        seen = Counter(path.rpartition("/")[2] for path in paths)
        for name, share in zip("abcde", shares, strict=True):
            assert abs(seen[name] / len(paths) - share / sum(shares)) < 0.01


def test_distinct_paths_are_distinct_and_the_first_of_their_kind() -> None:
    as_drawn = drawn(6000, seed=3, distinct=False)
    distinct = drawn(2000, seed=3)
    assert len(set(distinct)) == 2000
    assert distinct[:1000] == list(dict.fromkeys(as_drawn))[:1000]


def test_more_paths_than_there_are_cannot_be_drawn() -> None:
    with pytest.raises(OptionError, match=r"of 1,000 paths only 13 are distinct"):
        PathWorkload(1000, CHAIN, depth=3, wildcard=0, descendant=0.5).subscription_table()


def test_the_seed_decides_and_the_number_does_not() -> None:
    workload = PathWorkload(300, seed=8)
    table = workload.subscription_table()
    assert table.schema == pa.schema({"id": pa.int64(), "subscription": pa.large_string()})
    assert table.equals(workload.subscription_table())
    assert not table.equals(replace(workload, seed=9).subscription_table())
    assert replace(workload, paths=100).subscription_table().equals(table.slice(0, 100))
    assert PathWorkload(0).subscription_table().num_rows == 0


@pytest.mark.slow
def test_many_of_the_paths_match_documents() -> None:
    paths = drawn(300, seed=1)
    made = DocumentWorkload(elements=100, seed=1).documents(10).to_pylist()
    share = sum(bool(plain_occurrences(path, document)) for path in paths for document in made) / 3000
    assert 0.05 < share < 0.8


@pytest.mark.parametrize(
    "refused",
    [
        {"paths": -1},
        {"depth": 0},
        {"wildcard": 1.1},
        {"wildcard": float("nan")},
        {"descendant": -0.1},
        {"theta": -1},
        {"theta": float("inf")},
    ],
)
def test_paths_that_cannot_be_drawn_are_refused(refused: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        PathWorkload(**{"paths": 1, **refused})  # type: ignore[arg-type]


def depth(element: etree._Element) -> int:
    return 1 + max(map(depth, element), default=0)


def nested(element: etree._Element) -> int:
    """Return how often a name stands in itself on one way down, itself included."""
    return max(1 + sum(above.tag == each.tag for above in each.iterancestors()) for each in element.iter("*"))


@settings(max_examples=30, deadline=None)
@given(
    text=st.sampled_from([NEWS_TEXT, RECURSIVE_TEXT, AUCTIONS_TEXT]),
    elements=st.integers(1, 300),
    levels=st.integers(1, 15),
    nesting=st.sampled_from([None, 1, 2]),
    repeats=st.integers(1, 5),
    words=st.integers(0, 3),
    seed=st.integers(0, 3),
)
def test_documents_are_valid_and_keep_to_the_limits(
    text: str, elements: int, levels: int, nesting: int | None, repeats: int, words: int, seed: int
) -> None:
    dtd = read_dtd(text)
    workload = DocumentWorkload(dtd, elements, levels, nesting, repeats, words, seed)
    judge = etree.DTD(io.StringIO(text))
    for document in workload.documents(3).to_pylist():
        tree = etree.fromstring(document)
        assert judge.validate(tree), judge.error_log
        assert depth(tree) <= max(levels, least_depth(dtd))
        if nesting:
            assert nested(tree) <= nesting


def least_depth(dtd: Dtd) -> int:
    return DocumentWorkload(dtd).heights[dtd.root]


def test_recursive_documents_are_as_deep_and_large_as_asked() -> None:
    made = DocumentWorkload(RECURSIVE, elements=1000, depth=40, words=0, seed=1).documents(5).to_pylist()
    trees = [etree.fromstring(document) for document in made]
    assert all(400 < len(list(tree.iter("*"))) <= 1000 for tree in trees)
    assert max(map(depth, trees)) > 12
    flat = DocumentWorkload(RECURSIVE, elements=1000, depth=40, nesting=1, words=0, seed=1).documents(5).to_pylist()
    assert max(depth(etree.fromstring(document)) for document in flat) == 5


def test_what_is_required_goes_deeper_than_the_limit() -> None:
    endless = "<!ELEMENT a (b | a)> <!ELEMENT b (c)> <!ELEMENT c EMPTY>"
    made = DocumentWorkload(read_dtd(endless), depth=1, nesting=1).documents(20).to_pylist()
    assert set(made) == {b"<a><b><c/></b></a>"}


def test_attributes_have_values_of_their_types() -> None:
    dtd = read_dtd(
        "<!ELEMENT a (b+)> <!ELEMENT b EMPTY> <!ATTLIST a id ID #REQUIRED> <!ATTLIST b ref IDREF #REQUIRED"
        " kind (one | two) #REQUIRED  fixed CDATA #FIXED 'f'  maybe CDATA #IMPLIED  image ENTITY #IMPLIED>"
    )
    made = DocumentWorkload(dtd, repeats=30, elements=50).documents(1)[0].as_py()
    found = [dict(each.attrib) for each in etree.fromstring(made)]
    assert {each["kind"] for each in found} == {"one", "two"}
    assert {each["ref"] for each in found} == {"x1"} == {etree.fromstring(made).get("id")}
    assert 0 < sum("maybe" in each for each in found) < len(found)
    assert all(not {"fixed", "image"} & each.keys() for each in found)


def test_the_number_of_a_document_and_the_seed_decide() -> None:
    workload = DocumentWorkload(elements=50, seed=2)
    some = workload.documents(5)
    assert some.type == pa.large_binary() and len(set(some.to_pylist())) == 5
    assert workload.documents(3).equals(some[:3])
    assert not replace(workload, seed=3).documents(5).equals(some)


@pytest.mark.parametrize(
    "refused",
    [
        {"elements": 0},
        {"depth": 0},
        {"repeats": 0},
        {"words": -1},
        {"nesting": 0},
        {"dtd": read_dtd("<!ELEMENT a (a)>")},
    ],
)
def test_documents_that_cannot_be_drawn_are_refused(refused: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        DocumentWorkload(**refused)  # type: ignore[arg-type]


def test_declarations_are_read_with_their_parameter_entities() -> None:
    dtd = read_dtd("<!ENTITY % more 'c | b'><!ELEMENT a (b, (%more;)*)><!ELEMENT b (#PCDATA)><!ATTLIST b x CDATA 'd'>")
    assert dtd.root == "a" and dtd.names == ("a", "b", "c")
    assert dtd.children("a") == ("b", "c") and dtd.children("b") == () == dtd.children("c")
    assert dtd.attributes["b"][0].default == "d"


def test_a_prolog_is_read_as_well_and_names_the_root() -> None:
    prolog = b"<?xml version='1.0'?>\n<!-- <!DOCTYPE x> --><!DOCTYPE b [<!ELEMENT a (b)><!ELEMENT b ANY>]>"
    assert read_dtd(prolog).root == "b" == read_dtd(prolog + b"<b/>").root
    assert read_dtd(prolog).children("b") == ("a", "b")
    assert read_dtd(prolog, root="a").root == "a"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "declares no element"),
        ("<a/>", "not a DTD: syntax error in line 1"),
        ("<!ELEMENT a (b,>", "not a DTD: syntax error in line 1, column 15"),
        ("\n<!DOCTYPE a [ <!ELEMENT a (b,> ]>", "not a DTD: syntax error in line 2"),
        ("<!DOCTYPE a SYSTEM 'file:///a.dtd'>", "declares no element"),
        ("<!ENTITY % x SYSTEM 'file:///a.dtd'> %x;", "refers to 'file:///a.dtd'"),
        ("<!DOCTYPE b [ <!ELEMENT a EMPTY> ]>", "the root 'b' is not declared"),
    ],
)
def test_what_is_no_dtd_is_refused(text: str, reason: str) -> None:
    with pytest.raises(OptionError, match=re.escape(reason)):
        read_dtd(text)
