"""Writes the encoder and the decoder of GNMT's TensorFlow checkpoint as ONNX, in the benchmark's interface.

    python convert.py ende_gnmt_model_4_layer/translate.ckpt models/gnmt

The checkpoint is that of gnmt_model.zip, zenodo record 2530924; needs tensorflow (any version 2) and `pip install -e
../../model`.
"""

import argparse
import pathlib

import graphs
import onnx
import tensorflow as tf

PREFIX = "dynamic_seq2seq/"


def read(checkpoint):
    """Weights by name, without the prefix that all but the embeddings have."""
    reader = tf.train.load_checkpoint(checkpoint)
    names = reader.get_variable_to_shape_map()
    return {name.removeprefix(PREFIX): reader.get_tensor(name) for name in names}


def main():
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("checkpoint", help="path of the checkpoint's files without .index")
    flags.add_argument("folder", type=pathlib.Path, help="for encoder.onnx and decoder.onnx")
    o = flags.parse_args()
    weights = read(o.checkpoint)
    o.folder.mkdir(parents=True, exist_ok=True)
    for name, graph in (("encoder", graphs.encoder), ("decoder", graphs.decoder)):
        onnx.save(graph(weights), o.folder / f"{name}.onnx")


if __name__ == "__main__":
    main()
