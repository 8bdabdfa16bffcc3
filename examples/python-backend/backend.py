#!/usr/bin/env python3
"""A Plumbline backend in Python: ONNX Runtime behind backend.proto.

    pip install -r requirements.txt
    harness run resnet50 --backend process --backend-opt command="python3 backend.py"

Another runtime takes the place of ONNX Runtime in class Model, and its devices and capabilities ("device": it heeds
request.device) that of those in Open. Everything else is the wire: the handshake, one stream for each batch, tensors in
memory or messages.
"""

import itertools
import mmap
import os
import sys
import threading
from concurrent import futures
from pathlib import Path

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")  # else what a library forks, to send usage data say, crashes
import grpc
import numpy as np

# plumbline/backend/v1/backend.proto lies beside this file, or in the checkout that this file is part of.
sys.path.append(os.environ.get("PLUMBLINE_PROTO", str(Path(__file__).resolve().parent / "../../sdk/proto")))
wire, services = grpc.protos_and_services("plumbline/backend/v1/backend.proto")

# backend.proto's names are numpy's, but for bfloat16, which numpy lacks.
DTYPES = {n: np.dtype(k.lower()) for k, n in wire.DType.items() if k not in ("DTYPE_UNSPECIFIED", "BFLOAT16")}
NUMBERS = {dtype: number for number, dtype in DTYPES.items()}
ALIGNMENT = 64


class Model:
    """A model in ONNX Runtime on the CPU."""

    TYPES = {"tensor(float)": "float32", "tensor(double)": "float64", "tensor(bool)": "bool"}

    def __init__(self, request):
        os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # it sends in a timed run, and leaves a file behind
        import onnxruntime as ort
        given, options = dict(request.options), ort.SessionOptions()
        options.intra_op_num_threads = int(given.pop("threads", "0" if request.low_latency else "1"))
        if given:
            raise ValueError(f"unknown options {sorted(given)}, want threads")
        self.session = ort.InferenceSession(request.path or request.model, options, providers=["CPUExecutionProvider"])
        self.inputs, self.outputs = map(self.describe, (self.session.get_inputs(), self.session.get_outputs()))
        self.version = f"onnxruntime {ort.__version__}, Python {sys.version.split()[0]}"

    def describe(self, tensors):
        return [(t.name, np.dtype(self.TYPES.get(t.type, t.type[7:-1])), t.shape) for t in tensors]

    def run(self, names, arrays):
        """The outputs of these names for arrays by input name. Called from several threads at a time."""
        return self.session.run(names, arrays)


def infos(tensors):
    return [
        wire.TensorInfo(name=name, dtype=NUMBERS[dtype], shape=[d if isinstance(d, int) else -1 for d in shape])
        for name, dtype, shape in tensors
    ]


def read(tensor, region, kept):
    """A tensor as an array that shares the message's or the region's memory, or what the process has kept."""
    if tensor.kept:
        arrays = [kept[handle] for handle in tensor.kept]
        array = arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
        return array[list(tensor.rows)] if tensor.rows else array
    buffer = memoryview(region)[tensor.offset : tensor.offset + tensor.size] if tensor.size else tensor.data
    return np.frombuffer(buffer, DTYPES[tensor.dtype]).reshape(tensor.shape)


def write(array, region, offset):
    """An array as a tensor, in the region if there is room. Returns the offset behind it, too."""
    array = np.ascontiguousarray(array)
    tensor = wire.Tensor(dtype=NUMBERS[array.dtype], shape=array.shape)
    if region is None or not array.nbytes or offset + array.nbytes > len(region):
        tensor.data = array.tobytes()
        return tensor, offset
    np.frombuffer(region, np.uint8, array.nbytes, offset)[:] = array.reshape(-1).view(np.uint8)
    tensor.offset, tensor.size = offset, array.nbytes
    return tensor, (offset + array.nbytes + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


class Backend(services.BackendServicer):
    def __init__(self, stop):
        self.stop = stop
        self.models = {}  # by number: one for each part of a workload
        self.kept, self.handles = {}, itertools.count(1)  # outputs that stay here, by handle

    def Open(self, request, context):
        try:
            model = self.models[request.model_number] = Model(request)
        except (ValueError, KeyError) as e:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(e))
        except Exception as e:
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(e))
        return wire.OpenResponse(
            inputs=infos(model.inputs), outputs=infos(model.outputs), concurrency=request.concurrency,
            version=model.version, devices=["cpu"], capabilities=["shared-memory", "request-ids", "models", "keep"],
        )

    def Run(self, requests, context):
        region = None
        for request in requests:
            try:
                for handle in request.release:
                    self.kept.pop(handle, None)
                if request.HasField("attach"):
                    model = self.models[request.attach.model_number]
                    inputs, outputs = list(request.attach.inputs), list(request.attach.outputs)
                    region, attached = attach(request.attach)
                    yield wire.RunResponse(request=request.id, attached=attached)
                    continue
                arrays = {name: read(t, region, self.kept) for name, t in zip(inputs, request.inputs, strict=True)}
                offset, tensors = request.output_offset, []
                for i, array in enumerate(model.run(outputs, arrays)):
                    if i in request.keep:
                        tensors.append(self.keep(array))
                        continue
                    tensor, offset = write(array, region if offset else None, offset)
                    tensors.append(tensor)
                yield wire.RunResponse(request=request.id, outputs=tensors)
            except Exception as e:  # the batch failed; the stream goes on
                yield wire.RunResponse(request=request.id, error=f"{type(e).__name__}: {e}")

    def keep(self, array):
        """Keeps an array, which nobody may change any more, and answers with its handle."""
        handle = next(self.handles)
        self.kept[handle] = array
        return wire.Tensor(dtype=NUMBERS[array.dtype], shape=array.shape, kept=[handle])

    def Close(self, request, context):
        self.stop.set()
        return wire.CloseResponse()


def attach(message):
    """Maps the region of an Attach. Without one tensors go through the stream."""
    if not message.HasField("region"):
        return None, wire.Attached()
    try:
        with open(message.region.path, "r+b") as file:
            return mmap.mmap(file.fileno(), message.region.size), wire.Attached(shared=True)
    except OSError as e:
        return None, wire.Attached(why=str(e))


def main():
    if "PLUMBLINE_BACKEND" not in os.environ:
        raise SystemExit(__doc__)
    stop = threading.Event()
    limits = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
    server = grpc.server(futures.ThreadPoolExecutor(4096), options=limits)  # a thread for each stream, on demand
    services.add_BackendServicer_to_server(Backend(stop), server)
    address = os.path.join(os.environ["PLUGIN_UNIX_SOCKET_DIR"], "backend")
    server.add_insecure_port("unix:" + address)
    server.start()
    print(f"1|1|unix|{address}|grpc", flush=True)
    # Unbuffered: a fork closes sys.stdin, and would wait for ever for a thread that reads it.
    threading.Thread(target=lambda: (open(0, "rb", 0).read(), stop.set()), daemon=True).start()
    stop.wait()
    server.stop(grace=0.5).wait()


if __name__ == "__main__":
    main()
