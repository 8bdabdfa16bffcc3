"""Runs one program with its tests and says how they went: by the rules of LiveCodeBench (kinds stdin and call) and of
mxeval (kind check). The job comes on standard input, the verdict goes as JSON to standard output.

The program runs in a process of its own, which is forked from this one before this one has read what is expected of the
program: its process never holds that. It says what the program did (outputs, values that were returned, errors) through
a pipe; this one compares. Tests of mxeval, which are code, run here, and call the program's function there. Whatever
the program does to its own process, it can change what it answers, and not what is right.
"""

import io
import json
import os
import re
import signal
import sys
import time
import types

# Driver puts exchange.py before this text.
from exchange import Failure, Gone, Peer, TimeoutException, Verdict

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


def guarded(call, seconds):
    """Calls under the alarm; what goes wrong ends the job."""
    signal.alarm(seconds)
    try:
        return call()
    except Exception as e:
        raise Failure(-3 if "timeoutexception" in repr(e).lower() else -4, repr(e)) from e
    finally:
        signal.alarm(0)


def run_stdin(job, peer):
    from unittest import mock

    function = load(as_function(job["code"]), job["timeout"]).program
    for text in job["inputs"][: job["count"]]:
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
            guarded(call, job["timeout"])
        finally:
            sys.stdout = real
        peer.send({"output": None if out.size > MOST_OUTPUT else out.getvalue()})


def judge_stdin(job, peer, wanted):
    done = []
    for want in wanted["outputs"][: job["count"]]:
        output = peer.next("output", done)
        if not isinstance(output, str) or not same(output, want):
            raise Verdict(done + [-2], -2)
        done.append(True)
    return done


def run_call(job, peer):
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
    peer.send({"ready": True})
    for arguments in inputs[: job["count"]]:
        got = guarded(lambda arguments=arguments: method(*arguments), job["timeout"])
        peer.send({"returned": peer.pack(got)})


def judge_call(job, peer, wanted):
    peer.next("ready", [])
    done = []
    for want in [json.loads(text) for text in wanted["outputs"]][: job["count"]]:
        returned = peer.next("returned", done)
        try:
            got = peer.unpack(returned)
            right = (list(got) if isinstance(got, tuple) else got) == want
            plain = isinstance(right, (bool, int)) or not hasattr(right, "item")
            done.append(right if plain else right.item(0))
            right = bool(right)
        except Exception as e:
            raise Verdict(done + [-4], -4, repr(e)) from e
        if not right:
            raise Verdict(done, -2)
    return done


class WriteOnly(Kept):
    """All three streams of a program under mxeval: what reads is an error."""

    def read(self, *a):
        raise OSError

    readline = readlines = read

    def readable(self, *a):
        return False


def late(*_):
    raise TimeoutException("Timed out!")


def run_check(job, peer):
    """mxeval: the program, and then what its tests ask for. Whatever is raised is a failure."""
    sys.stdin = sys.stdout = sys.stderr = WriteOnly()
    names = {}
    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, job["timeout"])
    try:
        exec(job["code"], names)
    except TimeoutException as e:
        raise Failure(-3, repr(e)) from e
    except BaseException as e:
        raise Failure(-4, repr(e)) from e
    peer.names = names
    peer.send({"ready": True})
    while peer.answer(peer.receive()):
        pass


def judge_check(job, peer, wanted):
    """Runs the tests, with what they name of the program in their reach."""
    import ast
    import builtins

    peer.next("ready", [])
    text = wanted["tests"] + "\ncheck(" + job["function"] + ")"
    streams = sys.stdin, sys.stdout, sys.stderr
    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, job["timeout"])
    try:
        names, found = {n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)}, {}
        for peer.naming in sorted(names - {"check"} - set(dir(builtins))):
            there, value = peer.ask({"name": peer.naming})
            if there:
                found[peer.naming] = value
        peer.naming = None
        sys.stdin = sys.stdout = sys.stderr = WriteOnly()
        exec(text, found)
    except TimeoutException as e:
        raise Verdict([-3], -3) from e
    except Gone:
        raise
    except BaseException as e:
        raise Verdict([-4], -4, repr(e)) from e
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.stdin, sys.stdout, sys.stderr = streams
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


RUN = {"stdin": run_stdin, "call": run_call, "check": run_check}
JUDGE = {"stdin": judge_stdin, "call": judge_call, "check": judge_check}


def program(job, peer, leave=os._exit):
    """The forked process. It ends with 0 if the program came to its end."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    low, high = sorted((peer.source, peer.sink))
    for first, end in ((3, low), (low + 1, high), (high + 1, os.sysconf("SC_OPEN_MAX"))):
        os.closerange(first, end)
    try:
        # Descriptors stay open when a rule puts other streams in the place of these.
        sys.stdin, sys.stdout, sys.stderr = (open(d, m, closefd=False) for d, m in ((0, "r"), (1, "w"), (2, "w")))
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGALRM, ring)
        take_away(job["kind"])
        try:
            RUN[job["kind"]](job, peer)
            peer.send({"end": True})
        except Failure as f:
            peer.send({"failed": f.code, "error": f.error})
        except Exception as e:
            peer.send({"failed": -4, "error": repr(e)})
        leave(0)
    finally:
        leave(1)


def judged(job, peer, wanted, pid):
    """The results of a program's tests, and its code: 0 of one that passed them all, and ended well."""
    try:
        done = JUDGE[job["kind"]](job, peer, wanted)
        peer.close()  # no test asks for more
        peer.next("end", done)
        if ended(pid, peer.until) == 0:
            return done, 0, ""
        return [-2], -5, "its process did not end well"
    except Verdict as v:
        return v.results, v.code, v.error
    except Gone as e:
        return [-2], -5, str(e)
    except Exception as e:  # what is expected cannot be read
        return [-4], -4, repr(e)


def ended(pid, until):
    """Waits for a process, and says by what status it ended; None if it did not end in time."""
    pause = 0.0005
    while True:
        got, status = os.waitpid(pid, os.WNOHANG)
        if got or time.monotonic() > until:
            return status if got else None
        time.sleep(pause)
        pause = min(2 * pause, 0.02)


def close_memory():
    """Keeps processes that are forked from reaching into this one, by ptrace or by its files in /proc."""
    if sys.platform == "linux":
        import ctypes

        PR_SET_DUMPABLE = 4
        if ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0):
            sys.exit("prctl")


def take(source):
    """A piece of the input: its length in bytes and a line's end come before it. Nothing behind it is read."""
    left, parts = int(source.readline()), []
    while left:
        part = source.read(left)
        if not part:
            sys.exit("the job ends too early")
        parts.append(part)
        left -= len(part)
    return json.loads(b"".join(parts))


def main():
    close_memory()
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(50000)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source = open(0, "rb", buffering=0, closefd=False)
    job = take(source)
    bring(job)
    asks, answers, claims = os.pipe(), os.pipe(), job["kind"] == "call"
    pid = os.fork()
    if pid == 0:
        program(job, Peer(asks[0], answers[1], claims))
    os.close(asks[0])
    os.close(answers[1])
    peer = Peer(answers[0], asks[1], claims, time.monotonic() + job["limit"])
    results, code, error = judged(job, peer, take(source), pid)
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    passed = code == 0 and all(r > 0 for r in results)
    own = passed and peer.claimed
    json.dump({"passed": passed, "results": results, "code": code, "error": error[:200], "own": own}, sys.stdout)


main()
