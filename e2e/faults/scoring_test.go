package faults

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/faulty"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestKilledInMidScoring kills the harness, or the plugin, while the scorer reads the log: the answers are kept, no
// part of a score exists, and the log can then be scored as usual.
func TestKilledInMidScoring(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		again  bool // the log already has a score, which is computed again
		plugin bool // the plugin is killed
		signal syscall.Signal
		code   int // exit code of the harness, if it has one
		status string
	}{
		"the harness":           {signal: syscall.SIGKILL, code: -1, status: "unfinished"},
		"the harness, again":    {again: true, signal: syscall.SIGKILL, code: -1, status: "complete"},
		"an interrupt":          {signal: syscall.SIGINT, code: 130, status: "interrupted"},
		"an interrupt, again":   {again: true, signal: syscall.SIGTERM, code: 130, status: "complete"},
		"the plugin":            {plugin: true, signal: syscall.SIGKILL, code: 5, status: "failed"},
		"the plugin, and again": {again: true, plugin: true, signal: syscall.SIGKILL, code: 5, status: "complete"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := []string{"--scenario", "Offline", "--mode", "accuracy", "--count", "200"}
			cmd, dir, out := faulty.Run(t, "hang-score", run...)
			logs, witness := filepath.Join(out, "faulty", "Offline", "accuracy"), filepath.Join(t.TempDir(), "witness")
			cmd.Env = append(cmd.Env, "PLUMBLINE_WITNESS="+witness)
			score := []string{"score", out, "--plugin-dir", filepath.Join(dir, "faulty"), "--plugin", "faulty"}
			if c.again {
				harness.Finish(t, harness.Command(t, cmd.Path, cmd.Args[1:]...)).WantCode(t, 0)
				env := cmd.Env
				cmd = harness.Command(t, cmd.Path, score...)
				cmd.Env = env
			}
			before := textsBelow(t, out)
			said := harness.Printed(filepath.Join(t.TempDir(), "said.txt"))
			file, err := os.Create(string(said))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = file.Close() }()
			cmd.Stdout, cmd.Stderr = file, file
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			harness.WaitForText(t, cmd, said, witness+".scores", "it scores")
			victim := cmd.Process.Pid
			if c.plugin {
				victim = pluginOf(t, dir)
			}
			if err := syscall.Kill(victim, c.signal); err != nil {
				t.Error(err)
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != c.code {
				t.Errorf("exit code %d, want %d; it printed:\n%s", code, c.code, said)
			}
			harness.WantNoProcess(t, dir)

			after := textsBelow(t, out)
			for path, text := range after {
				if strings.HasSuffix(path, ".tmp") || !c.again && filepath.Base(path) == "accuracy.txt" {
					t.Errorf("%s is left, with %d bytes", path, len(text))
				}
				if was, there := before[path]; c.again && (!there || !bytes.Equal(was, text)) {
					t.Errorf("%s was written to", path)
				}
			}
			var doc results.Document
			testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
			if len(doc.Runs) != 1 || doc.Runs[0].Status != c.status {
				t.Errorf("result.json: %+v, want a run that is %s", doc, c.status)
			}
			harness.Run(t, score...).WantCode(t, 0).WantOutput(t, "accuracy=100.000%")
			text, err := os.ReadFile(filepath.Join(logs, "accuracy.txt"))
			if err != nil || !strings.HasPrefix(string(text), "accuracy=100.000%\nhash=") {
				t.Errorf("accuracy.txt holds %q, %v", text, err)
			}
		})
	}
}

// pluginOf returns the process of the plugin of an installation.
func pluginOf(t *testing.T, dir string) int {
	t.Helper()
	for _, p := range harness.ProcessesOf(dir) {
		id, path, _ := strings.Cut(p, " ")
		if pid, err := strconv.Atoi(id); err == nil && strings.HasPrefix(filepath.Base(path), "plumbline-plugin-") {
			return pid
		}
	}
	t.Fatal("no plugin runs")
	return 0
}

// textsBelow returns the contents of the files of a folder, by path.
func textsBelow(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[path], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
