#!/usr/bin/env python3
"""The official LoadGen drives a Plumbline plugin: for runs that must come from the unaltered LoadGen.

    pip install -r requirements.txt
    python3 drive.py --plugin ../../bin/plugins/plumbline-plugin-resnet50 --scenario Offline --mode accuracy --out out

The plugin preprocesses and runs the model, as under Plumbline's own LoadGen; mlcommons-loadgen issues the queries, takes
the times and writes the four logs. `harness score` or the official script has the metric. Without
--user-conf the model's smoke settings stand in for user.conf.
"""

import argparse
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import grpc
import mlperf_loadgen as lg
import numpy as np

# plumbline/plugin/v1/plugin.proto lies beside this file, or in the checkout that this file is part of.
sys.path.append(os.environ.get("PLUMBLINE_PROTO", str(Path(__file__).resolve().parent / "../../sdk/proto")))
wire, services = grpc.protos_and_services("plumbline/plugin/v1/plugin.proto")

COOKIE = {"PLUMBLINE_PLUGIN": "ba19dbe2-3c43-4a4b-9b8b-plumbline-v1"}
SCENARIOS = {
    "SingleStream": (wire.SCENARIO_SINGLE_STREAM, lg.TestScenario.SingleStream),
    "MultiStream": (wire.SCENARIO_MULTI_STREAM, lg.TestScenario.MultiStream),
    "Server": (wire.SCENARIO_SERVER, lg.TestScenario.Server),
    "Offline": (wire.SCENARIO_OFFLINE, lg.TestScenario.Offline),
}
MODES = {"accuracy": lg.TestMode.AccuracyOnly, "performance": lg.TestMode.PerformanceOnly}
FRAME = 128 << 10  # samples in one frame: 1 MiB


class Plugin:
    """A plugin's process and connection. Close ends both."""

    def __init__(self, binary):
        self.dir = tempfile.mkdtemp(prefix="plumbline-")
        env = {**os.environ, **COOKIE, "PLUGIN_UNIX_SOCKET_DIR": self.dir, "PLUGIN_PROTOCOL_VERSIONS": "1"}
        self.process = subprocess.Popen(
            [binary], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, errors="replace",
            start_new_session=True,
        )
        line = self.process.stdout.readline().strip().split("|")
        if len(line) < 5 or line[:3] != ["1", "1", "unix"]:
            self.close()
            raise SystemExit(f"{binary}: handshake {'|'.join(line)!r}, want 1|1|unix|PATH|grpc")
        # What it prints later would fill the pipe, and hold it up.
        threading.Thread(target=sys.stderr.writelines, args=(self.process.stdout,), daemon=True).start()
        limits = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
        self.channel = grpc.insecure_channel("unix:" + line[3], options=limits)
        self.rpc = services.PluginStub(self.channel)

    def close(self):
        self.process.stdin.close()  # the plugin ends with its input
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
        shutil.rmtree(self.dir, ignore_errors=True)


class SUT:
    """The plugin's one stream as a system under test of LoadGen."""

    def __init__(self, plugin, workload):
        self.workload = workload
        self.ids = []  # LoadGen's, by ours: a response id on the wire is 32 bits
        self.frames = queue.SimpleQueue()
        self.answers = plugin.rpc.Run(iter(self.frames.get, None))
        self.frames.put(wire.RunRequest(start=wire.Start(heartbeat_ns=10**9)))
        self.failure = None
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def issue(self, samples):
        first = len(self.ids)
        self.ids.extend(s.id for s in samples)
        pairs = np.empty((len(samples), 2), "<u4")
        pairs[:, 0] = np.arange(first, first + len(samples))
        pairs[:, 1] = [s.index for s in samples]
        for at in range(0, len(pairs), FRAME):
            part = wire.Issue(samples=pairs[at : at + FRAME].tobytes(), more=at + FRAME < len(pairs))
            self.frames.put(wire.RunRequest(workload=self.workload, issue=part))

    def flush(self):
        self.frames.put(wire.RunRequest(workload=self.workload, flush=wire.Flush()))

    def read(self):
        try:
            for r in self.answers:
                if r.HasField("failure"):
                    raise RuntimeError(r.failure.message)
                if r.workload == self.workload:
                    self.complete(r.first_tokens, lg.FirstTokenComplete)
                    self.complete(r.complete, lg.QuerySamplesComplete)
        except (grpc.RpcError, RuntimeError) as e:
            if not (isinstance(e, grpc.RpcError) and e.code() == grpc.StatusCode.CANCELLED):
                # LoadGen waits for ever for an answer that does not come.
                print(f"the plugin failed: {e}", file=sys.stderr, flush=True)
                os._exit(5)

    def complete(self, answers, report):
        ids = np.frombuffer(answers.ids, "<u4")
        if len(ids) == 0:
            return
        payloads = np.frombuffer(answers.payloads, np.uint8)
        sizes = np.frombuffer(answers.payload_sizes, "<u4") if answers.payload_sizes else [answers.payload_size] * len(ids)
        tokens = np.frombuffer(answers.token_counts, "<u4") if answers.token_counts else None
        at, base, responses = 0, payloads.ctypes.data if len(payloads) else 0, []
        for k, (i, size) in enumerate(zip(ids, sizes, strict=True)):
            response = [self.ids[i], base + at, int(size)]
            responses.append(lg.QuerySampleResponse(*response, *([int(tokens[k])] if tokens is not None else [])))
            at += int(size)
        report(responses)  # LoadGen copies what it keeps before it returns

    def close(self):
        self.frames.put(None)
        self.answers.cancel()
        self.reader.join(5)


