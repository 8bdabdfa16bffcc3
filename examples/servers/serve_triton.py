#!/usr/bin/env python3
"""Serves an ONNX model with Triton, through nvidia-pytriton, on the CPU.

    pip install -r requirements-triton.txt
    python3 serve_triton.py --model FILE.onnx --name resnet50

Prints "ready HOST:PORT" when the model can be asked, and ends when its standard input does.
"""

import argparse
import os
import socket
import sys
import sysconfig
import tempfile

import numpy as np
import onnxruntime
from pytriton.model_config import ModelConfig, Tensor
from pytriton.triton import Triton, TritonConfig, TritonSecurityConfig

HOST = "127.0.0.1"
DTYPES = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(double)": np.float64,
    "tensor(bool)": np.bool_,
}


def free_port():
    with socket.create_server((HOST, 0)) as s:
        return s.getsockname()[1]


def tensor(node):
    """What Triton is told of a tensor."""
    dtype = DTYPES.get(node.type) or np.dtype(node.type[len("tensor(") : -1]).type
    return Tensor(name=node.name, dtype=dtype, shape=tuple(d if isinstance(d, int) else -1 for d in node.shape))


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--model", required=True, help="ONNX file")
    args.add_argument("--name", required=True, help="the model's name at the server")
    args.add_argument("--instances", type=int, default=1, help="requests at a time; all must start within a second")
    args.add_argument("--threads", type=int, default=0, help="threads for a request (0: one for each core)")
    args.add_argument("--statistics", action="store_true", help="let anyone read them: perf_analyzer does")
    args = args.parse_args()

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = args.threads
    session = onnxruntime.InferenceSession(args.model, options, providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]

    def infer(requests):
        return [dict(zip(names, session.run(names, dict(r.items())))) for r in requests]

    # Triton starts Python in a process of its own, which must load this interpreter's library and no other.
    libraries = [sysconfig.get_config_var("LIBDIR"), os.environ.get("LD_LIBRARY_PATH")]
    os.environ["LD_LIBRARY_PATH"] = ":".join(filter(None, libraries))

    port = free_port()
    with tempfile.TemporaryDirectory() as workspace:
        addresses = {"grpc_address": HOST, "grpc_port": port, "http_address": HOST, "http_port": free_port()}
        config = TritonConfig(**addresses, allow_metrics=False)
        security = TritonSecurityConfig(restricted_endpoints=[] if args.statistics else None)
        with Triton(config=config, security_config=security, workspace=f"{workspace}/triton") as triton:
            triton.bind(
                model_name=args.name,
                infer_func=[infer] * args.instances,
                inputs=[tensor(t) for t in session.get_inputs()],
                outputs=[tensor(t) for t in session.get_outputs()],
                # Triton's own batching would take the first dimension for itself, and wants another in each tensor:
                # an output of shape [N] has none.
                config=ModelConfig(batching=False),
            )
            triton.run()
            print(f"ready {HOST}:{port}", flush=True)
            sys.stdin.read()


if __name__ == "__main__":
    main()
