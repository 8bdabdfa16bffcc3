"""Draws small transducers in the forms of NeMo's and icefall's exports, and decodes drawn features greedily.

    python make_forms.py nemo OUT
    python make_forms.py icefall OUT

Needs torch 2.15 and onnx; the first form nemo_toolkit[asr] 3.0 as well, whose networks and greedy decoder are the reference. icefall is in no
package registry: its stateless prediction network (an embedding of which -1 is nothing, a grouped convolution over the last symbols), joiner and
greedy search (one symbol in a frame; the blank, 0, and the unknown symbol say nothing; the context begins with -1 and the blank) are written
here by what its documentation and sherpa-onnx's say of them. OUT gets the ONNX files, tokens.txt, features and expected.json.
"""

import json
import os
import sys

import numpy as np
import torch
from torch import nn

FORM, OUT = sys.argv[1:]
BINS, WIDTH, SYMBOLS, FRAMES = 10, 8, 7, [14, 1, 30, 23, 5, 30]


def save(model, inputs, name, names, outputs, dynamic):
    torch.onnx.export(model.eval(), inputs, os.path.join(OUT, name), input_names=names, output_names=outputs, dynamic_axes=dynamic, dynamo=False,
                      opset_version=17)


class Encoder(nn.Module):
    """Each frame by itself, in the layout of the form."""

    def __init__(self, first):
        super().__init__()
        self.line, self.first = nn.Linear(BINS, WIDTH), first

    def forward(self, x, lengths):
        if self.first:
            return torch.tanh(self.line(x.transpose(1, 2)) * 2).transpose(1, 2), lengths * 1
        return torch.tanh(self.line(x) * 2), lengths * 1


def nemo(clips):
    from nemo.collections.asr.modules.rnnt import RNNTDecoder, RNNTDecoderJoint, RNNTJoint
    from nemo.collections.asr.parts.submodules.rnnt_greedy_decoding import GreedyRNNTInfer
    from nemo.core.classes import typecheck

    typecheck.set_typecheck_enabled(False)
    blank = SYMBOLS - 1
    encoder = Encoder(True)
    decoder = RNNTDecoder({"pred_hidden": WIDTH, "pred_rnn_layers": 2}, vocab_size=blank, blank_as_pad=True)
    joint = RNNTJoint({"encoder_hidden": WIDTH, "pred_hidden": WIDTH, "joint_hidden": 12, "activation": "relu"}, num_classes=blank, log_softmax=False)
    for p in decoder.parameters():
        p.data *= 3
    joint.enc.weight.data *= 3
    joint.pred.weight.data *= 8
    joint.joint_net[-1].weight.data *= 3
    decoder.eval(), joint.eval(), encoder.eval()
    said, _ = decoder.predict(torch.randint(blank, (1, 40)), None, add_sos=True)
    scores = joint.joint(encoder(torch.cat(clips).T[None], torch.tensor([1]))[0].transpose(1, 2), said)
    gaps = scores[..., :blank].amax(-1) - scores[..., blank]
    joint.joint_net[-1].bias.data[blank] += gaps.quantile(0.7)  # some frames end by the blank, some by their tenth symbol
    search, tokens = GreedyRNNTInfer(decoder, joint, blank_index=blank, max_symbols_per_step=10), []
    for clip in clips:
        encoded, lengths = encoder(clip.T[None], torch.tensor([len(clip)]))
        tokens.append(search(encoder_output=encoded, encoded_lengths=lengths)[0][0].y_sequence.tolist())
    step = {0: "n"}
    save(encoder, (clips[0].T[None], torch.tensor([len(clips[0])])), "encoder.onnx", ["audio_signal", "length"], ["outputs", "encoded_lengths"],
         {"audio_signal": {0: "n", 2: "t"}, "length": step, "outputs": {0: "n", 2: "t"}, "encoded_lengths": step})
    decoder._rnnt_export = True
    both, state = RNNTDecoderJoint(decoder, joint), torch.zeros(2, 2, WIDTH)
    save(both, (torch.zeros(2, WIDTH, 1), torch.zeros(2, 1, dtype=torch.int32), torch.ones(2, dtype=torch.int32), state, state), "prediction.onnx",
         ["encoder_outputs", "targets", "target_length", "input_states_1", "input_states_2"],
         ["outputs", "prednet_lengths", "output_states_1", "output_states_2"],
         {"encoder_outputs": step, "targets": step, "target_length": step, "input_states_1": {1: "n"}, "input_states_2": {1: "n"}, "outputs": step,
          "prednet_lengths": step, "output_states_1": {1: "n"}, "output_states_2": {1: "n"}})
    return tokens, list("abcdef") + ["<blk>"]


