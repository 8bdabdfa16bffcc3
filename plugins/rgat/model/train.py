"""Trains the embedded model of the rgat benchmark and writes its files beside this script.

    pip install -r requirements.txt
    python train.py            # needs Go, and one CPU core for some minutes

Everything random is seeded. Sums of floats differ between machines, so a repeated training agrees within a point of
accuracy, not bit by bit.
"""

import argparse
import hashlib
import json
import os
import platform
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from torch.nn import functional

import data
import export
from network import Network

HERE = Path(__file__).resolve().parent
SEED = 1
EPOCHS, RATE, MOST_EDGES = 100, 5e-3, 10
CLASSES = 24


def draw_graph(folder):
    """Has the project write its graph, unless it is there."""
    if not (folder / "tiny").exists():
        subprocess.run(["go", "run", "./cmd/synthetic-export", "citations", "-set", "all", "-out", str(folder)],
                       cwd=HERE.parents[2] / "datasets", check=True)
    return data.Graph(folder / "tiny" / "processed")


def train(graph, epochs):
    torch.manual_seed(SEED)
    generator = torch.Generator().manual_seed(SEED)
    network = Network(graph.features["paper"].shape[1], CLASSES)
    optimiser = torch.optim.Adam(network.parameters(), RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 2 * RATE, total_steps=epochs)
    for epoch in range(epochs):
        network.train()
        scores = network(graph.features, graph.sampled(MOST_EDGES, generator))[graph.train]
        loss = functional.cross_entropy(scores, graph.labels[graph.train])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1}: loss {loss.item():.3f}, accuracy {accuracy(network, graph, generator):.3f}", flush=True)
    return network.eval()


def accuracy(network, graph, generator):
    """With at most ten edges of a relation into each node: about what neighbourhoods of 15, 10 and 5 give."""
    network.eval()
    with torch.no_grad():
        answers = network(graph.features, graph.sampled(MOST_EDGES, generator))[graph.samples].argmax(1)
    return (answers == graph.labels[graph.samples]).float().mean().item()


def measured(path, graph):
    """The accuracy of a file on ONNX Runtime with whole neighbourhoods, and the logits."""
    alone = onnxruntime.SessionOptions()
    alone.intra_op_num_threads = 1  # ScatterND with a reduction is wrong with more
    session = onnxruntime.InferenceSession(str(path), alone, providers=["CPUExecutionProvider"])
    feeds = {"x_" + t: x.numpy() for t, x in graph.features.items()}
    for relation, (source, destination) in graph.edges.items():
        feeds["src_" + relation], feeds["dst_" + relation] = source.numpy(), destination.numpy()
    feeds["seeds"] = graph.samples.numpy()
    logits = session.run(["logits"], feeds)[0]
    return 100 * float((logits.argmax(1) == graph.labels[graph.samples].numpy()).mean()), logits


def entry(path, precision, value):
    content = path.read_bytes()
    return {"name": path.name, "precision": precision, "size": len(content), "sha256": hashlib.sha256(content).hexdigest(),
            "metrics": [{"name": "accuracy", "unit": "%", "value": value}]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder for the graph; default: a temporary one")
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    options = parser.parse_args()
    torch.set_num_threads(1)
    start = time.time()
    with tempfile.TemporaryDirectory() as temporary:
        graph = draw_graph(options.data or Path(temporary))
    network = train(graph, options.epochs)
    state = {name: value.numpy() for name, value in network.state_dict().items()}
    files = []
    for precision in ("fp32", "int8"):
        path = HERE / f"rgat_{precision}.onnx"
        export.write(state, path, precision == "int8")
        value, logits = measured(path, graph)
        with torch.no_grad():
            away = np.abs(logits - network(graph.features, graph.edges)[graph.samples].numpy()).max()
        print(f"{precision}: accuracy {value:.2f} % with whole neighbourhoods, logits {away:.2g} from the network's")
        files.append(entry(path, precision, value))
    card = {
        "parameters": sum(p.numel() for p in network.parameters()),
        "training_minutes": round((time.time() - start) / 60, 1),
        "trained_with": {"cores": os.cpu_count(), "machine": platform.machine(), "torch": torch.__version__,
                         "onnxruntime": onnxruntime.__version__},
        "files": files,
    }
    (HERE / "card.json").write_text(json.dumps(card, indent=2) + "\n")


if __name__ == "__main__":
    main()
