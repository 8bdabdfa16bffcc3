"""Runs one program with its tests and says how they went: by the rules of LiveCodeBench (kinds stdin and call) and of
mxeval (kind check). The job comes as JSON on standard input, the verdict goes as JSON to standard output.

The program runs in a process of its own, which is forked from this one and shares nothing but a piece of memory for the
results with it: it holds neither of the two streams, and how it ends is seen from outside.
"""

import io
import json
import mmap
import os
import re
import signal
import sys
import time
import types

MOST_OUTPUT = 16 << 20  # characters of a program's output that are kept: a longer one is wrong

# What programs find imported, in this order: a later name hides an earlier one.
MODULES = """string re datetime collections heapq bisect copy math random statistics itertools functools operator io sys
json""".split()
PRELUDE = "".join("from %s import *\n" % m for m in MODULES + ["builtins", "typing"])
PRELUDE += "".join("import %s\n" % m for m in MODULES) + "sys.setrecursionlimit(50000)\n"

# What programs do not find in modules, as under the official checkers. It is no protection.
OFF_OS = """chdir chmod chown chroot fchdir fchmod fchown fork forkpty getcwd kill killpg lchflags lchmod lchown putenv
remove removedirs rename renames replace rmdir setuid system truncate unlink""".split()
OFF_MODULES = "ipdb joblib psutil resource tkinter".split()

# What the official scripts have imported long before, by their libraries.
AT_HAND = """numpy pandas asyncio concurrent.futures contextlib glob logging multiprocessing pathlib random socket
tempfile threading urllib.request zipfile""".split()


class TimeoutException(Exception):
    """The alarm. An exception whose text has this name in it counts as time."""


class Verdict(Exception):
    """The end of a job before its last test."""

    def __init__(self, results, code, error=""):
        self.results, self.code, self.error = results, code, error


class Kept(io.StringIO):
    """A program's output, up to a length."""

    size = 0

    def write(self, text):
        self.size += len(text)
        return super().write(text) if self.size <= MOST_OUTPUT else len(text)


class Input:
    """Standard input of a program, with the habits of the official one: it cannot be iterated, and its buffer has one
    line for readline."""

    def __init__(self, text):
        self.text, self.lines = text, io.StringIO(text)
        whole = text.encode()
        first = whole.split(b"\n")[0] + b"\n"
        self.buffer = types.SimpleNamespace(read=lambda *a: whole, readline=lambda *a: first)

    def read(self, *a):
        return self.text

    def readline(self, *a):
        return self.lines.readline(*a)

    def readlines(self, *a):
        return self.text.split("\n")

    def __getattr__(self, name):
        return getattr(self.lines, name)


def ring(*_):
    print("time")  # among the output: a program that goes on in spite of the alarm has a line too many
    raise TimeoutException


def as_function(source):
    """A program that reads standard input, as a function; imports stay outside. What is no Python stays as it is."""
    import ast

    try:
        tree = ast.parse(source)
        last = tree.body[-1] if tree.body else None
        if isinstance(last, ast.If) and ast.unparse(last.test) == "__name__ == '__main__'":
            tree.body[-1:] = last.body
        imports = [s for s in tree.body if isinstance(s, (ast.Import, ast.ImportFrom))]
        function = ast.parse("def program(): pass").body[0]
        function.body = [s for s in tree.body if s not in imports]
        return "%s\n%s\n%s" % (PRELUDE, ast.unparse(imports), ast.unparse(function))
    except Exception:
        return source


def load(source, seconds):
    signal.alarm(seconds)
    try:
        module = types.ModuleType("program")
        exec(source, module.__dict__)
        return module
    finally:
        signal.alarm(0)


def decimals(line):
    import decimal

    try:
        return tuple(map(decimal.Decimal, line.split()))
    except decimal.InvalidOperation:
        return None


def same(got, want):
    """Compares two outputs: lines as texts, or as numbers with blanks between them."""
    got, want = ([line.strip() for line in text.strip().split("\n")] for text in (got, want))
    if len(got) != len(want):
        return False
    for a, b in zip(got, want):
        if a != b:
            a, b = decimals(a), decimals(b)
            if a is None or b is None or a != b:
                return False
    return True


def guarded(call, done, seconds):
    """Calls under the alarm; what goes wrong ends the job."""
    signal.alarm(seconds)
    try:
        return call()
    except Exception as e:
        code = -3 if "timeoutexception" in repr(e).lower() else -4
        raise Verdict(done + [code], code, repr(e)) from e
    finally:
        signal.alarm(0)


def by_stdin(job):
    from unittest import mock

    function = load(as_function(job["code"]), job["timeout"]).program
    done = []
    for text, want in zip(job["inputs"], job["outputs"]):
        out, real = Kept(), sys.stdout
        out.close = lambda x: None  # which makes close() an error

        def call(text=text):
            with mock.patch("sys.stdin", Input(text)), mock.patch("builtins.open", mock.mock_open(read_data=text)):
                try:
                    function()
                except SystemExit:
                    pass

        sys.stdout = out
        try:
            guarded(call, done, job["timeout"])
        finally:
            sys.stdout = real
        if out.size > MOST_OUTPUT or not same(out.getvalue(), want):
            raise Verdict(done + [-2], -2)
        done.append(True)
    return done


