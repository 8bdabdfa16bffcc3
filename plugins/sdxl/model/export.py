"""The networks as ONNX files with the tensors of optimum's export, FP32 and INT8, and the small files beside them."""

import json
import shutil
import tempfile
from pathlib import Path

import data
import network
import onnx
import torch
from embedded import int8
from torch import nn

OPSET = 18
PARTS = ("text_encoder", "text_encoder_2", "unet", "vae_decoder")
KEPT = PARTS[:2]  # run once for a picture, so that the FP32 files serve in INT8, too
# What is quantised: convolutions, and products with weights.
QUANTISED = {"Conv": 1, "Gemm": 1, "MatMul": 1}
SCHEDULER = {
    "_class_name": "EulerDiscreteScheduler",
    "beta_start": 0.00085,
    "beta_end": 0.012,
    "beta_schedule": "scaled_linear",
    "num_train_timesteps": 1000,
    "prediction_type": "epsilon",
    "interpolation_type": "linear",
    "timestep_spacing": "leading",
    "steps_offset": 1,
    "use_karras_sigmas": False,
    "final_sigmas_type": "zero",
}


def name(part, precision):
    """The file of a part in a precision."""
    return f"{part}_{'fp32' if part in KEPT else precision}.onnx"


class States(nn.Module):
    """A text encoder with all of its states as outputs."""

    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def forward(self, input_ids):
        states, last, pooled = self.encoder(input_ids)
        return pooled, last, *states


class Both(nn.Module):
    def __init__(self, clip):
        super().__init__()
        self.clip = clip

    def forward(self, input_ids, pixel_values, attention_mask):
        # The mask is an input of the interface; nothing that it hides is looked at.
        text = self.clip.read(input_ids) + 0 * attention_mask[:, :1]
        return text, self.clip.see(pixel_values)


def write_onnx(module, inputs, outputs, path):
    """inputs by name: examples, whose first axis is free where it is 2."""
    axes = [{0: torch.export.Dim("N")} if len(x) == 2 else None for x in inputs.values()]
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / path.name
        torch.onnx.export(
            module.eval(), tuple(inputs.values()), written, input_names=list(inputs), output_names=outputs,
            dynamic_shapes=tuple(axes), opset_version=OPSET, dynamo=True, external_data=False, verbose=False,
        )
        model = onnx.load(written)
    for part in [model.graph, *model.graph.node, *model.graph.value_info, *model.graph.input, *model.graph.output]:
        part.doc_string = ""
        del part.metadata_props[:]
    del model.graph.value_info[:], model.metadata_props[:], model.functions[:]
    onnx.save(model, path)


def write_texts(first, second, out):
    for name, encoder, ids, pooled in (
        ("text_encoder", first, torch.zeros(2, data.CONTEXT, dtype=torch.int32), "pooler_output"),
        ("text_encoder_2", second, torch.zeros(2, data.CONTEXT, dtype=torch.int64), "text_embeds"),
    ):
        states = [f"hidden_states.{i}" for i in range(len(encoder.layers) + 1)]
        outputs = [pooled, "last_hidden_state", *states]
        write_onnx(States(encoder), {"input_ids": ids}, outputs, out / f"{name}_fp32.onnx")


def write_fp32(trained, out):
    write_texts(trained["first"], trained["second"], out)
    latent = torch.zeros(2, network.CHANNELS, network.LATENT, network.LATENT)
    write_onnx(trained["unet"], {
        "sample": latent, "timestep": torch.tensor([1]),
        "encoder_hidden_states": torch.zeros(2, data.CONTEXT, network.HIDDEN),
        "text_embeds": torch.zeros(2, network.POOLED), "time_ids": torch.zeros(2, 6),
    }, ["out_sample"], out / "unet_fp32.onnx")
    write_onnx(network.Scaled(trained["decoder"]), {"latent_sample": latent}, ["sample"], out / "vae_decoder_fp32.onnx")
    write_onnx(Both(trained["clip"]), {
        "input_ids": torch.zeros(2, data.CONTEXT, dtype=torch.int64), "pixel_values": torch.zeros(2, 3, 224, 224),
        "attention_mask": torch.ones(2, data.CONTEXT, dtype=torch.int64),
    }, ["text_embeds", "image_embeds"], out / "clip.onnx")
    write_onnx(trained["features"], {"pictures": torch.zeros(2, 3, 299, 299)}, ["features"], out / "inception.onnx")


def quantised(path):
    """The nodes of a file that have weights."""
    graph = onnx.load(path).graph
    weights = {w.name for w in graph.initializer}
    return [n.name for n in graph.node if n.op_type in QUANTISED and n.input[QUANTISED[n.op_type]] in weights]


def write_int8(traced, out):
    """Quantises what has weights, with the ranges of what each part was given on the way to some pictures."""
    for part in PARTS[2:]:
        source = out / f"{part}_fp32.onnx"
        int8.static(source, out / f"{part}_int8.onnx", traced[part], QUANTISED, only=quantised(source))


def write_small(latents, out):
    """The small files; latents is the file of the data set."""
    (out / "scheduler_config.json").write_text(json.dumps(SCHEDULER, indent=2) + "\n")
    (out / "vae_config.json").write_text(json.dumps({"scaling_factor": network.SCALING}, indent=2) + "\n")
    for path in (latents, data.HERE / "vocab.json", data.HERE / "merges.txt"):
        if path.parent != out:
            shutil.copy(path, out)
