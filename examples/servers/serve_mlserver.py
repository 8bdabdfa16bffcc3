#!/usr/bin/env python3
"""Serves an ONNX model with MLServer, as a runtime of its own that holds ONNX Runtime.

    pip install -r requirements-mlserver.txt
    python3 serve_mlserver.py --model FILE.onnx --name resnet50

Prints "ready HOST:PORT" when the model can be asked, and ends when its standard input does.
"""

import argparse
import asyncio
import socket
import sys

import grpc
import onnxruntime
from mlserver import MLModel, MLServer, ModelSettings, Settings
from mlserver.codecs import NumpyCodec
from mlserver.grpc import dataplane_pb2, dataplane_pb2_grpc
from mlserver.settings import ModelParameters
from mlserver.types import InferenceResponse, MetadataTensor

HOST = "127.0.0.1"
DATATYPES = {"float": "FP32", "float16": "FP16", "double": "FP64"}


class Runtime(MLModel):
    """A model in ONNX Runtime; its tensors are the file's."""

    async def load(self):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(self.settings.parameters.uri, options)
        self.inputs = [self.describe(t) for t in self.session.get_inputs()]
        self.outputs = [self.describe(t) for t in self.session.get_outputs()]
        return True

    def describe(self, tensor):
        name = tensor.type[len("tensor(") : -1]
        shape = [d if isinstance(d, int) else -1 for d in tensor.shape]
        return MetadataTensor(name=tensor.name, datatype=DATATYPES.get(name, name.upper()), shape=shape)

    def infer(self, payload):
        arrays = {t.name: NumpyCodec.decode_input(t) for t in payload.inputs}
        names = [t.name for t in payload.outputs or self.outputs]
        outputs = [NumpyCodec.encode_output(n, a) for n, a in zip(names, self.session.run(names, arrays))]
        return InferenceResponse(id=payload.id, model_name=self.name, outputs=outputs)

    async def predict(self, payload):
        return await asyncio.to_thread(self.infer, payload)


def free_port():
    with socket.create_server((HOST, 0)) as s:
        return s.getsockname()[1]


async def serve(args):
    settings = Settings(
        host=HOST, http_port=free_port(), grpc_port=free_port(), metrics_endpoint=None,
        parallel_workers=0, use_structured_logging=False, grpc_max_message_length=64 << 20,
    )
    model = ModelSettings(name=args.name, implementation=Runtime, parameters=ModelParameters(uri=args.model))
    server = MLServer(settings)
    running = asyncio.create_task(server.start([model]))
    ready = asyncio.create_task(announce(args.name, f"{HOST}:{settings.grpc_port}"))
    ended = asyncio.create_task(asyncio.to_thread(sys.stdin.read))
    await asyncio.wait([running, ended], return_when=asyncio.FIRST_COMPLETED)
    ready.cancel()
    await server.stop()
    await running


async def announce(name, address):
    """Asks the server until it has the model."""
    async with grpc.aio.insecure_channel(address) as channel:
        rpc = dataplane_pb2_grpc.GRPCInferenceServiceStub(channel)
        request = dataplane_pb2.ModelReadyRequest(name=name)
        while not (await rpc.ModelReady(request, wait_for_ready=True)).ready:
            await asyncio.sleep(0.1)
    print(f"ready {address}", flush=True)


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--model", required=True, help="ONNX file")
    args.add_argument("--name", required=True, help="the model's name at the server")
    asyncio.run(serve(args.parse_args()))


if __name__ == "__main__":
    main()
