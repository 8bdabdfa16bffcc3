"""Greedy transcripts of the ONNX files, one clip at a time, and what their words score."""

import numpy as np
import onnxruntime

import data
import export

MOST = 30  # tries at one encoder frame


def sessions(folder, precision):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    paths = [folder / export.name(part, precision) for part in export.PARTS]
    return [onnxruntime.InferenceSession(p, options, providers=["CPUExecutionProvider"]) for p in paths]


def encode(encoder, features):
    length = np.array([len(features)], np.int64)
    return encoder.run(None, {"input": features[:, None], "feature_length": length})[0][0]


def decode(encoder, prediction, joint, features):
    """Yields the inputs of each try of the joint network with the label that it gave, BLANK included."""
    shape = [d if isinstance(d, int) else 1 for d in prediction.get_inputs()[1].shape]
    g, *states = predict(prediction, data.START, [np.zeros(shape, np.float32)] * 2)
    for frame in encode(encoder, features):
        for _ in range(MOST):
            inputs = {"0": frame[None, None], "1": g}
            label = int(joint.run(None, inputs)[0].argmax())
            yield inputs, label
            if label == data.BLANK:
                break
            g, *states = predict(prediction, label, states)


def joint_inputs(folder, clips):
    parts = sessions(folder, "fp32")
    return [inputs for clip in clips for inputs, _ in decode(*parts, clip.features)]


def predict(prediction, symbol, states):
    h, c = states
    return prediction.run(None, {"symbol": np.array([[symbol]]), "hidden_in_1": h, "hidden_in_2": c})


def distance(a, b):
    """Word edits that make b of a."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def accuracy(folder, precision, clips):
    """100 % less the word error rate."""
    parts, errors, words = sessions(folder, precision), 0, 0
    for clip in clips:
        labels = [label for _, label in decode(*parts, clip.features) if label != data.BLANK]
        said = "".join(data.LABELS[label] for label in labels)
        errors += distance(said.split(), clip.transcript.split())
        words += len(clip.transcript.split())
    return (1 - errors / words) * 100
