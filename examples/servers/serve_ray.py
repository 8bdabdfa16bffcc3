#!/usr/bin/env python3
"""Serves an ONNX model with Ray Serve on a cluster of two nodes, a replica and a gRPC proxy on each.

    pip install -r requirements-ray.txt
    python3 serve_ray.py --model FILE.onnx --name resnet50

The nodes are two raylets on this machine. Prints "ready HOST:PORT,HOST:PORT" when the model can be asked, and ends when
its standard input does. On machines of your own: ray start on each, and the deployment below.
"""

import argparse
import asyncio
import os
import random
import socket
import sys
import tempfile
from pathlib import Path

HOST = "127.0.0.1"
PROTO = Path(__file__).resolve().parents[2] / "backends" / "kserve" / "proto"
DATATYPES = {"float": "FP32", "float16": "FP16", "double": "FP64"}


def generate(folder):
    """Writes the protocol's Python modules, which every process of the cluster imports."""
    from grpc_tools import protoc

    if protoc.main(["", f"-I{PROTO}", f"--python_out={folder}", f"--grpc_python_out={folder}", "inference/oip.proto"]):
        sys.exit("protoc failed")
    sys.path.insert(0, folder)
    os.environ["PYTHONPATH"] = ":".join(filter(None, [folder, os.environ.get("PYTHONPATH")]))


class Model:
    """The protocol's service: Ray Serve calls the method of each gRPC's name."""

    def __init__(self, path, name):
        import numpy as np
        import onnxruntime
        from inference import oip_pb2

        self.np, self.wire, self.name = np, oip_pb2, name
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.inputs = [self.describe(t) for t in self.session.get_inputs()]
        self.outputs = [self.describe(t) for t in self.session.get_outputs()]

    def describe(self, tensor):
        name = tensor.type[len("tensor(") : -1]
        shape = [d if isinstance(d, int) else -1 for d in tensor.shape]
        return self.wire.TensorMetadata(name=tensor.name, datatype=DATATYPES.get(name, name.upper()), shape=shape)

    async def ServerReady(self, request):
        return self.wire.ServerReadyResponse(ready=True)

    async def ServerMetadata(self, request):
        import ray

        return self.wire.ServerMetadataResponse(name="ray serve", version=ray.__version__)

    async def ModelReady(self, request):
        return self.wire.ModelReadyResponse(ready=request.name == self.name)

    async def ModelMetadata(self, request):
        return self.wire.ModelMetadataResponse(
            name=self.name, platform="onnxruntime", inputs=self.inputs, outputs=self.outputs
        )

    async def ModelInfer(self, request):
        return await asyncio.to_thread(self.infer, request)

    def infer(self, request):
        types = {"FP32": "float32", "FP16": "float16", "FP64": "float64"}
        arrays = {
            t.name: self.np.frombuffer(raw, types.get(t.datatype, t.datatype.lower())).reshape(t.shape)
            for t, raw in zip(request.inputs, request.raw_input_contents)
        }
        response = self.wire.ModelInferResponse(model_name=self.name, id=request.id)
        named = {t.name: t for t in self.outputs}
        wanted = [t.name for t in request.outputs] or list(named)
        for name, array in zip(wanted, self.session.run(wanted, arrays)):
            response.outputs.add(name=name, datatype=named[name].datatype, shape=array.shape)
            response.raw_output_contents.append(array.tobytes())
        return response


def on_loopback():
    """Runs in every process: Ray Serve's gRPC proxies listen everywhere, and have no option for it."""
    from ray.serve._private import default_impl

    default_impl.add_grpc_address = lambda server, address: server.add_insecure_port(address.replace("[::]", HOST))


def free_port():
    """A free port between those that Ray gives to its workers and those that the system gives to anyone, as Ray's other
    processes ask for."""
    for port in random.sample(range(20000, 32000), 100):
        try:
            with socket.create_server((HOST, port)):
                return port
        except OSError:
            continue
    sys.exit("no port from 20000 to 32000 is free")


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--model", required=True, help="ONNX file")
    args.add_argument("--name", required=True, help="the model's name at the server")
    args = args.parse_args()

    with tempfile.TemporaryDirectory(prefix="ray-") as folder:
        # Ray calls a machine that has only the loopback address by this setting.
        os.environ.update(RAY_TMPDIR=folder, RAY_USAGE_STATS_ENABLED="0", RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0")
        generate(folder)
        import ray
        from ray import serve
        from ray.cluster_utils import Cluster

        ports = [free_port(), free_port()]
        node = {"num_cpus": 1, "object_store_memory": 100 << 20}
        cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
        # The proxies of both nodes share the address here, so the second needs a port of its own.
        own = {"RAY_SERVE_WORKER_PROXY_GRPC_PORT": str(ports[1]), "RAY_SERVE_WORKER_PROXY_HTTP_PORT": str(free_port())}
        cluster.add_node(**node, env_vars=own)
        try:
            ray.init(address=cluster.address, runtime_env={"worker_process_setup_hook": on_loopback})
            serve.start(
                proxy_location="EveryNode",
                http_options={"host": HOST, "port": free_port()},
                grpc_options={
                    "port": ports[0],
                    "grpc_servicer_functions": ["inference.oip_pb2_grpc.add_GRPCInferenceServiceServicer_to_server"],
                },
            )
            settings = {"num_replicas": 2, "max_ongoing_requests": 64, "ray_actor_options": {"num_cpus": 1}}
            deployment = serve.deployment(Model, **settings)
            serve.run(deployment.bind(os.path.abspath(args.model), args.name), name="benchmark")
            print("ready " + ",".join(f"{HOST}:{p}" for p in ports), flush=True)
            sys.stdin.read()
            serve.shutdown()
        finally:
            ray.shutdown()
            cluster.shutdown()


if __name__ == "__main__":
    main()
