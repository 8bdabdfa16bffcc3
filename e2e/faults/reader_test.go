package faults

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
)

// TestReadersThatGo: when the reader of standard output or standard error goes away, the runs and the harness continue,
// and the exit code is that of the verdict.
func TestReadersThatGo(t *testing.T) {
	t.Parallel()
	dir := built.Cheater()
	runs := []string{"run", "honest", "--scenario", "SingleStream,Offline", "--mode", "performance"}
	late := []string{"run", "honest", "--scenario", "Server", "--mode", "performance", "--set", "target_latency=1",
		"--set", "target_qps=1000"}
	audit := []string{"audit", "TEST01", "honest", "--scenario", "Offline"}
	for name, c := range map[string]struct {
		args       []string
		both       bool // standard error has the same reader
		first      bool // the reader takes the first bytes, as head does; otherwise it is gone from the beginning
		code, runs int
	}{
		"after a line":        {runs, false, true, 0, 2},
		"both after a line":   {runs, true, true, 0, 2},
		"both from the start": {runs, true, false, 0, 2},
		"INVALID":             {late, true, true, 3, 1},
		"rounds":              {append(runs, "--repeat", "2"), false, true, 0, 4},
		"JSON":                {append(runs, "--json"), false, false, 0, 2},
		"audit":               {audit, true, false, eitherVerdict, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "out")
			cmd := harness.Command(t, built.Harness(), append(c.args, "--plugin-dir", dir, "--out", out)...)
			code, said := readAndGo(t, cmd, c.both, c.first)
			if c.code == eitherVerdict && (code == 0 || code == 3) {
				code = c.code
			}
			if code != c.code || strings.Contains(said, "pipe") {
				t.Errorf("exit code %d, want %d, and nothing of a pipe:\n%s", code, c.code, said)
			}
			if n := results.CompleteRuns(t, out); n != c.runs {
				t.Errorf("%d runs came to their end, want %d", n, c.runs)
			}
		})
	}
	for _, args := range [][]string{{"list", "--plugin-dir", dir}, {"--help"}} {
		if code, said := readAndGo(t, harness.Command(t, built.Harness(), args...), false, false); code != 0 || said != "" {
			t.Errorf("%q: exit code %d\n%s", args, code, said)
		}
	}
}

// eitherVerdict stands for the codes 0 and 3 where two equal runs are compared: on a busy machine one may be slower.
const eitherVerdict = -2

// readAndGo runs a command whose output has a reader that takes the first bytes, or nothing, and goes away. It returns
// the exit code, which is negative if a signal ended the process, and the other output.
func readAndGo(t *testing.T, cmd *exec.Cmd, both, first bool) (code int, said string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var elsewhere bytes.Buffer
	cmd.Stdout, cmd.Stderr = w, &elsewhere
	if both {
		cmd.Stderr = w
	}
	if !first {
		r.Close()
	}
	err = cmd.Start()
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	if first {
		if _, err := r.Read(make([]byte, 16)); err != nil {
			t.Errorf("the first line: %v", err)
		}
		r.Close()
	}
	_ = cmd.Wait() // the exit code is checked
	return cmd.ProcessState.ExitCode(), elsewhere.String()
}
