"""The project's synthetic data, written by its own command, which needs Go."""

import subprocess
from pathlib import Path

DATASETS_MODULE = Path(__file__).resolve().parents[3] / "datasets"


def export(kind, name, out, count=None, first=None):
    """Writes a set of a kind (see datasets/cmd/synthetic-export) to a file or folder, unless it is there, and returns
    its path. count and first: of how many samples, from which on; by default all."""
    out = Path(out).resolve()
    if not out.exists():
        unfinished = out.with_name("unfinished_" + out.name)
        command = ["go", "run", "./cmd/synthetic-export", kind, "-set", name, "-out", str(unfinished)]
        command += [] if first is None else ["-first", str(first)]
        command += [] if count is None else ["-n", str(count)]
        subprocess.run(command, cwd=DATASETS_MODULE, check=True)
        unfinished.rename(out)
    return out
