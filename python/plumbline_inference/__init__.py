"""Plumbline's harness from Python: run a benchmark or measure a server, and read what was measured.

    import plumbline_inference as plumbline

    done = plumbline.run("resnet50", scenario="Offline", out="out")
    for run in done.results.runs:
        print(run.scenario, run.verdict, run.result)
    done.results.frame()                  # a pandas.DataFrame, where pandas is installed

    curve = plumbline.bench("http://127.0.0.1:8000", concurrency="1..64", out="curve")
    curve.sweep.frame()                   # a row for each load

The harness does the work, in a process of its own; this package needs Python's standard library only.
"""

from ._files import FormatError
from ._program import VERDICTS, Failure, Finished, Measured, bench, program, run
from ._results import (
    Accuracy,
    AccuracyMetric,
    EarlyStopping,
    Figure,
    Latency,
    Performance,
    Query,
    Reason,
    Results,
    Run,
    Setting,
    read,
)
from ._sweeps import Point, Request, Sweep, Times, read_sweep

__all__ = [
    "Accuracy",
    "AccuracyMetric",
    "EarlyStopping",
    "Failure",
    "Figure",
    "Finished",
    "FormatError",
    "Latency",
    "Measured",
    "Performance",
    "Point",
    "Query",
    "Reason",
    "Request",
    "Results",
    "Run",
    "Setting",
    "Sweep",
    "Times",
    "VERDICTS",
    "bench",
    "program",
    "read",
    "read_sweep",
    "run",
]
