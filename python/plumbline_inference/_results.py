"""result.json as dataclasses: what programs mostly want of it. Every class has all of its part of the file as data."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._files import FormatError, make_frame, number, pandas_module, read_document, time_of

if TYPE_CHECKING:
    import pandas

#: The format that is read, and its newest version. Within a version fields are only added.
SCHEMA, VERSION = "plumbline.result", 1


@dataclass(frozen=True)
class Figure:
    """A number that is published: value is not rounded, rounded has five significant figures."""

    name: str
    unit: str
    value: float
    rounded: str

    def __str__(self) -> str:
        return f"{self.rounded} {self.unit}".rstrip()


@dataclass(frozen=True)
class Latency:
    """A set of latencies, in nanoseconds; percentiles by their fraction, such as 0.99."""

    count: int
    min_ns: int
    max_ns: int
    mean_ns: int
    percentiles: dict[float, int]


@dataclass(frozen=True)
class EarlyStopping:
    """An early-stopping estimate: an upper bound of a percentile of the latency, from so few queries."""

    met: bool
    percentile: float
    estimate_ns: int
    queries_processed: int
    queries_needed: int
    text: str


@dataclass(frozen=True)
class Performance:
    """The outcome of a timed run."""

    valid: bool
    metric: Figure
    figures: list[Figure]
    queries: int
    samples: int
    latency: Latency
    #: of whole queries, in MultiStream
    query_latency: Latency | None
    #: time to the first token, and per token after it, of token runs
    ttft: Latency | None
    tpot: Latency | None
    early_stopping: EarlyStopping | None
    data: dict[str, Any] = field(repr=False)


@dataclass(frozen=True)
class AccuracyMetric:
    """A figure of a scorer. target is None where none applies; outcome is "PASS", "BELOW TARGET", "no target"..."""

    name: str
    unit: str
    value: float
    rounded: str
    target: float | None
    outcome: str
    text: str


@dataclass(frozen=True)
class Accuracy:
    """The outcome of scoring an accuracy log."""

    outcome: str
    basis: str
    samples: int
    metrics: list[AccuracyMetric]
    data: dict[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Reason:
    """A rule that a run did not meet."""

    rule: str
    measured: str
    needed: str
    hint: str


@dataclass(frozen=True)
class Setting:
    """A LoadGen setting, and where its value came from."""

    key: str
    value: str
    unit: str
    origin: str


@dataclass(frozen=True)
class Query:
    """A sample that was measured: times in nanoseconds since the start; None stands for what there is not."""

    query: int
    sample: int
    sample_index: int
    scheduled_ns: int
    issued_ns: int
    first_token_ns: int | None
    completed_ns: int | None
    latency_ns: int | None
    tokens: int | None
    #: the run's name
    run: str = ""


@dataclass(frozen=True)
class Run:
    """A run: performance or accuracy of a model in a scenario."""

    model: str
    scenario: str
    #: "performance", "accuracy", "findpeak"
    mode: str
    #: "complete", "interrupted", "failed", "not run", "unfinished"
    status: str
    #: "VALID", "VALID (smoke)", "INVALID", "PASS", "BELOW TARGET", ...
    verdict: str
    exit_code: int
    reasons: list[Reason]
    #: what ended a run that failed
    error: str | None
    profile: str
    rules: str
    started: datetime | None
    duration_s: float
    #: the folder of its logs
    folder: Path
    performance: Performance | None
    accuracy: Accuracy | None
    settings: list[Setting]
    #: the user's own name of it (--label), and what a suite calls it: its entry, the point of its matrix, which repeat
    label: str
    entry: str
    point: dict[str, str]
    repeat: int
    #: all of it, as result.json has it: plugin, system, workload, ...
    data: dict[str, Any] = field(repr=False)

    @property
    def result(self) -> Figure | None:
        """The run's own figure: its metric, or its first accuracy."""
        if self.performance:
            return self.performance.metric
        if self.accuracy and self.accuracy.metrics:
            m = self.accuracy.metrics[0]
            return Figure(m.name, m.unit, m.value, m.rounded)
        return None

    def queries(self) -> list[Query]:
        """Every sample of a run that was made with export="queries.csv". Raises FileNotFoundError without it."""
        with open(self._exported("queries.csv"), newline="", encoding="utf-8") as f:
            return [_query(row) for row in csv.DictReader(f)]

    def queries_frame(self) -> pandas.DataFrame:
        """The same as a DataFrame; of queries.parquet, which is quicker, where that was written."""
        parquet = self.folder / "queries.parquet"
        if parquet.is_file():
            frame: pandas.DataFrame = pandas_module().read_parquet(parquet)
            return frame
        optional = ["first_token_ns", "completed_ns", "latency_ns", "tokens"]
        frame = pandas_module().read_csv(self._exported("queries.csv"), dtype={name: "Int64" for name in optional})
        return frame

    def _exported(self, name: str) -> Path:
        path = self.folder / name
        if not path.is_file():
            raise FileNotFoundError(f'{path} is not there: make the run with export="{name}"')
        return path

    def row(self) -> dict[str, Any]:
        """The run as one row of a table. Times are milliseconds."""
        result = self.result
        row: dict[str, Any] = {
            "label": self.label, "entry": self.entry, "repeat": self.repeat,
            "model": self.model, "scenario": self.scenario, "mode": self.mode, "verdict": self.verdict,
            "metric": result and result.name, "value": result and result.value, "unit": result and result.unit,
            "started": self.started, "duration_s": self.duration_s,
        }
        if p := self.performance:
            row |= {"queries": p.queries, "samples": p.samples}
            for prefix, latency in (("", p.latency), ("query_", p.query_latency), ("ttft_", p.ttft), ("tpot_", p.tpot)):
                if latency and latency.count:
                    row[prefix + "mean_ms"] = latency.mean_ns / 1e6
                    row |= {f"{prefix}p{100 * q:g}_ms": ns / 1e6 for q, ns in latency.percentiles.items()}
        for m in self.accuracy.metrics if self.accuracy else []:
            row[m.name] = m.value
        workload = self.data.get("workload") or {}
        row |= {key: workload.get(key) for key in ("backend", "precision", "batch", "sessions")}
        return row | {key: value for key, value in self.point.items() if key not in row}


