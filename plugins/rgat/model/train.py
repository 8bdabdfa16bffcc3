"""Trains the embedded model of the rgat benchmark and writes its files beside this script.

    pip install -r requirements.txt
    python train.py            # needs Go, and one CPU core for some minutes

Everything random is seeded. Sums of floats differ between machines, so a repeated training agrees within a point of
accuracy, not bit by bit.
"""

from pathlib import Path

import data
import evaluate
import export
import numpy as np
import torch
from embedded import synthetic, training
from network import Network
from torch.nn import functional

SEED = 1
EPOCHS, RATE, MOST_EDGES = 100, 5e-3, 10
CLASSES = 24


def train(graph, epochs):
    generator = torch.Generator().manual_seed(SEED)
    network = Network(graph.features["paper"].shape[1], CLASSES)
    optimiser = torch.optim.Adam(network.parameters(), RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 2 * RATE, total_steps=epochs)
    steps = training.Steps(optimiser, schedule, every=10, name="epoch")
    for _ in range(epochs):
        network.train()
        scores = network(graph.features, graph.sampled(MOST_EDGES, generator))[graph.train]
        steps(functional.cross_entropy(scores, graph.labels[graph.train]))
        if steps.done % steps.every == 0:
            print(f"          accuracy {accuracy(network, graph, generator):.3f}", flush=True)
    return network


def accuracy(network, graph, generator):
    """With at most ten edges of a relation into each node: about what neighbourhoods of 15, 10 and 5 give."""
    network.eval()
    with torch.no_grad():
        answers = network(graph.features, graph.sampled(MOST_EDGES, generator))[graph.samples].argmax(1)
    return (answers == graph.labels[graph.samples]).float().mean().item()


def main():
    parser = training.arguments(__doc__, Path(__file__).resolve().parent)
    parser.add_argument("--epochs", type=int, default=EPOCHS, help="fewer to try things out")
    with training.Run(parser, SEED) as run:
        graph = data.Graph(synthetic.export("citations", "all", run.cache / "all") / "tiny" / "processed")
        network = run.trained(train(graph, run.options.epochs))
        state = {name: value.numpy() for name, value in network.state_dict().items()}
        with torch.no_grad():
            scores = network(graph.features, graph.edges)[graph.samples].numpy()
        files = []
        for precision in ("fp32", "int8"):
            path = run.out / f"rgat_{precision}.onnx"
            export.write(state, path, precision == "int8")
            value, logits = evaluate.accuracy(path, graph)
            print(f"{precision}: logits {np.abs(logits - scores).max():.2g} from the network's", flush=True)
            files.append(training.entry(path, precision, ("accuracy", "%", value)))
        run.write_card({"parameters": training.parameters(network)}, files)


if __name__ == "__main__":
    main()
