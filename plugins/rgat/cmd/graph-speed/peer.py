"""What graph-speed measures, with DGL: loading a graph in the layout of IGBH, its CSC, and drawing neighbourhoods.

    pip install dgl==2.1.0 torch==2.2.1 torchdata==0.7.1 "numpy<2" pandas pydantic pyyaml
    OMP_NUM_THREADS=1 python peer.py DIR    # loads with one thread; without OMP_NUM_THREADS with all
"""

import resource
import sys
import time
from pathlib import Path

import dgl
import numpy as np
import torch

TYPES = ["author", "conference", "fos", "institute", "journal", "paper"]
STORED = ["author__affiliated_to__institute", "paper__cites__paper", "paper__published__journal", "paper__topic__fos",
          "paper__venue__conference", "paper__written_by__author"]
SECONDS = 3


def load(folder):
    """The graph as the reference loads it, with its CSC."""
    edges = {}
    for relation in STORED:
        pairs = torch.from_numpy(np.load(folder / relation / "edge_index.npy"))
        source, name, destination = relation.split("__")
        a, b = pairs[:, 0].contiguous(), pairs[:, 1].contiguous()
        if name == "cites":
            other = a != b
            a, b = a[other], b[other]
            loops = torch.arange(nodes(folder, "paper"))
            edges[source, name, destination] = torch.cat([a, b, loops]), torch.cat([b, a, loops])
        else:
            edges[source, name, destination] = a, b
            edges[destination, "rev_" + name, source] = b, a
    graph = dgl.heterograph(edges, {t: nodes(folder, t) for t in TYPES})
    graph = graph.formats(["csc"])
    graph.create_formats_()
    return graph


def nodes(folder, node_type):
    return len(np.load(folder / node_type / "node_feat.npy", mmap_mode="r"))


def rate(graph, papers, features, batch):
    """Papers drawn in a second, with their features if there are any, and nodes and edges of one."""
    sampler = dgl.dataloading.NeighborSampler([5, 10, 15])  # the last is the first hop
    start, busy, calls, found, edges = time.time(), time.process_time(), 0, 0, 0
    while time.time() - start < SECONDS:
        first = calls * batch % (len(papers) - batch)
        sources, _, blocks = sampler.sample(graph, {"paper": papers[first : first + batch]})
        if features:
            for node_type, ids in sources.items():
                features[node_type][ids.numpy()]
        calls += 1
        found += sum(len(ids) for ids in sources.values())
        edges += blocks[0].num_edges()
    return calls * batch / (time.process_time() - busy), found // calls // batch, edges // calls // batch


def main():
    folder = Path(sys.argv[1]) / "tiny" / "processed"
    before, start, busy = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.time(), time.process_time()
    graph = load(folder)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"load and CSC: {time.time() - start:.1f} s ({time.process_time() - busy:.1f} s of processor time), "
          f"at most {memory * 1024 / 1e9:.2f} GB of memory", flush=True)
    print(f"graph: {graph.num_nodes()} nodes, {graph.num_edges()} edges of {graph.idtype}", flush=True)
    torch.set_num_threads(1)
    papers = torch.load(folder / "val_idx.pt")
    features = {t: np.load(folder / t / "node_feat.npy", mmap_mode="r") for t in TYPES}
    for batch in (1, 64, 1024):
        drawn, found, edges = rate(graph, papers, None, batch)
        gathered, _, _ = rate(graph, papers, features, batch)
        print(f"batches of {batch}: {drawn:.0f} papers/s, with features {gathered:.0f};",
              f"{found} nodes and {edges} edges each", flush=True)


if __name__ == "__main__":
    main()