def indices(samples):
    return wire.SamplesRequest(indices=np.asarray(samples, "<u4").tobytes())


def settings(args, model, scenario, out):
    """LoadGen's settings from its own mlperf.conf and from user.conf."""
    conf = args.user_conf
    if not conf:
        conf = out / "user.conf"
        smoke = [s for s in model.smoke if s.scenario == SCENARIOS[scenario][0]]
        conf.write_text("".join(f"{model.loadgen_key}.{scenario}.{s.key} = {s.value}\n" for s in smoke))
    s = lg.TestSettings()
    s.scenario, s.mode = SCENARIOS[scenario][1], MODES[args.mode]
    if s.FromConfig(str(conf), model.loadgen_key, scenario, 1):
        raise SystemExit(f"{conf}: LoadGen refuses it; its log says why")
    s.scenario, s.mode = SCENARIOS[scenario][1], MODES[args.mode]
    return s


def run(args, plugin, out):
    described = plugin.rpc.Describe(wire.DescribeRequest()).description
    model = next((m for m in described.models if m.name == (args.model or described.models[0].name)), None)
    if model is None:
        raise SystemExit(f"no model {args.model!r}, {described.name} has {[m.name for m in described.models]}")
    opened = plugin.rpc.Open(
        wire.OpenRequest(
            model=model.name, model_file=args.model_file, dataset=args.dataset, precision=args.precision,
            count=args.count, scenario=SCENARIOS[args.scenario][0],
        )
    )
    sut = SUT(plugin, opened.workload)
    plugin.rpc.WarmUp(wire.WarmUpRequest())
    handle = lg.ConstructSUT(sut.issue, sut.flush)
    library = lg.ConstructQSL(
        opened.info.dataset_size, opened.info.performance_sample_count,
        lambda samples: plugin.rpc.LoadSamples(indices(samples)),
        lambda samples: plugin.rpc.UnloadSamples(indices(samples)),
    )
    log = lg.LogSettings()
    log.log_output.outdir, log.log_output.copy_summary_to_stdout = str(out), True
    lg.StartTestWithLogSettings(handle, library, settings(args, model, args.scenario, out), log, "")
    lg.DestroyQSL(library)
    lg.DestroySUT(handle)
    sut.close()
    plugin.rpc.Close(wire.CloseRequest())


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--plugin", required=True, help="plugin binary")
    p.add_argument("--model", default="", help="a model of the plugin (default: its first)")
    p.add_argument("--model-file", default="", help="path of a model file (default: the embedded one)")
    p.add_argument("--precision", default="", help="of the embedded model: fp32 or int8")
    p.add_argument("--dataset", default="", help="data set (default: the plugin's own)")
    p.add_argument("--count", type=int, default=0, help="use the first COUNT samples")
    p.add_argument("--scenario", choices=SCENARIOS, default="Offline")
    p.add_argument("--mode", choices=MODES, default="performance")
    p.add_argument("--user-conf", default="", help="LoadGen's user.conf (default: the model's smoke settings)")
    p.add_argument("--out", type=Path, default=Path("out"), help="folder for the logs")
    return p.parse_args()


def main():
    args = arguments()
    args.out.mkdir(parents=True, exist_ok=True)
    plugin = Plugin(args.plugin)
    try:
        run(args, plugin, args.out)
    except grpc.RpcError as e:
        raise SystemExit(f"the plugin refused: {e.details()}") from None
    finally:
        plugin.close()


if __name__ == "__main__":
    main()
