"""Writes table.parquet, table-old.parquet and table.json: one table as pandas' and others' tools write it. Needs pyarrow."""
import json

import pyarrow as pa
import pyarrow.parquet as pq

rows = [
    {"input": "one", "tok_input": [1, 2, 3], "output": "Zürich 東京", "number": 7},
    {"input": None, "tok_input": [], "output": "", "number": -1},
    {"input": "three\n", "tok_input": None, "output": "x", "number": 3},
] + [{"input": f"row {i}", "tok_input": list(range(i % 7)), "output": "o" * (i % 11), "number": i} for i in range(200)]

schema = pa.schema([("input", pa.string()), ("tok_input", pa.list_(pa.int64())), ("output", pa.large_string()), ("number", pa.int64())])
pq.write_table(pa.Table.from_pylist(rows, schema), "table.parquet", compression="zstd", row_group_size=70, data_page_size=256)
schema = pa.schema([("input", pa.string()), ("tok_input", pa.list_(pa.int32())), ("output", pa.string()), ("number", pa.int32())])
pq.write_table(pa.Table.from_pylist(rows, schema), "table-old.parquet", compression="snappy", version="1.0",
               use_compliant_nested_type=False, data_page_version="1.0", use_dictionary=False)
json.dump(rows, open("table.json", "w", encoding="utf-8"), ensure_ascii=False)
