"""Tests of the installed package: python -m unittest discover python/tests, with the wheel installed."""

import http.server
import importlib.util
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

import plumbline_inference as plumbline

try:
    import pandas
except ImportError:
    pandas = None


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = Path(folder.name)


class TestRun(Case):
    def test_performance(self):
        out = self.dir / "out"
        flags = {"mode": "performance", "export": "queries.csv", "out": out}
        done = plumbline.run("resnet50", scenario=["SingleStream,Offline"], label="new driver", **flags)
        self.assertIn(done.code, plumbline.VERDICTS)
        self.assertEqual([r.scenario for r in done.results.runs], ["SingleStream", "Offline"])
        for run in done.results.runs:
            self.assertEqual((run.model, run.status), ("resnet50", "complete"))
            self.assertEqual(run.result, run.performance.metric)
            self.assertGreater(run.result.value, 0)
            self.assertLessEqual(run.performance.latency.min_ns, run.performance.latency.percentiles[0.99])
            self.assertTrue((run.folder / "mlperf_log_summary.txt").is_file())
            queries = run.queries()
            self.assertEqual(len(queries), run.performance.samples)
            self.assertEqual(max(q.latency_ns for q in queries), run.performance.latency.max_ns)
            self.assertIsNone(queries[0].tokens)
            self.assertEqual((run.label, run.point, run.repeat), ("new driver", {}, 0))
            self.assertIn("new driver", queries[0].run)
        self.assertEqual(plumbline.read(out), done.results)

    def test_accuracy(self):
        done = plumbline.run("resnet50", mode="accuracy", count=100, out=self.dir / "out")
        (run,) = done.results.runs
        self.assertEqual((done.code, run.verdict), (0, "no target"))
        self.assertEqual(str(run.result), run.accuracy.metrics[0].rounded + " %")
        self.assertGreater(run.result.value, 90)
        self.assertIsNone(run.accuracy.metrics[0].target)
        below = plumbline.run("resnet50", mode="accuracy", count=100, target={"accuracy": 99.9}, out=self.dir / "below")
        self.assertEqual((below.code, below.results.runs[0].verdict), (4, "BELOW TARGET"))

    def test_failure(self):
        with self.assertRaisesRegex(plumbline.Failure, "exit code 2\n.*nosuch") as caught:
            plumbline.run("nosuch", out=self.dir / "out")
        self.assertEqual(caught.exception.finished.results.runs, [])
        self.assertEqual(plumbline.run("nosuch", out=self.dir / "out", check=False).code, 2)

    def test_interrupt(self):
        """An interrupt ends the harness, which keeps what it has, before Python goes on."""
        out = self.dir / "out"
        code = "import sys, plumbline_inference as p; p.run('null', out=sys.argv[1], scenario='Server', " \
            "mode='performance', set='min_duration=600000')"
        process = subprocess.Popen([sys.executable, "-c", code, str(out)], stderr=subprocess.PIPE, text=True)
        while not list(out.glob("null/Server/performance/*/mlperf_log_detail.txt")):
            self.assertIsNone(process.poll(), "it ended by itself")
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
        self.assertIn("KeyboardInterrupt", errors)
        self.assertEqual(plumbline.read(out).runs[0].status, "interrupted")

    def test_flags(self):
        from plumbline_inference._program import _flag

        for value, want in (
            (True, ["--x"]), (False, []), (None, []), (3, ["--x", "3"]), ("a b", ["--x", "a b"]),
            (Path("p"), ["--x", "p"]), (["a", 1], ["--x", "a", "--x", "1"]), ({"k": "v"}, ["--x", "k=v"]),
        ):
            self.assertEqual(_flag("--x", value), want)

    def test_progress(self):
        from plumbline_inference._program import _finish

        heard = []
        code = 'import sys; print("one\\ntwo", file=sys.stderr); print("done"); sys.exit(3)'
        said = _finish([sys.executable, "-c", code], os.environ, heard.append)
        self.assertEqual((said, heard), ((3, "done\n", "one\ntwo\n"), ["one", "two"]))

    def test_program(self):
        with mock.patch.dict(os.environ, PLUMBLINE_HARNESS="/none/harness"):
            self.assertEqual(plumbline.program(), Path("/none/harness"))
        with mock.patch("plumbline_inference._program._folders", return_value=["/none"]):
            with self.assertRaisesRegex(FileNotFoundError, "looked for /none/harness"):
                plumbline.program()
        said = subprocess.run([sys.executable, "-m", "plumbline_inference", "version"], capture_output=True, text=True)
        self.assertTrue(said.stdout.startswith("harness "), said)


