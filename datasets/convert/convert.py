"""Turns the official pickled tables of the language benchmarks into JSONL, which the package prompts reads:
one JSON object in each line, with the columns of the table.

    python convert.py open_orca_gpt4_tokenized_llama.sampled_24576.pkl \\
        open_orca_gpt4_tokenized_llama.sampled_24576.jsonl

Under the official name the file is also found in the folder that it lies in.

Needs pandas and numpy (any version that reads the file). A pickle can run any code when it is read: convert only files
whose checksum you have compared with the published one. Sizes: 24,576 questions of Llama 2 take about 10 s and give
0.3 GB.
"""

import argparse
import json

import numpy
import pandas


def plain(value):
    """Returns a value of a table as JSON has it: arrays become lists, however nested, and missing values null."""
    if isinstance(value, numpy.ndarray) or hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if value is None or isinstance(value, (str, int, dict)):
        return value
    if isinstance(value, float):
        return None if value != value else value
    return str(value)


def convert(source, target, columns):
    """Writes the columns of a pickled table, or all of them, and returns the number of rows."""
    table = pandas.read_pickle(source)
    missing = [c for c in columns if c not in table.columns]
    if missing:
        raise SystemExit(f"{source}: no columns {missing}, it has {list(table.columns)}")
    table = table[columns] if columns else table
    names = [str(c) for c in table.columns]
    with open(target, "w", encoding="utf-8") as f:
        for row in table.itertuples(index=False, name=None):
            json.dump({n: plain(v) for n, v in zip(names, row)}, f, ensure_ascii=False)
            f.write("\n")
    return len(table)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("source", help="the .pkl file")
    p.add_argument("target", help="the .jsonl file to write")
    p.add_argument("--columns", default="", help="comma-separated; default: all")
    a = p.parse_args()
    rows = convert(a.source, a.target, [c for c in a.columns.split(",") if c])
    print(f"{rows} rows")


if __name__ == "__main__":
    main()
