"""Writes pyarrow.parquet, as pyarrow writes a column of large values: the first of them go into a dictionary, the rest
lie in plain pages.

    python make.py

The value of row i is its number as text and i times the letter that follows from it; every seventh row is null.
"""

import pyarrow as pa
import pyarrow.parquet as pq

VALUES = [None if i % 7 == 3 else f"{i}:".encode() + bytes([97 + i % 26]) * i for i in range(200)]

pq.write_table(
    pa.table({"value": pa.array(VALUES, pa.binary()), "row": pa.array(range(200), pa.int32())}),
    "pyarrow.parquet",
    compression="snappy",
    row_group_size=150,
    write_batch_size=40,
    dictionary_pagesize_limit=1000,
    data_page_size=2000,
    write_page_checksum=True,
)