class TestRead(Case):
    def write(self, value):
        path = self.dir / "result.json"
        path.write_text(value if isinstance(value, str) else json.dumps(value))
        return path

    def test_faults(self):
        head = {"schema": "plumbline.result", "schema_version": 1}
        for value, want in (
            ("{", "Expecting"), ([], "is no result"), ({"schema": "x"}, "is no result"),
            ({**head, "schema_version": 2}, "schema version 2; this package reads 1 to 1: update it"),
            ({**head, "schema_version": "1"}, "schema version '1'"), (head, "KeyError: 'runs'"),
            ({**head, "runs": [{}], "exit_code": 0, "outcome": ""}, "KeyError"),
            ({**head, "runs": [3], "exit_code": 0, "outcome": ""}, "AttributeError"),
        ):
            with self.assertRaisesRegex(plumbline.FormatError, want):
                plumbline.read(self.write(value))
        with self.assertRaises(FileNotFoundError):
            plumbline.read(self.dir / "none")
        sweep = self.dir / "curve"
        sweep.mkdir()
        with self.assertRaises(FileNotFoundError):
            plumbline.read(sweep)
        (sweep / "sweep.json").write_text("{}")
        with self.assertRaisesRegex(plumbline.FormatError, "is a sweep of harness bench: read_sweep reads it"):
            plumbline.read(sweep)

    def test_identity(self):
        from plumbline_inference._results import _query

        run = {
            "model": "m", "scenario": "Offline", "mode": "performance", "status": "not run", "verdict": "not run",
            "exit_code": 130, "profile": "", "rules": "", "duration_s": 0, "reasons": [], "dir": "", "settings": [],
            "started": "0001-01-01T00:00:00Z",
            "identity": {"entry": "e", "point": ["batch=4", "order=a=b"], "repeat": 2, "repeats": 3},
        }
        head = {"schema": "plumbline.result", "schema_version": 1, "exit_code": 130, "outcome": "interrupted"}
        (read,) = plumbline.read(self.write({**head, "runs": [run]})).runs
        self.assertEqual((read.entry, read.point, read.repeat), ("e", {"batch": "4", "order": "a=b"}, 2))
        self.assertEqual((read.row()["order"], read.row()["batch"], read.row()["value"]), ("a=b", None, None))
        numbers = {name: "1" for name in ("query", "sample", "sample_index", "scheduled_ns", "issued_ns")}
        empty = {name: "" for name in ("first_token_ns", "completed_ns", "latency_ns", "tokens")}
        self.assertIsNone(_query({**numbers, **empty, "later": "x"}).latency_ns)

    def test_numbers(self):
        from plumbline_inference._files import number, time_of

        self.assertTrue(math.isnan(number(None)))
        self.assertIsNone(time_of("0001-01-01T00:00:00Z"))
        self.assertEqual(time_of("2026-11-24T01:02:03.123456789Z").isoformat(), "2026-11-24T01:02:03.123456+00:00")
        self.assertEqual(time_of("2026-11-24T01:02:03Z").isoformat(), "2026-11-24T01:02:03+00:00")


class Server(http.server.BaseHTTPRequestHandler):
    """A server of one model that streams three tokens."""

    def do_GET(self):
        self.answer("application/json", json.dumps({"object": "list", "data": [{"id": "made"}]}))

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        events = [{"choices": [{"index": 0, "delta": {"content": f" word{i}"}}]} for i in range(3)]
        events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]})
        events.append({"choices": [], "usage": {"prompt_tokens": 4, "completion_tokens": 3, "total_tokens": 7}})
        text = "".join(f"data: {json.dumps(e)}\n\n" for e in events) + "data: [DONE]\n\n"
        self.answer("text/event-stream", text)

    def answer(self, kind, text):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


