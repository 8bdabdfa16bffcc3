"""Run the official checker and the official visualizer, each by its own command line, on one folder after another.

A line of the input is a JSON object {"org": folder ORG, "bundle": file to write}. The answer is one line of JSON:
rows [rule, severity, path, section], the exit codes of a plain and of a strict check (which is not run where the plain
one rejects), whether a bundle was written, and what either program died of, or null. The visualizer is given the folder
above ORG.
"""

import contextlib
import io
import json
import os
import sys
from pathlib import Path

from endpoints_submission_cli.commands.check_submission import check_submission
from mlperf_endpoints_visualizer import cli


def run(command, *args):
    """Give the exit code, the output, and what the command died of."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            code = command(*args)
    except SystemExit as end:
        code = end.code
    except Exception as error:
        return None, out.getvalue(), f"{type(error).__name__}: {error}"[:300]
    return code or 0, out.getvalue(), None


def shown(path, org):
    """Give a path within the submission; of a checker that stayed at ORG, within the folder above."""
    if path is None:
        return ""
    below = Path(path).relative_to(org.parent)
    parts = below.parts
    return str(Path(*parts[2:])) if len(parts) > 1 and parts[1] == "sub" else str(below)


def judge(org, bundle):
    """Run both programs on a folder."""
    check = lambda *more: run(lambda: check_submission.main([str(org), "--json", "--no-annotate", *more]))  # noqa: E731
    code, text, died = check()
    rows = [] if died else [
        [r["rule"], r["severity"], shown(r["path"], org), r["spec_ref"]] for r in json.loads(text)["results"]
    ]
    os.chdir(org.parent)
    _, _, blind = run(lambda: cli.main([".", "--export", str(bundle)]))
    return {
        "rows": rows, "code": code, "strict": check("--strict")[0] if code == 0 else code, "died": died,
        "bundle": bundle.exists(), "viz_died": blind,
    }


for line in sys.stdin:
    case = json.loads(line)
    print(json.dumps(judge(Path(case["org"]), Path(case["bundle"]))), flush=True)