@dataclass(frozen=True)
class Results:
    """A result.json: the runs of an output folder, or of a suite."""

    path: Path
    exit_code: int
    outcome: str
    runs: list[Run]
    data: dict[str, Any] = field(repr=False)

    @classmethod
    def none(cls, path: Path) -> Results:
        """Results without runs: no file was written."""
        return cls(path, 0, "", [], {})

    def frame(self) -> pandas.DataFrame:
        """A row for each run (Run.row). Raises ImportError without pandas."""
        return make_frame([r.row() for r in self.runs])


def read(path: str | os.PathLike[str]) -> Results:
    """Reads a result.json, or that of an output folder.

    Raises FileNotFoundError, and FormatError for a file that is no result or that a newer harness wrote.
    """
    where = Path(path)
    if where.is_dir():
        if not (where / "result.json").exists() and (where / "sweep.json").exists():
            raise FormatError(
                f"{where} is a sweep of harness bench: read_sweep reads it, and read the folder of one of its points"
            )
        where /= "result.json"
    data = read_document(where, SCHEMA, VERSION, "result of Plumbline")
    try:
        runs = [_run(where.parent, r) for r in data["runs"]]
        return Results(where, data["exit_code"], data["outcome"], runs, data)
    except (KeyError, TypeError, AttributeError, ValueError) as fault:
        raise FormatError(f"{where}: {type(fault).__name__}: {fault}") from fault


def _run(folder: Path, r: dict[str, Any]) -> Run:
    performance, accuracy, error = r.get("performance"), r.get("accuracy"), r.get("error")
    identity = r.get("identity") or {}
    return Run(
        **{key: r[key] for key in ("model", "scenario", "mode", "status", "verdict", "exit_code", "profile", "rules",
                                   "duration_s")},
        reasons=[Reason(*(x[key] for key in ("rule", "measured", "needed", "hint"))) for x in r["reasons"]],
        error=error["message"] if error else None,
        started=time_of(r["started"]),
        folder=folder / r["dir"],
        performance=_performance(performance) if performance else None,
        accuracy=_accuracy(accuracy) if accuracy else None,
        settings=[Setting(*(x[key] for key in ("key", "value", "unit", "origin"))) for x in r["settings"]],
        label=identity.get("label", ""),
        entry=identity.get("entry", ""),
        point=dict(p.partition("=")[::2] for p in identity.get("point", [])),
        repeat=identity.get("repeat", 0),
        data=r,
    )


def _query(row: dict[str, str]) -> Query:
    """A row of queries.csv, whose further columns, of a newer harness, are left out."""
    known = {f.name for f in fields(Query)} - {"run"}
    numbers: dict[str, Any] = {k: int(v) if v else None for k, v in row.items() if k in known}
    return Query(**numbers, run=row.get("run", ""))


def _performance(p: dict[str, Any]) -> Performance:
    tokens = p.get("tokens") or {}
    return Performance(
        valid=p["valid"], metric=_figure(p["metric"]), figures=[_figure(f) for f in p["figures"]],
        queries=p["queries"], samples=p["samples"], latency=_latency(p["latency"]),
        query_latency=_latency(p.get("query_latency")), ttft=_latency(tokens.get("ttft")),
        tpot=_latency(tokens.get("tpot")), early_stopping=_early(p.get("early_stopping")), data=p,
    )


def _figure(f: dict[str, Any]) -> Figure:
    return Figure(f["name"], f["unit"], number(f["value"]), f["rounded"])


def _latency(d: dict[str, Any] | None) -> Any:
    if d is None:
        return None
    percentiles = {p["p"]: p["ns"] for p in d["percentiles"] or []}
    return Latency(d["count"], d["min_ns"], d["max_ns"], d["mean_ns"], percentiles)


def _early(e: dict[str, Any] | None) -> EarlyStopping | None:
    if e is None:
        return None
    keys = ("met", "percentile", "estimate_ns", "queries_processed", "queries_needed", "text")
    return EarlyStopping(*(e[key] for key in keys))


def _accuracy(a: dict[str, Any]) -> Accuracy:
    metrics = [
        AccuracyMetric(
            m["name"], m["unit"], number(m["value"]), m["rounded"], m.get("target") or None, m["outcome"], m["text"]
        )
        for m in a["metrics"]
    ]
    return Accuracy(a["outcome"], a["basis"], a["samples"], metrics, a)