class TestBench(Case):
    def setUp(self):
        super().setUp()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_address[1]}"

    def measure(self, **flags):
        return plumbline.bench(self.url, isl=4, osl=3, requests=6, concurrency="1,2", out=self.dir / "out", **flags)

    def test_sweep(self):
        done = self.measure(progress=True)
        sweep = done.sweep
        self.assertEqual((done.code, sweep.complete, sweep.find, sweep.best), (0, True, None, None))
        loads = [(p.load_by, p.load, p.holds) for p in sweep.by_load]
        self.assertEqual(loads, [("users", 1, None), ("users", 2, None)])
        for p in sweep.points:
            self.assertGreater(p.ttft.percentiles[0.5], 0)
            self.assertLessEqual(p.ttft.min_ns, p.ttft.percentiles[0.99])
            self.assertEqual(p.row()["value"], p.load)
            requests = [r for r in p.read_requests() if not r.warm_up]
            self.assertEqual([r.status for r in requests], ["ok"] * 6)
            self.assertEqual(requests[0].completion_tokens, 3)
            self.assertLessEqual(requests[0].ttft_ns, requests[0].e2e_ns)
        self.assertEqual(plumbline.read_sweep(self.dir / "out"), sweep)
        self.assertEqual(plumbline.read(sweep.points[0].folder).runs[0].mode, "serving")

    def test_objectives(self):
        done = self.measure(slo="p50 ttft < 1ns")
        self.assertEqual((done.code, done.sweep.best), (3, None))
        self.assertEqual([p.holds for p in done.sweep.points], [False, False])

    def test_failure(self):
        with self.assertRaisesRegex(plumbline.Failure, "exit code 6") as caught:
            plumbline.bench("http://127.0.0.1:9", out=self.dir / "none")
        self.assertIsNone(caught.exception.finished.sweep)

    def test_faults(self):
        self.measure()
        path = self.dir / "out" / "sweep.json"
        whole = json.loads(path.read_text())
        for change, want in (
            ({"schema": "x"}, "is no sweep of harness bench"), ({"schema_version": 9}, "schema version 9"),
            ({"best": 7}, "IndexError"), ({"points": [{}]}, "KeyError"), ({"points": [3]}, "TypeError"),
        ):
            path.write_text(json.dumps({**whole, **change}))
            with self.assertRaisesRegex(plumbline.FormatError, want):
                plumbline.read_sweep(path)
        path.write_text(json.dumps(whole))
        point = plumbline.read_sweep(path).points[0]
        with open(point.folder / "requests.jsonl", "a") as lines:
            lines.write('{"index": 3')
        with self.assertRaisesRegex(plumbline.FormatError, "requests.jsonl, line "):
            point.read_requests()

    @unittest.skipIf(pandas is None, "pandas is not installed")
    def test_frames(self):
        sweep = self.measure().sweep
        frame = sweep.frame()
        self.assertEqual(list(frame.value), [1, 2])
        self.assertEqual(list(frame.ttft_p50_ms), [p.ttft.percentiles[0.5] / 1e6 for p in sweep.by_load])
        requests = sweep.points[0].requests_frame()
        self.assertEqual(int((~requests.warm_up).sum()), 6)

    @unittest.skipIf(importlib.util.find_spec("matplotlib") is None, "matplotlib is not installed")
    def test_plot(self):
        import matplotlib

        matplotlib.use("Agg")
        sweep = self.measure().sweep
        axes = sweep.plot()
        self.assertEqual((axes.get_xlabel(), axes.get_ylabel()), ("tokens_per_s", "ttft_p99_ms"))
        with self.assertRaisesRegex(ValueError, "no point has both"):
            sweep.plot(x="none")


class TestFrames(Case):
    def test_without_pandas(self):
        with mock.patch.dict(sys.modules, {"pandas": None}):
            with self.assertRaisesRegex(ImportError, "pip install pandas"):
                plumbline.Results.none(self.dir).frame()

    @unittest.skipIf(pandas is None, "pandas is not installed")
    def test_frames(self):
        flags = {"mode": "performance", "export": "queries.csv", "out": self.dir / "out"}
        done = plumbline.run("resnet50", scenario="Offline", **flags)
        frame = done.results.frame()
        self.assertEqual(list(frame.scenario), ["Offline"])
        (run,) = done.results.runs
        self.assertEqual(frame.value[0], run.result.value)
        queries = run.queries_frame()
        self.assertEqual(int(queries.latency_ns.max()), run.performance.latency.max_ns)
        self.assertTrue(queries.tokens.isna().all())


if __name__ == "__main__":
    unittest.main()
