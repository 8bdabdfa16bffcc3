"""Graphs of IGBH folders, as the benchmark loads them."""

from pathlib import Path

import numpy as np
import torch

TYPES = ["author", "conference", "fos", "institute", "journal", "paper"]
STORED = ["author__affiliated_to__institute", "paper__cites__paper", "paper__published__journal", "paper__topic__fos",
          "paper__venue__conference", "paper__written_by__author"]


def reverse(relation):
    source, name, destination = relation.split("__")
    return f"{destination}__rev_{name}__{source}"


RELATIONS = sorted([r for r in STORED] + [reverse(r) for r in STORED if r != "paper__cites__paper"])


def ends(relation):
    """The bare name of a relation, and the types of its sources and destinations."""
    source, name, destination = relation.split("__")
    return name, source, destination


class Graph:
    """Features by type, edges by relation (sources, destinations), labels, and the papers of each part."""

    def __init__(self, folder):
        folder = Path(folder)
        self.features = {t: torch.from_numpy(np.load(folder / t / "node_feat.npy")) for t in TYPES}
        self.labels = torch.from_numpy(np.load(folder / "paper" / "node_label_2K.npy").astype(np.int64))
        self.train = torch.load(folder / "train_idx.pt", weights_only=True)
        self.samples = torch.load(folder / "val_idx.pt", weights_only=True)
        self.edges = {}
        for relation in STORED:
            source, destination = torch.from_numpy(np.load(folder / relation / "edge_index.npy")).T
            if relation == "paper__cites__paper":
                other, every = source != destination, torch.arange(len(self.labels))
                source, destination = source[other], destination[other]
                both = torch.cat([source, destination, every]), torch.cat([destination, source, every])
                self.edges[relation] = both
            else:
                self.edges[relation] = source, destination
                self.edges[reverse(relation)] = destination, source

    def sampled(self, most, generator):
        """The edges with at most so many into each node, drawn anew."""
        return {r: self._few(s, d, most, generator) for r, (s, d) in self.edges.items()}

    @staticmethod
    def _few(source, destination, most, generator):
        order = torch.randperm(len(source), generator=generator)
        source, destination = source[order], destination[order]
        order = torch.argsort(destination, stable=True)
        source, destination = source[order], destination[order]
        first = torch.searchsorted(destination, destination)
        kept = torch.arange(len(destination)) - first < most
        return source[kept], destination[kept]
