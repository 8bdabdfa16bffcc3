"""Finds the harness that was installed with this package, and runs it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._results import Results, read
from ._sweeps import Sweep, read_sweep

#: The variable that names another harness.
VARIABLE = "PLUMBLINE_HARNESS"

#: Exit codes of runs that came to their end: all is well, a run is INVALID, an accuracy is below its target.
VERDICTS = (0, 3, 4)

#: Exit codes of measurements that came to their end: those of runs, the client is the limit, not enough data.
MEASURED = (0, 3, 7, 8)

#: What hears of a run while it goes on: True prints to standard error; a function is called with each line.
Progress = bool | Callable[[str], None]


def program() -> Path:
    """The harness: the file that PLUMBLINE_HARNESS names, else the one that was installed with this package.

    Raises FileNotFoundError, which lists where it was looked for.
    """
    if named := os.environ.get(VARIABLE):
        return Path(named)
    places = [Path(folder) / "harness" for folder in _folders()]
    for place in places:
        if place.is_file():
            return place
    raise FileNotFoundError(
        f"harness was not found; looked for {', '.join(map(str, places))}: install the package again, or name a "
        f"harness with {VARIABLE}"
    )


def _folders() -> list[str]:
    """Where pip and uv put programs: beside a folder of pip install --target, of the environment, of the user."""
    here = Path(__file__).resolve().parent.parent
    user = sysconfig.get_preferred_scheme("user")
    return [str(here / "bin"), sysconfig.get_path("scripts"), sysconfig.get_path("scripts", scheme=user)]


class Failure(RuntimeError):
    """The harness ended with an exit code that is no verdict: wrong usage, a plugin or server that failed, missing
    data.

    finished has the code and what the harness printed.
    """

    def __init__(self, finished: Finished | Measured):
        self.finished = finished
        said = finished.errors.strip() or finished.text.strip()
        super().__init__(f"{' '.join(finished.command)}: exit code {finished.code}\n{said}")


@dataclass(frozen=True)
class Finished:
    """A harness that has ended."""

    command: list[str]
    #: 0 VALID, 3 INVALID, 4 below the accuracy target, 1, 2, 5, 6 and 130 as the documents say
    code: int
    #: what it printed, on standard output and on standard error
    text: str
    errors: str
    #: what it measured, from result.json; without runs where it wrote none
    results: Results


@dataclass(frozen=True)
class Measured:
    """A harness bench that has ended."""

    command: list[str]
    #: 0 measured, 3 no load keeps the objectives, 7 the client is the limit, 8 not enough data, 1, 2, 5, 6 and 130 as
    #: the documents say
    code: int
    text: str
    errors: str
    #: what it measured, from sweep.json; None where it wrote none
    sweep: Sweep | None


def run(
    model: str,
    *arguments: str,
    out: str | os.PathLike[str],
    check: bool = True,
    env: Mapping[str, str] | None = None,
    progress: Progress = False,
    **flags: Any,
) -> Finished:
    """harness run MODEL --out OUT, with flags by their names: scenario="Offline" is --scenario Offline.

    A flag's underscores are hyphens; True gives it without a value, False and None leave it out. A list or tuple
    repeats it, a mapping repeats it as KEY=VALUE (params, backend_opt). Arguments are appended as they are. env is
    added to the environment. progress reports while it runs, a line every few seconds.

    out is a folder for the results; an existing result is kept, and is an error, unless force=True.

    An INVALID run, or an accuracy below its target, is a result like any other. Failure is raised for all other exit
    codes, unless check is False. An interrupt (Ctrl-C) ends the run as it does in a terminal, keeps partial logs, and
    is raised as KeyboardInterrupt.
    """
    command = _command("run", model, out, progress, flags, arguments)
    code, text, errors = _finish(command, {**os.environ, **(env or {})}, progress)
    where = Path(out) / "result.json"
    finished = Finished(command, code, text, errors, read(where) if where.is_file() else Results.none(where))
    if check and code not in VERDICTS:
        raise Failure(finished)
    return finished


def bench(
    url: str,
    *arguments: str,
    out: str | os.PathLike[str],
    check: bool = True,
    env: Mapping[str, str] | None = None,
    progress: Progress = False,
    **flags: Any,
) -> Measured:
    """harness bench URL --out OUT: measures a server of language models. Flags are as in run: concurrency="1..64",
    slo="p99 ttft < 1s", wait="10m".

    A sweep that was interrupted goes on where the same call is made again. Failure is raised for exit codes other than
    0, 3 (no load keeps the objectives), 7 (the client is the limit) and 8 (not enough data), unless check is False.
    """
    command = _command("bench", url, out, progress, flags, arguments)
    code, text, errors = _finish(command, {**os.environ, **(env or {})}, progress)
    where = Path(out) / "sweep.json"
    measured = Measured(command, code, text, errors, read_sweep(where) if where.is_file() else None)
    if check and code not in MEASURED:
        raise Failure(measured)
    return measured


def _command(
    verb: str, what: str, out: str | os.PathLike[str], progress: Progress, flags: Mapping[str, Any],
    arguments: Iterable[str],
) -> list[str]:
    command = [str(program()), verb, what, "--out", os.fspath(out)]
    if not progress:
        command.append("--quiet")
    for name, value in flags.items():
        command += _flag("--" + name.replace("_", "-"), value)
    return [*command, *arguments]


def _flag(name: str, value: Any) -> list[str]:
    if value is None or value is False:
        return []
    if value is True:
        return [name]
    if isinstance(value, Mapping):
        return [part for key, v in value.items() for part in (name, f"{key}={v}")]
    if isinstance(value, Iterable) and not isinstance(value, (str, os.PathLike)):
        return [part for v in value for part in (name, str(v))]
    return [name, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]


def _finish(command: list[str], env: Mapping[str, str], progress: Progress) -> tuple[int, str, str]:
    """Runs a command to its end. It has a session of its own, so that an interrupt reaches it once, from here."""
    process = subprocess.Popen(
        command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
        errors="replace", start_new_session=True,
    )
    stdout, stderr = process.stdout, process.stderr
    assert stdout and stderr
    text: list[str] = []
    errors: list[str] = []
    reader = threading.Thread(target=lambda: text.append(stdout.read()), daemon=True)
    reader.start()
    try:
        for line in stderr:
            errors.append(line)
            _report(progress, line.rstrip("\n"))
        process.wait()
    except BaseException:
        process.send_signal(signal.SIGINT)
        errors += stderr
        process.wait()
        raise
    finally:
        reader.join()
        stdout.close()
        stderr.close()
    return process.returncode, "".join(text), "".join(errors)


def _report(progress: Progress, line: str) -> None:
    if progress is True:
        print(line, file=sys.stderr, flush=True)
    elif progress:
        progress(line)
