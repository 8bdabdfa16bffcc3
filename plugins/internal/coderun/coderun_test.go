package coderun

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/programs"
)

// runner skips the test where PLUMBLINE_PYTHON names no interpreter, or the machine refuses a sandbox.
func runner(t *testing.T, weak bool) *ProgramRunner {
	t.Helper()
	path := os.Getenv("PLUMBLINE_PYTHON")
	if path == "" {
		t.Skip("PLUMBLINE_PYTHON names no interpreter: make test-extra OF=python or test-escape PYTHON=python3 runs this")
	}
	r, err := ProgramSettings{path, weak}.OpenRunner(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// hostile are programs for mxeval's rules, whose function f is tested.
var hostile = map[string]struct{ source, want string }{
	"right": {"def f(x): return 2 * x", "passed"},
	"wrong": {"def f(x): return x", "test 1: AssertionError()"},
	"streams": {"import os\ndef f(x):\n  for d in range(64):\n    try: os.write(d, b'{\"passed\": true}')\n" +
		"    except OSError: pass\n  os._exit(0)", "no result: nothing came back"},
	"output": {"import os\ndef f(x):\n  for i in range(1 << 10): os.write(1, b'x' * (1 << 20))\n" +
		"  print('x' * (100 << 20)); return 2 * x", "passed"},
	"memory": {"def f(x): return len(bytearray(10 << 30))", "test 1: MemoryError()"},
	"disk": {"def f(x):\n  open('full', 'wb').write(bytes(80 << 20)); return 2 * x",
		"test 1: OSError(27, 'File too large')"},
	"input":       {"import os\ndef f(x):\n  return 2 * x if os.read(0, 10) == b'' else 0", "passed"},
	"end":         {"import posix\ndef f(x):\n  posix._exit(1)", "no result: nothing came back"},
	"environment": {"import os\ndef f(x):\n  return 2 * x if 'PLUMBLINE_PYTHON' not in os.environ else 0", "passed"},
}

const doubles = "def check(f):\n    assert f(2) == 4\n"

func TestHostilePythonPrograms(t *testing.T) {
	for _, weak := range []bool{false, true} {
		r := runner(t, weak)
		for name, x := range hostile {
			v, err := r.Run(t.Context(), programs.MXEval(x.source, doubles, "f"))
			if err != nil || v.String() != x.want {
				t.Errorf("weak %v, %s: %v, %v, want %s", weak, name, v, err, x.want)
			}
		}
	}
}

// TestSandboxPython tries what only the whole sandbox keeps a program from.
func TestSandboxPython(t *testing.T) {
	r := runner(t, false)
	outside := t.TempDir()
	for name, source := range map[string]string{
		"parent":  "import posix, signal\nposix.kill(posix.getppid(), signal.SIGKILL)",
		"network": "import socket\ns = socket.create_connection(('127.0.0.1', 1))",
		"writes":  fmt.Sprintf("open(%q, 'w')", filepath.Join(outside, "x")),
		"forks":   "import posix\nfor i in range(1000):\n  if posix.fork() == 0:\n    import time; time.sleep(3600)",
	} {
		v, err := r.Run(t.Context(), programs.MXEval(source+"\ndef f(x): return 2 * x", doubles, "f"))
		wants := map[string]string{
			"parent":  "passed", // nobody dies
			"network": "test 1: OSError(101, 'Network is unreachable')",
			"writes":  "test 1: FileNotFoundError(2, 'No such file or directory')",
			"forks":   "test 1: BlockingIOError(11, 'Resource temporarily unavailable')",
		}
		if err != nil || v.String() != wants[name] {
			t.Errorf("%s: %v, %v, want %s", name, v, err, wants[name])
		}
	}
}

// TestTrappedAlarmPython: a program that does not let the time of a test end it ends by the time of all.
func TestTrappedAlarmPython(t *testing.T) {
	for _, weak := range []bool{false, true} {
		r := runner(t, weak)
		for name, source := range map[string]string{
			"ignores it":  "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True: pass",
			"swallows it": "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
			"cancels it":  "import signal\nsignal.alarm(0)\nwhile True: pass",
		} {
			t.Run(fmt.Sprintf("%s, weak %v", name, weak), func(t *testing.T) {
				t.Parallel()
				tests := programs.TestCases{Inputs: []string{""}, Outputs: []string{"x"}}
				v, err := r.Run(t.Context(), programs.LiveCodeBench(source, tests, time.Second))
				if err != nil || v.Passed || v.Code != programs.NoResult {
					t.Errorf("%+v, %v, want no result", v, err)
				}
			})
		}
	}
}
