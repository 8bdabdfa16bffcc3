"""The network as ONNX files with a cache in place, in FP32 and in INT8.

    python export.py

writes both files again from the weights in reasoning_fp32.onnx; it needs the calibration rows and no torch.
"""

import random
import tempfile
from pathlib import Path

import data
from embedded import decodergraph
from sizes import SIZES
from tokenizers import Tokenizer

HERE = Path(__file__).resolve().parent
CALIBRATION = 200  # rows
NAME = "plumbline-reasoning"


def write(state, tokenizer, cache, out):
    """Writes the files to the folder out, and returns their paths by precision."""
    paths = {precision: out / f"reasoning_{precision}.onnx" for precision in ("fp32", "int8")}
    decodergraph.write_fp32(state, SIZES, NAME, paths["fp32"])
    rows = data.encode(tokenizer, data.load("calibration", CALIBRATION, cache), random.Random(CALIBRATION))
    decodergraph.write_int8(state, SIZES, NAME, rows, paths["int8"])
    return paths


def main():
    state = decodergraph.read_weights(HERE / "reasoning_fp32.onnx")
    tokenizer = Tokenizer.from_file(str(HERE / "tokenizer.json"))
    with tempfile.TemporaryDirectory() as cache:
        write(state, tokenizer, Path(cache), HERE)


if __name__ == "__main__":
    main()