class Prediction(nn.Module):
    def __init__(self, context):
        super().__init__()
        self.embedding, self.conv = nn.Embedding(SYMBOLS, WIDTH), nn.Conv1d(WIDTH, WIDTH, context, groups=WIDTH // 4, bias=False)

    def forward(self, y):
        known = self.embedding(y.clamp(min=0)) * (y >= 0).unsqueeze(-1)
        return torch.relu(self.conv(known.transpose(1, 2))).squeeze(-1)


class Joiner(nn.Module):
    def __init__(self):
        super().__init__()
        self.line = nn.Linear(WIDTH, SYMBOLS)

    def forward(self, encoded, predicted):
        return self.line(torch.tanh(encoded + predicted))


def icefall(clips, context=2, unknown=2):
    encoder, prediction, joiner, tokens = Encoder(False), Prediction(context), Joiner(), []
    drawn = [0] * SYMBOLS
    prediction.conv.weight.data *= 3
    joiner.line.weight.data *= 3
    for clip in clips:
        encoded, _ = encoder(clip[None], torch.tensor([len(clip)]))
        said = [-1] * (context - 1) + [0]
        for frame in encoded[0]:
            symbol = int(joiner(frame[None], prediction(torch.tensor([said[-context:]])))[0].argmax())
            drawn[symbol] += 1
            if symbol not in (0, unknown):
                said.append(symbol)
        tokens.append(said[context:])
    assert drawn[0] and drawn[unknown], drawn
    n = {0: "n"}
    save(encoder, (clips[0][None], torch.tensor([len(clips[0])])), "encoder.onnx", ["x", "x_lens"], ["encoder_out", "encoder_out_lens"],
         {"x": {0: "n", 1: "t"}, "x_lens": n, "encoder_out": {0: "n", 1: "t"}, "encoder_out_lens": n})
    save(prediction, torch.zeros(2, context, dtype=torch.int64), "prediction.onnx", ["y"], ["decoder_out"], {"y": n, "decoder_out": n})
    save(joiner, (torch.zeros(2, WIDTH), torch.zeros(2, WIDTH)), "joint.onnx", ["encoder_out", "decoder_out"], ["logit"],
         {"encoder_out": n, "decoder_out": n, "logit": n})
    return tokens, ["<blk>", "a", "<unk>", "b", "c", "d", "e"]


def main():
    os.makedirs(OUT, exist_ok=True)
    torch.manual_seed(5)
    clips = [torch.randn(n, BINS) for n in FRAMES]
    with torch.no_grad():
        tokens, texts = {"nemo": nemo, "icefall": icefall}[FORM](clips)
    cases = []
    for i, clip in enumerate(clips):
        np.save(os.path.join(OUT, f"features_{i}.npy"), clip.numpy())
        cases.append({"features": f"features_{i}.npy", "frames": len(clip), "text": "".join(texts[k] for k in tokens[i])})
    with open(os.path.join(OUT, "tokens.txt"), "w") as f:
        f.writelines(f"{text} {i}\n" for i, text in enumerate(texts))
    with open(os.path.join(OUT, "expected.json"), "w") as f:
        json.dump({"interface": FORM, "bins": BINS, "cases": cases}, f, indent=1)


main()
