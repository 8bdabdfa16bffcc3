"""Converts the checkpoint of the official R-GAT model to an ONNX file of the benchmark.

    python convert.py RGAT.pt rgat.onnx [--int8]

The checkpoint is read without executing what it may hold.
"""

import argparse

import export
import torch


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint")
    parser.add_argument("onnx")
    parser.add_argument("--int8", action="store_true", help="weights of matrices as whole numbers of 8 bits")
    options = parser.parse_args()
    saved = torch.load(options.checkpoint, map_location="cpu", weights_only=True)
    export.write(saved["model_state_dict"], options.onnx, options.int8)


if __name__ == "__main__":
    main()
