"""Click logs of package internal/synthetic/clicks, drawn by its own command, as arrays."""

import numpy as np
from embedded import synthetic

TABLES = 26


class Clicks:
    """Pairs in the order of the log: dense (N,13) float32, tables 26 x (N,hotness) int32, labels (N,) float32."""

    def __init__(self, dense, tables, labels):
        self.dense, self.tables, self.labels = dense, tables, labels

    def __len__(self):
        return len(self.labels)

    def hotness(self):
        return [table.shape[1] for table in self.tables]

    def at(self, chosen):
        return Clicks(self.dense[chosen], [table[chosen] for table in self.tables], self.labels[chosen])

    def inputs(self):
        """The model's inputs: bags in the order of the tables, each table's in the order of the pairs."""
        lengths = np.repeat(self.hotness(), len(self))
        return {
            "dense_x": np.ascontiguousarray(self.dense),
            "offsets": np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32),
            "indices": np.concatenate([table.reshape(-1) for table in self.tables]),
        }


def load(name, first, count, cache):
    """Pairs [first, first + count) of a set, kept as files in cache."""
    folder = synthetic.export("clicks", name, cache / f"{name}_{first}_{count}", count, first)
    dense = np.load(folder / "day_23_dense_sample.npy")
    labels = np.load(folder / "day_23_labels_sample.npy").reshape(-1).astype(np.float32)
    with np.load(folder / "day_23_sparse_multi_hot_sample.npz") as archive:
        tables = [archive[str(k)] for k in range(TABLES)]
    return Clicks(dense, tables, labels)
