"""sweep.json of harness bench as dataclasses: a measured server, its points, and their requests."""

from __future__ import annotations

import csv
import json
import os
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._files import FormatError, make_frame, number, read_document, time_of

if TYPE_CHECKING:
    import pandas

#: The format that is read, and its newest version. Within a version fields are only added.
SCHEMA, VERSION = "plumbline.serving", 1


@dataclass(frozen=True)
class Times:
    """A distribution of times in nanoseconds. percentiles are by their fraction, such as 0.99; failures count in them
    as infinite where the file says so."""

    count: int
    min_ns: float
    max_ns: float
    mean_ns: float
    percentiles: dict[float, float]


@dataclass(frozen=True)
class Request:
    """A request of a point. Times are nanoseconds since the first due time; None stands for what there is not."""

    index: int
    user: int
    #: "ok", "refused", "http_429", "error", "cut", "timeout", "unfinished", "cancelled"
    status: str
    #: it is part of the warm-up, which no figure counts
    warm_up: bool
    due_ns: int
    sent_ns: int
    end_ns: int
    ttft_ns: int | None
    tpot_ns: float | None
    e2e_ns: int | None
    prompt_tokens: int | None
    completion_tokens: int | None
    #: all of its line: gaps between tokens, reasons, counts
    data: dict[str, Any] = field(repr=False)

    def row(self) -> dict[str, Any]:
        """The request as one row of a table."""
        return {name: value for name, value in vars(self).items() if name != "data"}


@dataclass(frozen=True)
class Point:
    """A server measured at one load."""

    #: "users", "rate", "maximum", "replay"
    load_by: str
    load: float
    #: "measured"; with objectives "HOLDS" or "MISSES"; "INTERRUPTED", "FAILED"
    verdict: str
    #: whether it keeps all objectives; None without objectives
    holds: bool | None
    #: what limits its use: "client-limited", "not stationary", ...
    flags: list[str]
    requests: int
    answered: int
    #: None stands for a rate that was not measured
    requests_per_s: float | None
    tokens_per_s: float | None
    goodput_per_s: float | None
    ttft: Times | None
    tpot: Times | None
    e2e: Times | None
    started: datetime | None
    folder: Path
    #: its line of curve.csv, with numbers as numbers; empty where the file is not there
    curve: dict[str, Any] = field(repr=False)
    #: all of it, as sweep.json has it
    data: dict[str, Any] = field(repr=False)

    def read_requests(self) -> list[Request]:
        """Every request, the warm-up included. Raises FileNotFoundError where the folder of the point is gone."""
        path = self.folder / "requests.jsonl"
        with open(path, encoding="utf-8") as lines:
            return [_request(path, n, line) for n, line in enumerate(lines, 1)]

    def requests_frame(self) -> pandas.DataFrame:
        """A row for each request (Request.row). Raises ImportError without pandas."""
        return make_frame([r.row() for r in self.read_requests()])

    def row(self) -> dict[str, Any]:
        """The point as one row of a table: the columns of curve.csv, with the verdict."""
        flags = ";".join(self.flags)
        return {"verdict": self.verdict, "holds": self.holds} | self.curve | {"flags": flags}


@dataclass(frozen=True)
class Sweep:
    """A server measured at several loads: the output folder of harness bench."""

    path: Path
    exit_code: int
    outcome: str
    #: its points in the order in which they were measured
    points: list[Point]
    #: whether nothing is left to measure
    complete: bool
    #: the one with the most goodput that keeps all objectives, and where the curve bends down most; None: there is none
    best: Point | None
    knee: Point | None
    #: the search that the points are of, as the file has it; None: there was none
    find: dict[str, Any] | None
    data: dict[str, Any] = field(repr=False)

    @property
    def by_load(self) -> list[Point]:
        """The points in the order of their loads."""
        return sorted(self.points, key=lambda p: (p.load_by, p.load))

    def frame(self) -> pandas.DataFrame:
        """A row for each point, in the order of their loads (Point.row). Raises ImportError without pandas."""
        return make_frame([p.row() for p in self.by_load])

    def plot(self, x: str = "tokens_per_s", y: str = "ttft_p99_ms", axes: Any = None) -> Any:
        """Draws a column of frame() over another by matplotlib, and returns the axes. Points that miss an objective are
        hollow. Raises ImportError without matplotlib.
        """
        try:
            from matplotlib import pyplot
        except ImportError as fault:
            raise ImportError("a plot needs matplotlib (pip install matplotlib)") from fault
        axes = axes or pyplot.subplots()[1]
        drawn = [(p, p.row()) for p in self.by_load]
        drawn = [(p, r) for p, r in drawn if r.get(x) is not None and r.get(y) is not None]
        if not drawn:
            raise ValueError(f"no point has both {x!r} and {y!r}")
        (line,) = axes.plot([r[x] for _, r in drawn], [r[y] for _, r in drawn], linewidth=1)
        for p, r in drawn:
            face = "none" if p.holds is False else line.get_color()
            axes.plot([r[x]], [r[y]], marker="o", color=line.get_color(), markerfacecolor=face)
            axes.annotate(f"{p.load:g}", (r[x], r[y]), textcoords="offset points", xytext=(4, 6))
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        return axes


