"""Files of topics: children and parents, and what is wrong with them."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from watchword.cli import topics
from watchword.tables import TableError, read_topics
from watchword.tables.topics import MAX_TOPICS

TREE = {"national": ["politics"], "local": ["politics", "region"], "sports": [], "politics/home": ["national"]}


def test_every_kind_of_file(tmp_path: Path) -> None:
    rows = [(child, parent) for child, parents in TREE.items() for parent in parents or [None]]
    (tmp_path / "a.csv").write_text("child,parent\n" + "".join(f"{child},{parent or ''}\n" for child, parent in rows))
    (tmp_path / "b.tsv").write_text("parent\tn\tchild\n" + "".join(f" {p or ''} \t1\t{c}\n" for c, p in rows))
    (tmp_path / "c.jsonl").write_text("\n".join(json.dumps({"parent": p, "child": c}) for c, p in rows))
    pq.write_table(pa.Table.from_pylist([{"child": c, "parent": p} for c, p in rows]), tmp_path / "d.parquet")
    for file in sorted(tmp_path.iterdir()):
        assert read_topics(str(file)) == TREE, file


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.csv", "child,parent\na,b\nc,d\n a ,b\n", "row 3: 'a' below 'b' is there twice, first in row 1"),
        ("a.csv", "child,parent\na,\na,\n", "row 2: 'a' is there twice"),
        ("a.csv", "child,parent\na,b\n  ,b\n", "row 2: the child is missing"),
        ("a.csv", "a,b\n", "the columns child and parent, this has the columns 'a', 'b'"),
        ("a.txt", "national politics\n", "this has plain lines"),
        ("a.jsonl", '{"child": 7, "parent": "x"}', "line 1: the child is a text, not 7"),
        ("a.csv", f"child,parent\na,{'x' * 1001}\n", "row 1: the parent has more than 1,000 characters"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(tmp_path: Path, name: str, content: str, reason: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(TableError) as caught:
        read_topics(str(tmp_path / name))
    assert reason in str(caught.value) and name in str(caught.value)


def test_a_file_has_so_many_rows_and_no_more(tmp_path: Path) -> None:
    assert topics.MAX_TOPICS == MAX_TOPICS
    file = tmp_path / "topics.csv"
    file.write_text("child,parent\n" + "".join(f"t{n},t{n + 1}\n" for n in range(5)))
    assert len(read_topics(str(file), most=5)) == 5
    with pytest.raises(TableError, match="more than 4 rows: raise the limit"):
        read_topics(str(file), most=4)
