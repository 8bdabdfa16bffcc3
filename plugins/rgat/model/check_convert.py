"""Checks convert.py: a checkpoint with the official names is converted, and the logits are compared.

    python check_convert.py [CASE/rgat.onnx ...]

Without a file the weights are drawn, and the logits to equal are those of network.py. The weights of a reference case
are taken from its ONNX file, whose own logits are to be equalled.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import torch
from data import RELATIONS, TYPES, ends
from evaluate import session
from network import Network
from onnx import numpy_helper

NODES, EDGES, SEEDS, NEAR = 40, 90, 5, 1e-3


def drawn(width, seed):
    """Features, edges and seeds of a graph; one relation has no edge."""
    random = np.random.default_rng(seed)
    feeds = {"x_" + t: random.standard_normal((NODES, width), dtype=np.float32) for t in TYPES}
    for i, relation in enumerate(RELATIONS):
        for end in ("src_", "dst_"):
            feeds[end + relation] = random.integers(0, NODES, EDGES if i else 0)
    feeds["seeds"] = random.integers(0, NODES, SEEDS)
    return feeds


def logits(path, feeds):
    model = session(path)
    return model.run(["logits"], {i.name: feeds[i.name] for i in model.get_inputs()})[0]


def converted(state, feeds):
    """The logits of a state, through a checkpoint as the reference saves it."""
    state = {name: torch.from_numpy(np.array(value)) for name, value in state.items()}
    whole = {"model." + name: value for name, value in state.items()}
    whole |= {name: value for name, value in state.items() if "layers" in name}
    with tempfile.TemporaryDirectory() as temporary:
        checkpoint, file = Path(temporary) / "RGAT.pt", Path(temporary) / "rgat.onnx"
        torch.save({"model_state_dict": whole, "epoch": 1}, checkpoint)
        subprocess.run([sys.executable, Path(__file__).resolve().parent / "convert.py", checkpoint, file], check=True)
        return logits(file, feeds)


def state_of(path):
    """The weights of a reference case under the names of the checkpoint."""
    weights = {i.name: numpy_helper.to_array(i) for i in onnx.load(path).graph.initializer}
    state = {"linear.weight": weights["lw"].T, "linear.bias": weights["lb"]}
    for name, value in weights.items():
        for relation in RELATIONS:
            layer, _, what = name.partition("_" + relation + "_")
            if what:
                at = f"layers.{layer[1:]}.mods.{ends(relation)[0]}."
                official = {"W": "fc.weight", "al": "attn_l", "ar": "attn_r", "b": "bias"}[what]
                state[at + official] = value.T if what == "W" else value
    return state


def compare(name, got, want):
    away = float(np.abs(got - want).max())
    print(f"{name}: logits of up to {np.abs(want).max():.1f} differ by {away:.2g}")
    if not away <= NEAR:
        sys.exit(f"{name}: the converted file gives other logits")


def main():
    torch.manual_seed(1)
    network, feeds = Network(24, 7, hidden=16, heads=4).eval(), drawn(24, 1)
    got = converted({name: value.numpy() for name, value in network.state_dict().items()}, feeds)
    given = {name: torch.from_numpy(value) for name, value in feeds.items()}
    with torch.no_grad():
        edges = {r: (given["src_" + r], given["dst_" + r]) for r in RELATIONS}
        want = network({t: given["x_" + t] for t in TYPES}, edges)
    compare("drawn weights", got, want[given["seeds"]].numpy())
    for case in sys.argv[1:]:
        state = state_of(case)
        feeds = drawn(state["layers.0.mods.cites.fc.weight"].shape[1], 2)
        compare(case, converted(state, feeds), logits(case, feeds))


if __name__ == "__main__":
    main()