def read_sweep(path: str | os.PathLike[str]) -> Sweep:
    """Reads a sweep.json, or that of an output folder of harness bench.

    Raises FileNotFoundError, and FormatError for a file that is no sweep or that a newer harness wrote.
    """
    where = Path(path)
    if where.is_dir():
        where /= "sweep.json"
    data = read_document(where, SCHEMA, VERSION, "sweep of harness bench")
    try:
        curve = _read_curve(where.parent / "curve.csv")
        points = [_point(where.parent, p, curve) for p in data["points"] or []]
        chosen = {name: None if data.get(name) is None else points[data[name]] for name in ("best", "knee")}
        return Sweep(
            where, data["exit_code"], data["outcome"], points, data["complete"], chosen["best"], chosen["knee"],
            data.get("find"), data,
        )
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as fault:
        raise FormatError(f"{where}: {type(fault).__name__}: {fault}") from fault


def _point(folder: Path, r: dict[str, Any], curve: dict[tuple[str, float], dict[str, Any]]) -> Point:
    serving = r["serving"]
    figures, load = serving["figures"], serving["load"]
    by, value = load["by"], number(load.get("value", 0))
    line = curve.get((by, value), {})
    return Point(
        load_by=by, load=value, verdict=r["verdict"], holds=serving.get("holds"), flags=serving.get("flags") or [],
        requests=figures["requests"], answered=figures["ok"],
        requests_per_s=line.get("requests_per_s"), tokens_per_s=line.get("tokens_per_s"),
        goodput_per_s=line.get("goodput_per_s"),
        ttft=_times(figures.get("ttft")), tpot=_times(figures.get("tpot")), e2e=_times(figures.get("e2e")),
        started=time_of(r["started"]), folder=folder / r["dir"], curve=line, data=r,
    )


def _times(d: dict[str, Any] | None) -> Times | None:
    if not d or not d.get("n"):
        return None
    percentiles = {
        round(float(key[1:]) / 100, 6): number(value)
        for key, value in d.items() if key.startswith("p") and key[1:].replace(".", "", 1).isdigit()
    }
    return Times(d["n"], number(d["min"]), number(d["max"]), number(d["mean"]), percentiles)


def _read_curve(path: Path) -> dict[tuple[str, float], dict[str, Any]]:
    """The lines of curve.csv by their loads. A sweep that was cut off may have none."""
    if not path.is_file():
        return {}
    with open(path, newline="", encoding="utf-8") as f:
        lines = list(csv.DictReader(f))
    words = {"kind", "flags"}
    rows: list[dict[str, Any]] = [
        {k: v if k in words else (float(v) if v else None) for k, v in line.items()} for line in lines
    ]
    return {(row["kind"], row["value"] or 0.0): row for row in rows}


def _request(path: Path, n: int, line: str) -> Request:
    try:
        r = json.loads(line)
        return Request(
            r["index"], r["user"], r["status"], r.get("warm_up", False), r["due_ns"], r["sent_ns"], r["end_ns"],
            r.get("ttft_ns"), r.get("tpot_ns"), r.get("e2e_ns"), r.get("prompt_tokens"), r.get("completion_tokens"), r,
        )
    except (KeyError, TypeError, AttributeError, ValueError) as fault:
        raise FormatError(f"{path}, line {n}: {type(fault).__name__}: {fault}") from fault
