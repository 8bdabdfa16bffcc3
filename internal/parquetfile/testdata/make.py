"""Writes Parquet files and the values that they have to golden.tar.zst: make.py. README.md says with what."""

import base64
import datetime
import decimal
import io
import json
import math
import os
import random
import shutil
import tarfile
import tempfile
import uuid

import duckdb
import numpy
import polars
import pyarrow
import pyarrow.parquet

OUT = tempfile.mkdtemp()
N = 240  # rows of a file: several pages of each column, and runs of booleans that end within a byte


def cell(value):
    """A value as the reader writes it."""
    if isinstance(value, dict):
        return {k: cell(v) for k, v in value.items()}
    if isinstance(value, list):
        return [cell(v) for v in value]
    if isinstance(value, tuple):  # of a map
        return {"key": cell(value[0]), "value": cell(value[1])}
    if isinstance(value, (float, numpy.floating)):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, decimal.Decimal):
        return {"decimal": str(value)}
    if isinstance(value, datetime.datetime):
        return (value - datetime.datetime(1970, 1, 1)) / datetime.timedelta(milliseconds=1)
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, datetime.time):
        return (value.hour * 3600 + value.minute * 60 + value.second) * 1000 + value.microsecond / 1000
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return base64.b64encode(value).decode()
    return value


def with_nulls(rng, values, share=0.2):
    return [None if rng.random() < share else v for v in values]


def words(rng, n):
    return ["".join(rng.choice("abcdefgh ü東") for _ in range(rng.randrange(12))) for _ in range(n)]


def columns():
    """The columns of each type, without nulls, by name."""
    rng = random.Random(20261128)
    yes = [True] * 20 + [False] * 12 + [rng.random() < 0.9 for _ in range(80)] + [True] * 104
    yes += [i % 2 == 0 for i in range(N - len(yes))]
    small = [rng.randrange(-50, 50) for _ in range(N)]
    wide = [rng.randrange(-(2**31), 2**31) for _ in range(N)]
    huge = [rng.randrange(-(2**63), 2**63) for _ in range(N)]
    ramp = [1_700_000_000_000 + 7 * i + rng.randrange(3) for i in range(N)]
    text = words(rng, N)
    few = [rng.choice(["new", "used", "as good as new"]) for _ in range(N)]
    sorted_text = sorted("https://example.org/a/b/" + w for w in text)
    real = [rng.gauss(0, 1) for _ in range(N - 3)] + [0.0, -0.0, 1e300]
    raw = [bytes(rng.randrange(256) for _ in range(rng.randrange(20))) for _ in range(N)]
    return {
        "yes": (yes, pyarrow.bool_()),
        "small": (small, pyarrow.int8()),
        "wide": (wide, pyarrow.int32()),
        "huge": (huge, pyarrow.int64()),
        "ramp": (ramp, pyarrow.int64()),
        "unsigned": ([w + 2**31 for w in wide], pyarrow.uint32()),
        "most": ([h + 2**63 for h in huge], pyarrow.uint64()),
        "single": ([float(numpy.float32(min(r, 1e30))) for r in real], pyarrow.float32()),
        "double": (real, pyarrow.float64()),
        "half": ([float(numpy.float16(min(r, 6e4))) for r in real], pyarrow.float16()),
        "text": (text, pyarrow.string()),
        "few": (few, pyarrow.string()),
        "sorted": (sorted_text, pyarrow.string()),
        "raw": (raw, pyarrow.binary()),
        "fixed": ([b"%05d" % (abs(w) % 100000) for w in wide], pyarrow.binary(5)),
        "money": ([decimal.Decimal(w) / 100 for w in wide], pyarrow.decimal128(12, 2)),
        "large": ([decimal.Decimal(h) * 10**12 + 5 for h in huge], pyarrow.decimal128(38, 0)),
        "day": ([datetime.date(2026, 1, 1) + datetime.timedelta(days=s) for s in small], pyarrow.date32()),
        "at": ([datetime.datetime(2026, 1, 1) + datetime.timedelta(microseconds=w) for w in wide],
               pyarrow.timestamp("us")),
        "clock": ([datetime.time(i % 24, i % 60, 7, i) for i in range(N)], pyarrow.time64("us")),
    }


def nested(rng):
    ids = [[rng.randrange(32000) for _ in range(rng.randrange(6))] for _ in range(N)]
    names = words(rng, N)
    return {
        "ids": (with_nulls(rng, ids), pyarrow.list_(pyarrow.int32())),
        "deep": ([None if i % 11 == 0 else [[i, None], [], None, [i + 1]][: i % 5] for i in range(N)],
                 pyarrow.list_(pyarrow.list_(pyarrow.int64()))),
        "texts": ([[None if rng.random() < 0.2 else rng.choice(names[:9]) for _ in range(i % 4)] for i in range(N)],
                  pyarrow.list_(pyarrow.string())),
        "part": ([None if i % 7 == 0 else {"bytes": names[i].encode(), "yes": i % 3 == 0} for i in range(N)],
                 pyarrow.struct([("bytes", pyarrow.binary()), ("yes", pyarrow.bool_())])),
        "said": ([[{"from": rng.choice(["human", "gpt"]), "value": names[i]} for _ in range(i % 3)] for i in range(N)],
                 pyarrow.list_(pyarrow.struct([("from", pyarrow.string()), ("value", pyarrow.string())]))),
    }


