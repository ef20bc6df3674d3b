"""What the path benchmarks measure on: NITF news documents, an XMark auction document, documents that nest heavily.

Real, of the folder that `data.keywords.data_folder` names; nothing of it belongs to the project:

- NITF: 500 documents of 3.8 kB and 60,000 distinct paths, both of YFilter 1.0. Paths beyond those are generated from
  the DTD with the same parameters.
- XMark: one document of 11.7 MB and depth 12. Paths are generated from its DTD.

Generated: `watchword.papers.workloads.paths` and `documents`, seed 2003. Paths are distinct, prob(`*`) = prob(`//`) =
0.2, theta 0, with at most 6 steps, of which NITF has about 350,000 within reach; where a million are wanted, at most
8. The heavily recursive documents have five names that all nest in each other, 1,000 elements and up to 20 levels each.

The papers' NASA and NewsML documents are not at hand; NITF and XMark stand for slightly recursive data, the generated
documents for heavily recursive data.
"""

from __future__ import annotations

import gzip
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.data.keywords import lines
from watchword.papers.workloads.documents import DocumentWorkload
from watchword.papers.workloads.dtd import RECURSIVE, Dtd, read_dtd
from watchword.papers.workloads.paths import PathWorkload

SEED = 2003
FOLDER = Path("xml")
GIVEN = 60_000

YFILTER = {10_000: (0.96, 5.5), 50_000: (3.6, 24.0), 150_000: (7.0, 66.0)}
"""What YFilter 1.0 (Java 17) took on the 500 documents on a quiet machine of two cores: by the number of paths,
milliseconds a document with parsing, and megabytes."""


@dataclass(frozen=True)
class Scale:
    """How much data a run uses: numbers of paths for each section, and of documents that nest heavily.

    `growth` are pairs of sizes that are set against each other, `copies` how many times as large the XMark document is
    made where memory is looked at.
    """

    nitf: tuple[int, ...]
    xmark: tuple[int, ...]
    growth: tuple[tuple[int, int], ...]
    recursive: tuple[int, ...]
    recursive_documents: int
    occurrences: tuple[int, ...]
    copies: tuple[int, ...]


SCALES = {
    "small": Scale(
        nitf=(10_000, 50_000),
        xmark=(10_000,),
        growth=((10_000, 60_000),),
        recursive=(10_000,),
        recursive_documents=50,
        occurrences=(10_000,),
        copies=(1, 2),
    ),
    "paper": Scale(
        nitf=(10_000, 50_000, 60_000, 150_000),
        xmark=(10_000, 20_000),
        growth=((10_000, 60_000), (100_000, 1_000_000)),
        recursive=(10_000, 50_000),
        recursive_documents=200,
        occurrences=(10_000, 50_000),
        copies=(1, 2, 4),
    ),
}


def numbered(paths: Sequence[str] | pa.Array) -> pa.Table:
    """Return paths as subscriptions with ids from 0."""
    texts = pa.array(paths, pa.large_string())
    return pa.table({"id": pa.array(range(len(texts)), pa.int64()), "subscription": texts})


def generated(count: int, dtd: Dtd, depth: int = 6) -> pa.Table:
    """Return distinct paths of a DTD."""
    return PathWorkload(count, dtd, depth, seed=SEED).subscription_table()


def nitf_dtd(folder: Path) -> Dtd:
    return read_dtd((folder / FOLDER / "nitf-2-5.dtd").read_bytes())


def nitf_paths(folder: Path, count: int) -> pa.Table:
    """Return distinct paths: those of YFilter, then generated ones."""
    file = folder / FOLDER / "nitf-queries-60k-distinct.txt.gz"
    given = pa.array(islice((line for text in lines(file) if (line := text.strip())), count), pa.large_string())
    if len(given) == count:
        return numbered(given)
    more = generated(count, nitf_dtd(folder))["subscription"].combine_chunks()
    return numbered(pc.unique(pa.concat_arrays([given, more]))[:count])


def growing_paths(folder: Path, count: int) -> pa.Table:
    """Return paths all drawn in one way, so that the first of them are a smaller workload: YFilter's, or generated."""
    return nitf_paths(folder, count) if count <= GIVEN else generated(count, nitf_dtd(folder), 8)


def nitf_documents(folder: Path) -> pa.Array:
    """Return the documents, in the order of their names."""
    with tarfile.open(folder / FOLDER / "nitf-docs-500.tar.gz") as archive:
        files = sorted((member for member in archive if member.isfile()), key=lambda member: member.name)
        return pa.array([archive.extractfile(file).read() for file in files], pa.large_binary())  # type: ignore[union-attr]


def xmark_paths(folder: Path, count: int) -> pa.Table:
    return generated(count, read_dtd((folder / FOLDER / "auction.dtd").read_bytes()))


def xmark_document(folder: Path, copies: int = 1) -> bytes:
    """Return the document, what is in its root so many times."""
    head, inside, tail = _xmark_parts(folder)
    return head + inside * copies + tail


def write_xmark(folder: Path, path: Path, copies: int) -> None:
    """Write the document to a file, without ever having more than one copy in memory."""
    head, inside, tail = _xmark_parts(folder)
    with path.open("wb") as file:
        file.writelines([head, *[inside] * copies, tail])


def _xmark_parts(folder: Path) -> tuple[bytes, bytes, bytes]:
    whole = gzip.decompress((folder / FOLDER / "xmark-0.1.xml.gz").read_bytes())
    begin, end = whole.index(b"<site>") + len(b"<site>"), whole.rindex(b"</site>")
    return whole[:begin], whole[begin:end], whole[end:]


def recursive_documents(count: int) -> pa.Array:
    return DocumentWorkload(RECURSIVE, elements=1_000, depth=20, words=0, seed=SEED).documents(count)
