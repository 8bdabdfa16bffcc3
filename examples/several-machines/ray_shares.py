#!/usr/bin/env python3
"""Sends one load from all nodes of a Ray cluster, a share each, brings what they record here and joins it.

    python3 ray_shares.py http://SERVER:8000 --isl 1024 --osl 128 --concurrency 512 --requests 20000

harness must be in the PATH of all nodes. RAY_ADDRESS says which cluster (default: the one that this machine is part
of), LEAD how many seconds the shares have to make their prompts (default 60), OUT where results go.
"""

import io
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy


@ray.remote(num_cpus=0, max_retries=0)
def share(index, of, start, flags):
    """Sends a share; returns its exit code, what it printed and its folder as a tar."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, f"share-{index}")
        command = ["harness", "bench", *flags, "--shard", f"{index}/{of}", "--start-at", str(start), "--out", str(out)]
        done = subprocess.run([*command, "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        packed = io.BytesIO()
        if out.exists():
            with tarfile.open(fileobj=packed, mode="w") as tar:
                tar.add(out, out.name)
        return done.returncode, done.stdout, packed.getvalue()


def main():
    flags = sys.argv[1:]
    if not flags:
        sys.exit(__doc__)
    ray.init(address=os.environ.get("RAY_ADDRESS", "auto"), log_to_driver=False)
    nodes = [node["NodeID"] for node in ray.nodes() if node["Alive"]]
    start = int(time.time()) + int(os.environ.get("LEAD", "60"))
    folder = Path(os.environ.get("OUT", f"bench-{start}"))
    on = [NodeAffinitySchedulingStrategy(node_id=node, soft=False) for node in nodes]
    shares = [
        share.options(scheduling_strategy=where).remote(i, len(nodes), start, flags) for i, where in enumerate(on)
    ]
    worst = 0
    for i, (code, said, packed) in enumerate(ray.get(shares)):
        if code != 0:
            print(f"share {i} on node {nodes[i]} ended with {code}:\n{said}", file=sys.stderr)
            worst = code
        elif packed:
            with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
                tar.extractall(folder / "shares", filter="data")
    if worst:
        sys.exit(worst)
    folders = sorted(str(path) for path in (folder / "shares").iterdir())
    sys.exit(subprocess.run(["harness", "bench", "merge", *folders, "--out", str(folder / "merged")]).returncode)


if __name__ == "__main__":
    main()