def by_call(job):
    source = PRELUDE + "\n\n" + job["code"]
    found = load(source, job["timeout"])
    if "class Solution" in source:
        signal.alarm(job["timeout"])
        try:
            found = found.Solution()
        finally:
            signal.alarm(0)
    method = getattr(found, job["function"])
    inputs = [[json.loads(line) for line in text.split("\n")] for text in job["inputs"]]
    done = []
    for arguments, want in zip(inputs, [json.loads(text) for text in job["outputs"]]):

        def call(arguments=arguments, want=want):
            got = method(*arguments)
            signal.alarm(0)
            right = (list(got) if isinstance(got, tuple) else got) == want
            plain = isinstance(right, (bool, int)) or not hasattr(right, "item")
            done.append(right if plain else right.item(0))
            return bool(right)

        if not guarded(call, done, job["timeout"]):
            raise Verdict(done, -2)
    return done


class WriteOnly(Kept):
    """All three streams of a program under mxeval: what reads is an error."""

    def read(self, *a):
        raise OSError

    readline = readlines = read

    def readable(self, *a):
        return False


def by_check(job):
    """mxeval: the program, its tests and the call of check as one text. Whatever is raised is a failure."""

    def late(*_):
        raise TimeoutException("Timed out!")

    sys.stdin = sys.stdout = sys.stderr = WriteOnly()
    signal.signal(signal.SIGALRM, late)
    try:
        signal.setitimer(signal.ITIMER_REAL, job["timeout"])
        try:
            exec(job["code"], {})
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except TimeoutException as e:
        raise Verdict([-3], -3) from e
    except BaseException as e:
        raise Verdict([-4], -4, repr(e)) from e
    return [True]


def take_away(kind):
    """Takes from modules what the official checkers take."""
    import builtins
    import shutil
    import subprocess

    for name in OFF_OS:
        setattr(os, name, None)
    shutil.rmtree = shutil.move = shutil.chown = subprocess.Popen = builtins.quit = None
    if kind == "check":
        builtins.exit = builtins.help = None
    for name in OFF_MODULES:
        sys.modules[name] = None


def bring(job):
    """Imports what the official checkers have imported before they take things away, and what needs them to be
    imported: of that, only what the program names."""
    for name in ["ast", "decimal", "shutil", "subprocess", "unittest.mock"]:
        __import__(name)
    for name in AT_HAND:
        if re.search(r"\b%s\b" % name.split(".")[0], job["code"]):
            try:
                __import__(name)
            except ImportError:
                pass
    if "tempfile" in sys.modules:
        sys.modules["tempfile"].gettempdir()  # which is tried by writing and removing a file, once


def program(job, room, leave=os._exit):
    """The forked process: its results go into room, length first."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.closerange(3, 1024)
    try:
        # Descriptors stay open when a rule puts other streams in the place of these.
        sys.stdin, sys.stdout, sys.stderr = (open(d, m, closefd=False) for d, m in ((0, "r"), (1, "w"), (2, "w")))
        if hasattr(sys, "set_int_max_str_digits"):
            sys.set_int_max_str_digits(50000)
        signal.signal(signal.SIGALRM, ring)
        dumps = json.dumps
        take_away(job["kind"])
        try:
            run = {"stdin": by_stdin, "call": by_call, "check": by_check}[job["kind"]]
            answer = run(job), 0, ""
        except Verdict as v:
            answer = v.results, v.code, v.error
        except Exception as e:
            answer = [-4], -4, repr(e)
        text = dumps([answer[0], answer[1], answer[2][:200]]).encode()
        room[8 : 8 + len(text)] = text
        room[:8] = len(text).to_bytes(8, "little")
    finally:
        leave(0)


def ended(pid, seconds):
    """Waits for a process, or kills it when its time is up."""
    end, pause = time.monotonic() + seconds, 0.0005
    while not os.waitpid(pid, os.WNOHANG)[0]:
        if time.monotonic() > end:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return False
        time.sleep(pause)
        pause = min(2 * pause, 0.02)
    return True


def main():
    job = json.load(sys.stdin)
    bring(job)
    room = mmap.mmap(-1, (1 << 16) + 64 * len(job["inputs"]))
    pid = os.fork()
    if pid == 0:
        program(job, room)
    in_time = ended(pid, job["limit"])
    try:
        results, code, error = json.loads(room[8 : 8 + int.from_bytes(room[:8], "little")])
        passed = all(r > 0 for r in results)
    except Exception:
        results, code, passed = [-2], -5, False
        error = "nothing came back" if in_time else "the time of all tests is up"
    json.dump({"passed": passed, "results": results, "code": code, "error": str(error)}, sys.stdout)


main()
