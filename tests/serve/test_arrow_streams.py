"""Arrow streams of strangers: whichever lies about offsets, lengths, sizes or types is refused."""

from __future__ import annotations

import random
from contextlib import suppress

import pyarrow as pa
import pytest

from watchword.errors import EventError
from watchword.serve.arrow_streams import messages, read_events, unpacked_size
from watchword.serve.limits import Limits

LIMITS = Limits(unpacked=1 << 20, events=10_000, columns=20, nesting=4)


def stream(table: pa.Table, **options: object) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def refused(body: bytes, limits: Limits = LIMITS) -> str:
    with pytest.raises(EventError) as caught:
        read_events(body, limits)
    return str(caught.value)


def test_a_good_stream_is_read() -> None:
    table = pa.table({"text": ["ferry", None], "price": [1.5, 2.0], "tags": [["a"], []]})
    assert read_events(stream(table), LIMITS).equals(table)
    assert read_events(stream(table, compression="lz4"), LIMITS).equals(table)


def test_the_size_unpacked_is_known_before_anything_is_unpacked() -> None:
    table = pa.table({"text": ["x" * 4_000_000]})
    packed = stream(table, compression="zstd")
    assert len(packed) < 10_000
    assert sum(unpacked_size(*one) for one in messages(packed)) >= 4_000_000
    assert "unpacks to" in refused(packed)
    dictionary = stream(pa.table({"text": table["text"].dictionary_encode()}), compression="zstd")
    assert "unpacks to" in refused(dictionary)


@pytest.mark.parametrize("size", [1 << 62, -5, -(1 << 63)])
def test_a_packed_buffer_that_lies_about_its_size_is_refused(size: int) -> None:
    packed = bytearray(stream(pa.table({"text": ["ferry " * 1000]}), compression="zstd"))
    at = packed.rfind((6000).to_bytes(8, "little"))  # the first 8 bytes of the text's buffer
    assert at > 0
    packed[at : at + 8] = size.to_bytes(8, "little", signed=True)
    refused(bytes(packed))


def test_offsets_that_lie_are_refused() -> None:
    body = stream(pa.table({"text": ["ferry", "storm", "bread"]}))
    offsets = b"".join(number.to_bytes(4, "little") for number in (0, 5, 10, 15))
    at = body.find(offsets)
    for lie in ((0, 5, 1 << 30, 15), (0, 10, 5, 15), (-1, 5, 10, 15), (0, 5, 10, (1 << 31) - 1)):
        lying = b"".join(number.to_bytes(4, "little", signed=True) for number in lie)
        refused(body[:at] + lying + body[at + len(offsets) :])


def test_text_that_is_not_utf8_is_refused() -> None:
    body = stream(pa.table({"text": ["ferry"]}))
    refused(body.replace(b"ferry", b"fer\xff\xff"))


def test_indices_beyond_their_dictionary_are_refused() -> None:
    array = pa.DictionaryArray.from_arrays(pa.array([0, 0], pa.int32()), pa.array(["ferry"]), safe=False)
    body = stream(pa.table({"text": array}))
    good = (0).to_bytes(4, "little") * 2
    at = body.rfind(good)
    found = 0
    for start in range(max(0, at - 64), at + 8, 8):
        lying = body[:start] + (77).to_bytes(4, "little") + body[start + 4 :]
        try:
            read_events(lying, LIMITS)
        except EventError:
            found += 1
    assert found


def test_too_much_is_refused() -> None:
    assert "more than 10,000 events" in refused(stream(pa.table({"n": pa.nulls(10_001)})))
    assert "columns" in refused(stream(pa.table({f"c{number}": [1] for number in range(21)})))
    deep = pa.array([[[[[["a"]]]]]])
    assert "nested too deeply" in refused(stream(pa.table({"deep": deep})))
    wide = pa.array([list(range(600_000))])
    assert "values" in refused(stream(pa.table({"wide": wide})), Limits(events=10_000))
    dictionary = pa.DictionaryArray.from_arrays(pa.array([0] * 5_000, pa.int32()), pa.array(["x" * 1_000]))
    assert "dictionaries" in refused(stream(pa.table({"text": dictionary})))


@pytest.mark.parametrize(
    "array",
    [
        pa.array(["a"], pa.string_view()),
        pa.RunEndEncodedArray.from_arrays(pa.array([1], pa.int32()), pa.array(["a"])),
        pa.UnionArray.from_dense(pa.array([0], pa.int8()), pa.array([0], pa.int32()), [pa.array(["a"])]),
        pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())),
    ],
    ids=["view", "runs", "union", "map"],
)
def test_types_whose_values_may_share_bytes_are_refused(array: pa.Array) -> None:
    assert "is not taken" in refused(stream(pa.table({"text": array})))


@pytest.mark.parametrize(
    "body", [b"", b"\x00" * 8, b"ARROW1\x00\x00", b"\xff" * 64, b"\xff\xff\xff\xff\xff\xff\xff\x7f", b"{}"]
)
def test_what_is_no_stream_is_refused(body: bytes) -> None:
    refused(body)


def test_a_table_without_columns_is_refused() -> None:
    assert "no column" in refused(stream(pa.table({})))


def test_streams_with_changed_bytes_are_refused_or_read_but_harm_nothing() -> None:
    table = pa.table({"text": ["ferry in the storm", "bread", None], "n": [1, 2, 3], "l": [["a"], [], None]})
    bodies = [stream(table), stream(table, compression="lz4")]
    source = random.Random(24)
    for _ in range(400):
        body = bytearray(source.choice(bodies))
        for _ in range(source.randint(1, 8)):
            body[source.randrange(len(body))] = source.choice((0, 1, 0x7F, 0x80, 0xFF, source.randrange(256)))
        if source.random() < 0.2:
            del body[source.randrange(len(body)) :]
        with suppress(EventError):
            read_events(bytes(body), LIMITS).to_pylist()
