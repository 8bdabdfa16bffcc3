"""ONNX Runtime on the CPU."""

import onnxruntime


def session(path, threads=0, severity=2):
    """threads: of one run, 0 for as many as there are cores. severity: of what is logged, 3 for errors alone."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = threads, severity
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
