#!/usr/bin/env python3
"""Image classification with the official LoadGen and ONNX Runtime in Python alone, built as the reference builds it, to
compare `harness run resnet50` with.

    pip install mlcommons-loadgen onnxruntime opencv-python-headless numpy
    python3 classify.py --model resnet50_v1.onnx --dataset imagenet/ --scenario SingleStream

--dataset is a folder with pictures and val_map.txt, one "NAME LABEL" a line. SingleStream answers in the issuing
thread; the other scenarios keep --workers batches running at a time, with --threads each. Samples are preprocessed
before the clock starts. The summary is printed; the logs go to --out.
"""

import argparse
import array
import os
import queue
import threading
from pathlib import Path

import cv2
import mlperf_loadgen as lg
import numpy as np
import onnxruntime

MEANS = np.array([123.68, 116.78, 103.94], np.float32)
SIZE, KEPT = 224, 0.875  # pixels, share of the picture's shorter side


def preprocess(path):
    """The reference's vgg preprocessing, NCHW."""
    image = cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)
    height, width = image.shape[:2]
    shorter = int(SIZE / KEPT)
    size = (shorter, shorter * height // width) if height > width else (shorter * width // height, shorter)
    image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    top, left = (image.shape[0] - SIZE) // 2, (image.shape[1] - SIZE) // 2
    image = image[top : top + SIZE, left : left + SIZE].astype(np.float32) - MEANS
    return np.ascontiguousarray(image.transpose(2, 0, 1))


class Classifier:
    def __init__(self, args):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = args.threads
        self.session = onnxruntime.InferenceSession(args.model, options, providers=["CPUExecutionProvider"])
        self.input, self.output = self.session.get_inputs()[0].name, self.session.get_outputs()[0].name
        self.paths = [Path(args.dataset) / line.split()[0] for line in open(Path(args.dataset) / "val_map.txt")]
        self.samples, self.args = {}, args
        self.run(np.zeros((args.batch, 3, SIZE, SIZE), np.float32))
        self.work = queue.Queue()
        if args.scenario != "SingleStream":
            for _ in range(args.workers):
                threading.Thread(target=self.take, daemon=True).start()

    def load(self, indices):
        self.samples = {i: preprocess(self.paths[i]) for i in indices}

    def run(self, pictures):
        return self.session.run([self.output], {self.input: pictures})[0]

    def issue(self, queries):
        if self.args.scenario == "SingleStream":
            return self.answer(queries)
        for at in range(0, len(queries), self.args.batch):
            self.work.put(queries[at : at + self.args.batch])

    def take(self):
        while True:
            self.answer(self.work.get())

    def answer(self, queries):
        classes = self.run(np.array([self.samples[q.index] for q in queries]))
        answers = [array.array("B", np.array([c], np.float32).tobytes()) for c in classes]
        lg.QuerySamplesComplete(
            [lg.QuerySampleResponse(q.id, *a.buffer_info()) for q, a in zip(queries, answers, strict=True)]
        )


def settings(args):
    s = lg.TestSettings()
    s.scenario, s.mode = getattr(lg.TestScenario, args.scenario), lg.TestMode.PerformanceOnly
    s.min_duration_ms, s.min_query_count = args.ms, 1
    s.single_stream_expected_latency_ns, s.multi_stream_expected_latency_ns = 3_000_000, 20_000_000
    s.offline_expected_qps, s.server_target_qps, s.server_target_latency_ns = args.qps, args.qps, 15_000_000
    return s


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--model", required=True)
    p.add_argument("--dataset", required=True)
    p.add_argument("--scenario", default="SingleStream", choices=["SingleStream", "MultiStream", "Server", "Offline"])
    p.add_argument("--out", default="out")
    p.add_argument("--ms", type=int, default=1500, help="shortest duration, milliseconds")
    p.add_argument("--qps", type=float, default=100, help="target rate of Server; expected rate of Offline")
    p.add_argument("--batch", type=int, default=1)
    p.add_argument("--workers", type=int, default=1)
    p.add_argument("--threads", type=int, default=os.cpu_count())
    args = p.parse_args()
    os.makedirs(args.out, exist_ok=True)
    model, log = Classifier(args), lg.LogSettings()
    log.enable_trace, log.log_output.outdir, log.log_output.copy_summary_to_stdout = False, args.out, True
    n = len(model.paths)
    qsl, sut = lg.ConstructQSL(n, n, model.load, lambda _: None), lg.ConstructSUT(model.issue, lambda: None)
    lg.StartTestWithLogSettings(sut, qsl, settings(args), log, "")
    lg.DestroySUT(sut)
    lg.DestroyQSL(qsl)


if __name__ == "__main__":
    main()
