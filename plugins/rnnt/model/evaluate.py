"""Greedy transcripts of the ONNX files, one clip at a time, and what their words score."""

import data
import export
import numpy as np
from embedded import runtime, speech

MOST = 30  # tries at one encoder frame


def sessions(folder, precision):
    return [runtime.session(folder / export.name(part, precision), threads=1) for part in export.PARTS]


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


def said(parts, clip):
    """The words of a clip's transcript."""
    labels = [label for _, label in decode(*parts, clip.features) if label != data.BLANK]
    return "".join(data.LABELS[label] for label in labels).split()


def accuracy(folder, precision, clips):
    """100 % less the word error rate."""
    parts = sessions(folder, precision)
    return speech.accuracy((said(parts, clip), clip.transcript.split()) for clip in clips)
