"""Plumbline's harness from Python: run a benchmark, read what it measured.

    import plumbline_inference as plumbline

    done = plumbline.run("resnet50", scenario="Offline", out="out")
    for run in done.results.runs:
        print(run.scenario, run.verdict, run.result)
    done.results.frame()                  # a pandas.DataFrame, where pandas is installed

The harness does the work, in a process of its own; this package needs Python's standard library only.
"""

from ._program import VERDICTS, Failure, Finished, program, run
from ._results import (
    Accuracy,
    AccuracyMetric,
    EarlyStopping,
    Figure,
    FormatError,
    Latency,
    Performance,
    Query,
    Reason,
    Results,
    Run,
    Setting,
    read,
)

__all__ = [
    "Accuracy",
    "AccuracyMetric",
    "EarlyStopping",
    "Failure",
    "Figure",
    "Finished",
    "FormatError",
    "Latency",
    "Performance",
    "Query",
    "Reason",
    "Results",
    "Run",
    "Setting",
    "VERDICTS",
    "program",
    "read",
    "run",
]
