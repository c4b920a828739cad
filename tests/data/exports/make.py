"""Writes the Parquet files in this folder with pyarrow: a writer that is not ours.

    pip install pyarrow && python make.py

What is in them is repeated in `src/dataset/tests/fixtures.rs`, from this text and not from what our reader says.
Made with pyarrow 26.0.1.
"""

import datetime as dt
import decimal
import pathlib
import uuid

import pyarrow as pa
import pyarrow.parquet as pq

HERE = pathlib.Path(__file__).parent
UTC = dt.timezone.utc

# The shape of a submissions export (protocol.md §2.5): payloads on a submission's first row only.
submissions = pa.table(
    {
        "submission_id": pa.array(["s1", "s1", "s2"]),
        "score": pa.array([12.5, float("nan"), None], pa.float64()),
        "score_ticks": pa.array([9007199254740993, 600, None], pa.int64()),
        "rated": pa.array([True, False, None]),
        "model": pa.array(["m-ä", None, "m-2"]),
        "transcript": pa.array(['[{"role":"user"}]', None, None]),
        "created_at": pa.array([dt.datetime(2026, 11, 29, 10, 0, 0, 250000, UTC)] * 3, pa.timestamp("us", "UTC")),
    },
).replace_schema_metadata(
    {
        "score_context:chess": '{"canonical_ticks":600}',
        "completeness": '{"complete":true}',
        "schema_version": "4",
        "exported_at": "2026-11-29T10:00:00Z",
    }
)
pq.write_table(submissions, HERE / "submissions.snappy.parquet", compression="snappy", row_group_size=2)

kinds = pa.table(
    {
        "i8": pa.array([-128, None], pa.int8()),
        "i16": pa.array([-32768, None], pa.int16()),
        "i32": pa.array([-2147483648, None], pa.int32()),
        "u8": pa.array([255, None], pa.uint8()),
        "u16": pa.array([65535, None], pa.uint16()),
        "u32": pa.array([4294967295, None], pa.uint32()),
        "u64": pa.array([18446744073709551615, None], pa.uint64()),
        "f16": pa.array([0.5, None], pa.float16()),
        "f32": pa.array([0.1, float("-inf")], pa.float32()),
        "f64": pa.array([0.1, 1e300], pa.float64()),
        "price": pa.array([decimal.Decimal("-0.0400"), decimal.Decimal("123456.7890")], pa.decimal128(10, 4)),
        "huge": pa.array([decimal.Decimal("9" * 70), decimal.Decimal(-1)], pa.decimal256(70, 0)),
        "day": pa.array([dt.date(1969, 12, 31), None], pa.date32()),
        "at_ms": pa.array([dt.time(23, 59, 59, 999000), None], pa.time32("ms")),
        "at_us": pa.array([dt.time(10, 30, 0, 1), None], pa.time64("us")),
        "at_ns": pa.array([36_000_000_000_001, None], pa.time64("ns")),
        "when_ms": pa.array([-1, None], pa.timestamp("ms", "UTC")),
        "when_ns": pa.array([1764410400123456789, None], pa.timestamp("ns", "UTC")),
        "local_us": pa.array([dt.datetime(2026, 11, 29, 10, 0), None], pa.timestamp("us")),
        "bytes": pa.array([b"\x00\xff", b""], pa.binary()),
        "fixed": pa.array([b"abc", None], pa.binary(3)),
        "id": pa.array([uuid.UUID("12345678-9abc-def0-1234-56789abcdef0").bytes, None], pa.uuid()),
        "word": pa.array(["one", "one"]).dictionary_encode(),
        "nothing": pa.array([None, None], pa.null()),
    }
)
pq.write_table(kinds, HERE / "kinds.zstd.parquet", compression="zstd")

action = pa.struct([("name", pa.string()), ("value", pa.float64())])
nested = pa.table(
    {
        "candidates": pa.array([[{"name": "left", "value": 0.5}, None], [], None], pa.list_(action)),
        "grid": pa.array([[[1, 2], []], [None], [[3, None]]], pa.list_(pa.list_(pa.int64()))),
        "pruned": pa.array([[("a", 1), ("b", None)], [], None], pa.map_(pa.string(), pa.int64())),
        "by_tick": pa.array([[(1, "x")], None, []], pa.map_(pa.int32(), pa.string())),
        "config": pa.array(
            [{"mode": "measure", "seats": ["p0"], "deep": {"n": 1}}, {"mode": None, "seats": None, "deep": None}, None],
            pa.struct([("mode", pa.string()), ("seats", pa.list_(pa.string())), ("deep", pa.struct([("n", pa.int8())]))]),
        ),
    }
)
pq.write_table(nested, HERE / "nested.gzip.parquet", compression="gzip", data_page_version="2.0")
