"""Files of XML documents: how many are read at once."""

from __future__ import annotations

from pathlib import Path

from watchword.tables.documents import Documents


def test_whole_files_are_read_eight_mebibytes_at_a_time(tmp_path: Path) -> None:
    """Nine files of a million bytes are more than 8 MiB; a file that is parsed as it is read weighs nothing."""
    sizes = [1_000_000] * 12 + [2_000_000] * 6
    paths = [str(tmp_path / f"{number:02}.xml") for number in range(len(sizes))]
    for path, size in zip(paths, sizes, strict=True):
        Path(path).write_bytes(b"<a>" + b" " * (size - 7) + b"</a>")
    documents = Documents(paths)
    assert [len(batch.events) for batch in documents] == [9, 9]
    assert documents.position() == 18
    assert [len(batch.events) for batch in Documents(paths[:5], size=2)] == [2, 2, 1]
