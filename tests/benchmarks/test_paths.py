"""The benchmark of paths runs: every section, on data so small that its figures mean nothing."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

import pyarrow as pa
import pytest

from benchmarks import paths
from benchmarks.data import paths as path_data
from benchmarks.data.paths import Scale
from benchmarks.harness import Report, Row
from watchword.papers.workloads.documents import DocumentWorkload
from watchword.papers.workloads.dtd import NEWS, NEWS_TEXT
from watchword.papers.workloads.paths import PathWorkload

TINY = Scale(
    nitf=(50, 150),
    xmark=(50,),
    growth=((50, 100),),
    recursive=(50,),
    recursive_documents=3,
    occurrences=(50,),
    copies=(1, 2),
)
AUCTION = """<!DOCTYPE site [
<!ELEMENT site (people)> <!ELEMENT people (person*)> <!ELEMENT person (name, person*)> <!ELEMENT name EMPTY>
]>"""
XMARK = b"<?xml version='1.0'?>\n<site><people><person id='1'><name/></person></people></site>"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "TURNS", 2)
    monkeypatch.setattr(paths, "TURN_SECONDS", 0.001)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a few documents and paths as the real files have them."""
    folder = tmp_path / path_data.FOLDER
    folder.mkdir()
    (folder / "nitf-2-5.dtd").write_text(NEWS_TEXT)
    (folder / "auction.dtd").write_text(AUCTION)
    given = PathWorkload(100, NEWS, seed=1).subscription_table()["subscription"].to_pylist()
    (folder / "nitf-queries-60k-distinct.txt.gz").write_bytes(gzip.compress("\n".join([*given, ""]).encode()))
    (folder / "xmark-0.1.xml.gz").write_bytes(gzip.compress(XMARK))
    with tarfile.open(folder / "nitf-docs-500.tar.gz", "w:gz") as archive:
        for number, document in enumerate(DocumentWorkload(NEWS, elements=30).documents(5).to_pylist()):
            member = tarfile.TarInfo(f"docs/{number}.xml")
            member.size = len(document)
            archive.addfile(member, io.BytesIO(document))
    monkeypatch.setenv("WATCHWORD_DATA", str(tmp_path))
    return tmp_path


def run(section: str) -> Report:
    report = Report("test", {})
    paths.SECTIONS[section](report, TINY)
    return report


def tables(report: Report) -> dict[str, list[Row]]:
    return {table["title"]: table["rows"] for table in report.content["tables"]}


def test_more_paths_than_are_given_are_generated_and_distinct(data: Path) -> None:
    some, more = (path_data.nitf_paths(data, count)["subscription"].to_pylist() for count in (80, 150))
    assert len(some) == 80 and more[:80] == some and len(set(more)) == 150
    assert path_data.growing_paths(data, 150)["subscription"].to_pylist() == more


def test_a_larger_document_has_what_is_in_the_root_more_often(data: Path) -> None:
    assert path_data.xmark_document(data) == XMARK
    twice = path_data.xmark_document(data, 2)
    assert twice.count(b"<people>") == 2 and twice.count(b"<site>") == twice.count(b"</site>") == 1
    path_data.write_xmark(data, data / "twice.xml", 2)
    assert (data / "twice.xml").read_bytes() == twice


@pytest.mark.slow
def test_every_method_filters_the_documents(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "YFILTER", {50: (1.0, 2.0)})
    found = tables(run("nitf"))
    rows = found["nitf: 50 paths, 5 documents, filtering"]
    assert [row["method"] for row in rows] == [*paths.present(), paths.ALONE, paths.EXPAT, paths.STATED]
    assert rows[0]["auto is faster ×"] == 1.0 and rows[-2]["of expat's speed"] == 1.0
    assert rows[0]["matching ms"] == rows[0]["ms/document"] - rows[-3]["ms/document"]
    assert len(found["nitf: 150 paths, 5 documents, filtering"]) == len(rows) - 1
    assert len(found["nitf: verdict"]) >= 3


@pytest.mark.slow
def test_one_large_document_is_filtered_searched_and_weighed(data: Path) -> None:
    found = tables(run("xmark"))
    assert len(found["xmark: 50 paths, one document, filtering"]) == len(paths.present()) + 2
    assert len(found["xmark: 50 paths, one document, all occurrences"]) == len(paths.present()) + 2
    memory = found["xmark: memory of all occurrences"]
    assert [(row["limit"], row["document MB"] > memory[0]["document MB"]) for row in memory] == [
        ("–", False),
        (1, False),
        ("–", True),
        (1, True),
    ]
    assert len(found["xmark: verdict"]) == 4


@pytest.mark.slow
def test_growth_sets_the_pairs_aside(data: Path) -> None:
    rows = tables(run("growth"))["growth: 50 to 100 paths, auto"]
    assert [row["paths"] for row in rows] == [50, 100]
    assert rows[0]["aside × first"] == 1.0 and rows[0]["ms aside"] <= rows[0]["ms/document"]


@pytest.mark.slow
@pytest.mark.parametrize("section", ["recursive", "occurrences"])
def test_every_method_is_set_against_auto(data: Path, section: str) -> None:
    found = tables(run(section))
    assert len(found) == 2 and len(found[f"{section}: verdict"]) == 1


def test_a_verdict_says_what_was_wanted_and_whether_it_is_reached() -> None:
    report = Report("test", {})
    quick, slow = paths.wanted_row("quick", 2.0, 1), paths.wanted_row("slow", 4.0, 3, least=False)
    report.table("nitf: verdict", [quick])
    report.table("growth: verdict", [slow])
    paths.measure_verdict(report, TINY)
    rows = tables(report)["verdict"]
    assert [(row["section"], row["wanted"], row["measured"], row["reached"]) for row in rows] == [
        ("nitf", "at least 1", 2.0, "yes"),
        ("growth", "at most 3", 4.0, "no"),
    ]
    assert paths.wanted_row("less than before", -1.0, 3, least=False)["reached"] == "yes"
    assert paths.wanted_row("not measured", None, 3)["reached"] == "–"


def test_where_there_is_no_data_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHWORD_DATA", str(tmp_path / "nowhere"))
    for section in ("nitf", "xmark", "growth", "occurrences"):
        report = run(section)
        assert not report.content["tables"] and "left out" in report.content["notes"][0]


def test_two_methods_that_differ_end_the_run() -> None:
    one, other = (pa.table({"event": [0, 1], "subscription": [5, last]}) for last in (6, 7))
    assert paths.same({"one": lambda: one, "again": lambda: one[:2]}) == 2
    with pytest.raises(SystemExit, match="slow and quick"):
        paths.same({"quick": lambda: one, "slow": lambda: other})


def test_what_is_wanted_of_the_methods_is_a_ratio_of_their_times() -> None:
    taken = {"auto": 0.1, "yfilter": 1.0, "pma2": 0.5, "pma": 2.0, paths.EXPAT: 0.05, paths.STATED: 3.0}
    found = {row["figure"]: row["reached ×"] for row in paths.nitf_verdicts(10_000, taken)}
    assert found["10,000 paths, auto: of expat's speed"] == pytest.approx(0.5 / 0.6)
    assert found["10,000 paths: yfilter over pma2"] == 2.0 and found["10,000 paths: pma over pma2"] == 4.0
    assert found[f"10,000 paths: {paths.STATED} over yfilter"] == 3.0
    rows = [{"method": method, "ms/document": time} for method, time in taken.items()]
    assert paths.fastest_row("x", rows)["measured"] == 5.0