def table(nulls):
    rng = random.Random(7)
    made = {}
    for name, (values, kind) in columns().items():
        made[name] = pyarrow.array(with_nulls(rng, values) if nulls else values, kind)
    if nulls:
        made["none"] = pyarrow.array([None] * N, pyarrow.int32())
        for name, (values, kind) in nested(rng).items():
            made[name] = pyarrow.array(values, kind)
    fields = [pyarrow.field(n, a.type, nullable=nulls) for n, a in made.items()]
    return pyarrow.Table.from_arrays(list(made.values()), schema=pyarrow.schema(fields))


def expect(name, t):
    """Writes the values of a table, a line for each column, as the writer's own reader has them."""
    with open(os.path.join(OUT, name + ".jsonl"), "w", encoding="utf-8") as f:
        for column in t.column_names:
            values = cell(t[column].to_pylist())
            f.write(json.dumps({"column": column, "values": values}, ensure_ascii=False, separators=(",", ":")) + "\n")


CODECS = ["none", "snappy", "gzip", "brotli", "zstd", "lz4"]


def write_pyarrow():
    for nulls in (False, True):
        t = table(nulls)
        kind = "nulls" if nulls else "plain"
        expect("values-" + kind, t)
        for codec in CODECS:
            for version in ("1.0", "2.0"):
                for dictionary in (False, True):
                    path = f"pyarrow-{codec}-v{version[0]}-{'dictionary' if dictionary else 'plain'}.{kind}.parquet"
                    pyarrow.parquet.write_table(
                        t, os.path.join(OUT, path), compression=codec, data_page_version=version,
                        use_dictionary=[c for c in t.column_names if c != "yes"] if dictionary else False,
                        data_page_size=500, write_batch_size=64, row_group_size=160, version="2.6",
                        write_page_checksum=True)


# The encodings that each type may have beside PLAIN, RLE_DICTIONARY and RLE.
ENCODINGS = {
    "DELTA_BINARY_PACKED": ["small", "wide", "huge", "ramp", "unsigned", "most", "day", "at", "clock"],
    "DELTA_LENGTH_BYTE_ARRAY": ["text", "few", "sorted", "raw"],
    "DELTA_BYTE_ARRAY": ["text", "few", "sorted", "raw", "fixed"],
    "BYTE_STREAM_SPLIT": ["wide", "huge", "single", "double", "half", "fixed", "money", "large"],
}


def write_encodings():
    for nulls in (False, True):
        t = table(nulls)
        kind = "nulls" if nulls else "plain"
        for encoding, names in ENCODINGS.items():
            for codec in CODECS:
                for version in ("1.0", "2.0"):
                    part = t.select(names)
                    path = f"pyarrow-{codec}-v{version[0]}-{encoding}.{kind}.parquet"
                    pyarrow.parquet.write_table(
                        part, os.path.join(OUT, path), compression=codec, data_page_version=version,
                        use_dictionary=False, column_encoding={n: encoding for n in names},
                        data_page_size=500, write_batch_size=64, row_group_size=160)


def write_old():
    """Old forms: timestamps of 96 bits, lists of two levels, BOOLEAN as RLE is in the other files."""
    t = table(True).select(["at", "ids", "text"])
    pyarrow.parquet.write_table(t, os.path.join(OUT, "pyarrow-old.nulls.parquet"), version="1.0",
                                use_deprecated_int96_timestamps=True, use_compliant_nested_type=False,
                                store_schema=False)


def write_duckdb():
    for nulls in (False, True):
        t = table(nulls)
        t = t.drop_columns(["half"])
        kind = "nulls" if nulls else "plain"
        db = duckdb.connect()
        db.register("t", t)
        for codec in ["uncompressed", "snappy", "gzip", "brotli", "zstd", "lz4_raw"]:
            for version in ("v1", "v2"):
                path = os.path.join(OUT, f"duckdb-{codec}-{version}.{kind}.parquet")
                db.execute(f"copy t to '{path}' (format parquet, codec '{codec}', parquet_version '{version}', "
                           "row_group_size 2048)")


def write_polars():
    for nulls in (False, True):
        t = table(nulls)
        kind = "nulls" if nulls else "plain"
        frame = polars.from_arrow(t)
        for codec in ["uncompressed", "snappy", "gzip", "brotli", "zstd", "lz4"]:
            frame.write_parquet(os.path.join(OUT, f"polars-{codec}.{kind}.parquet"), compression=codec,
                                data_page_size=500, row_group_size=160)


def pack():
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted(os.listdir(OUT)):
            with open(os.path.join(OUT, name), "rb") as f:
                data = f.read()
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.tar.zst")
    with open(path, "wb") as f:
        f.write(pyarrow.Codec("zstd", compression_level=22).compress(packed.getvalue(), asbytes=True))


if __name__ == "__main__":
    write_pyarrow()
    write_encodings()
    write_old()
    write_duckdb()
    write_polars()
    pack()
    shutil.rmtree(OUT)
    print(pyarrow.__version__, duckdb.__version__, polars.__version__)
