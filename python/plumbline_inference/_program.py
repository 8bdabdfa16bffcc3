"""Finds the harness that was installed with this package, and runs it."""

from __future__ import annotations

import os
import signal
import subprocess
import sysconfig
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._results import Results, read

#: The variable that names another harness.
VARIABLE = "PLUMBLINE_HARNESS"

#: Exit codes of runs that came to their end: all is well, a run is INVALID, an accuracy is below its target.
VERDICTS = (0, 3, 4)


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
    """The harness ended with an exit code that is no verdict: wrong usage, a plugin that failed, missing data.

    finished has the code and what the harness printed.
    """

    def __init__(self, finished: Finished):
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


def run(
    model: str,
    *arguments: str,
    out: str | os.PathLike[str],
    check: bool = True,
    env: Mapping[str, str] | None = None,
    **flags: Any,
) -> Finished:
    """harness run MODEL --out OUT, with flags by their names: scenario="Offline" is --scenario Offline.

    A flag's underscores are hyphens; True gives it without a value, False and None leave it out. A list or tuple
    repeats it, a mapping repeats it as KEY=VALUE (params, backend_opt). Arguments are appended as they are. env is
    added to the environment.

    out is a folder for the results; an existing result is kept, and is an error, unless force=True.

    An INVALID run, or an accuracy below its target, is a result like any other. Failure is raised for all other exit
    codes, unless check is False. An interrupt (Ctrl-C) ends the run as it does in a terminal, keeps partial logs, and
    is raised as KeyboardInterrupt.
    """
    command = [str(program()), "run", model, "--out", os.fspath(out), "--quiet"]
    for name, value in flags.items():
        command += _flag("--" + name.replace("_", "-"), value)
    command += arguments
    code, text, errors = _finish(command, {**os.environ, **(env or {})})
    where = Path(out) / "result.json"
    finished = Finished(command, code, text, errors, read(where) if where.is_file() else Results.none(where))
    if check and code not in VERDICTS:
        raise Failure(finished)
    return finished


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


def _finish(command: list[str], env: Mapping[str, str]) -> tuple[int, str, str]:
    """Runs a command to its end. It has a session of its own, so that an interrupt reaches it once, from here."""
    process = subprocess.Popen(
        command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
        errors="replace", start_new_session=True,
    )
    try:
        text, errors = process.communicate()
    except BaseException:
        process.send_signal(signal.SIGINT)
        process.communicate()
        raise
    return process.returncode, text, errors
