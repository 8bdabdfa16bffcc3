# Prints of each expression on standard input, which comes behind a line with its number of bytes, whether it is 0: a
# line "0", "not 0", "unreadable", or "ended". Each is evaluated in a process of its own, forked off this one, which has
# SymPy ready: it can change nothing for those that follow, and has all limits for itself.
import ctypes
import gc
import os
import signal
import sys

from sympy import simplify
from sympy.core.cache import clear_cache
from sympy.parsing import sympy_parser as reader

RULES = (*reader.standard_transformations, reader.implicit_multiplication_application)
NOTHING = os.open(os.devnull, os.O_RDWR)
MOST = 64  # bytes of an answer


def vanishes(text):
    try:
        difference = reader.parse_expr(text.replace("^", "**"), transformations=RULES)
        return "0" if simplify(difference) == 0 else "not 0"
    except Exception:
        return "unreadable"


def warm():
    """Loads what SymPy loads with its first expressions, and forgets what came of them."""
    for text in ("sqrt(8)-2sqrt(2)", "(x+1)^2-x^2-2x", "sin(x)^2+cos(x)^2-1"):
        vanishes(text)
    clear_cache()


def evaluate(text, answer):
    """The forked process: nothing of its parent's is open in it but the pipe for its answer."""
    try:
        for standard in (0, 1, 2):
            os.dup2(NOTHING, standard)
        os.write(answer, vanishes(text).encode())
    finally:
        os._exit(0)


def ask(text):
    """The answer of a forked process, of which nothing runs on; empty: it ended without one."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        evaluate(text, write)
    os.close(write)
    answer = os.read(read, MOST)
    os.close(read)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    if os.getpid() == 1:  # in a space of its own: whatever that process started
        try:
            os.kill(-1, signal.SIGKILL)
            while True:
                os.waitpid(-1, 0)
        except (ChildProcessError, ProcessLookupError):
            pass
    return answer.decode("ascii", "replace")


def main():
    PR_SET_DUMPABLE = 4
    if sys.platform == "linux" and ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0):
        sys.exit("prctl")  # else a process that is forked could reach into this one
    warm()
    gc.freeze()
    source = sys.stdin.buffer
    while size := source.readline():
        text = source.read(int(size)).decode("utf-8", "surrogatepass")
        answer = ask(text)
        print(answer if answer in ("0", "not 0", "unreadable") else "ended", flush=True)


main()
