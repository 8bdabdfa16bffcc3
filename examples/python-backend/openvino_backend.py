#!/usr/bin/env python3
"""The backend beside this file with OpenVINO in the place of ONNX Runtime: ONNX files and OpenVINO's own.

    pip install openvino grpcio grpcio-tools numpy
    harness run resnet50 --backend process --backend-opt command="python3 openvino_backend.py"
"""

import os
import sys
import threading

import backend
import numpy as np

sys.modules["openvino_telemetry"] = None  # it sends in a timed run, from a process of its own
import openvino  # noqa: E402


class Model:
    """A model on the CPU, with as many streams as there are runs at a time, in FP32 unless the model has less."""

    def __init__(self, request):
        if request.options:
            raise ValueError(f"unknown options {sorted(request.options)}, want none")
        _ = openvino.Tensor(np.zeros(1)).data  # two threads that read their first tensor at once wait for ever
        core = openvino.Core()
        latency = {"NUM_STREAMS": 1, "INFERENCE_NUM_THREADS": os.cpu_count()}
        threads = max(os.cpu_count(), request.concurrency)
        several = {"NUM_STREAMS": request.concurrency, "INFERENCE_NUM_THREADS": threads}
        model = core.read_model(request.path or request.model)
        settings = latency if request.low_latency else several
        self.compiled = core.compile_model(model, "CPU", {**settings, "INFERENCE_PRECISION_HINT": "f32"})
        self.inputs = [self.describe(p, p.any_name) for p in self.compiled.inputs]
        # a tensor that OpenVINO has merged with the output goes by that name, too
        self.outputs = [self.describe(p, name) for p in self.compiled.outputs for name in sorted(p.names)]
        self.version = f"OpenVINO {openvino.__version__}, Python {sys.version.split()[0]}"
        self.own = threading.local()

    def describe(self, port, name):
        shape = [d.get_length() if d.is_static else None for d in port.partial_shape]
        return name, port.element_type.to_dtype(), shape

    def run(self, names, arrays):
        """The outputs of these names for arrays by input name. Called from several threads at a time."""
        if not hasattr(self.own, "request"):
            self.own.request = self.compiled.create_infer_request()
        answers = self.own.request.infer(arrays, share_inputs=True)
        return [answers[self.compiled.output(name)].copy() for name in names]


if __name__ == "__main__":
    backend.Model = Model
    backend.main()
