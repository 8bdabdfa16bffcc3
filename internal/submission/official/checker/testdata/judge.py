"""Judges trees by the official submission checker, each in a process of its own that begins with the checker loaded.

judge.py TOOLS, where TOOLS has submission_checker/; on standard input a line for each tree, with tabs between its path,
the path of the summary to write, and more arguments. On standard output a line for each: ok, errors, or crash and the exception.
"""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import submission_checker.main as checker  # noqa: E402

out = os.fdopen(os.dup(1), "w")


def judge(root, csv, *more):
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    sys.argv = ["main", "--input", ".", "--version", "v6.1", "--csv", csv, *more]
    try:
        os.chdir(root)
        return "ok" if checker.main() == 0 else "errors"
    except BaseException as e:
        return "crash " + ascii(e)[:200]


for line in sys.stdin:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, judge(*line.rstrip("\n").split("\t")).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as said:
        print(said.read(), file=out, flush=True)
    os.waitpid(child, 0)
