"""Greedy answers of the ONNX files, one window at a time, and what their words score."""

import export
import numpy as np
from embedded import runtime, speech

MOST = 200  # tokens of an answer


def sessions(folder, precision):
    return {part: runtime.session(folder / export.name(part, precision), threads=1) for part in export.PARTS}


def run(session, inputs):
    return dict(zip((o.name for o in session.get_outputs()), session.run(None, inputs)))


def steps(parts, vocabulary, features):
    """Yields each run's part, its inputs, and the token that came of it, None of the encoder."""
    inputs = {"input_features": features[None]}
    sound = run(parts["encoder"], inputs)["last_hidden_state"]
    yield "encoder", inputs, None
    part, inputs = "decoder", {"input_ids": np.array([vocabulary.prompt]), "encoder_hidden_states": sound}
    past = {}
    for _ in range(MOST):
        outputs = run(parts[part], inputs)
        token = int(outputs["logits"][0, -1].argmax())
        yield part, inputs, token
        if token == vocabulary.end:
            return
        past |= {n.replace("present", "past_key_values"): v for n, v in outputs.items() if n != "logits"}
        part, inputs = "decoder_with_past", {"input_ids": np.array([[token]]), **past}


def inputs(folder, vocabulary, windows):
    """What each part of the FP32 model is given for the windows."""
    parts = sessions(folder, "fp32")
    seen = {part: [] for part in parts}
    for window in windows:
        for part, given, _ in steps(parts, vocabulary, window.features):
            seen[part].append(given)
    return seen


def said(parts, vocabulary, window):
    """The words of the answer to a window."""
    tokens = (token for _, _, token in steps(parts, vocabulary, window.features))
    return [vocabulary.words[t] for t in tokens if t is not None and t < vocabulary.end]


def accuracy(folder, precision, vocabulary, windows):
    """100 % less the word error rate, without the benchmark's normalisation of words."""
    parts = sessions(folder, precision)
    return speech.accuracy((said(parts, vocabulary, window), window.transcript.split()) for window in windows)
