package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/faulty"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// soon is the time limit that tests set for backends that never answer. Working backends answer earlier.
const soon = "5s"

// TestHangingBackends runs backends that never answer while the plugin's heartbeats continue: the run exits with 5,
// names what it waited for and where, and leaves no process.
func TestHangingBackends(t *testing.T) {
	endless := filepath.Join(t.TempDir(), "endless.onnx")
	if err := tinymodel.Endless().Write(endless); err != nil {
		t.Fatal(err)
	}
	faulty := filepath.Join(built.Dir(), "faulty", "plumbline-plugin-faulty")
	process := func(fault string) []string {
		return []string{"faulty", "--plugin-dir", filepath.Dir(faulty), "--plugin", "faulty", "--scenario", "Offline",
			"--backend", "process", "--backend-opt", "command=" + faulty + " backend " + fault}
	}
	asleep := harness.StartMock(t, harness.MockOIP, nil, append(harness.MockClassifier("asleep", "127.0.0.1:0"),
		"-delay", "1h")...)
	stalled := harness.StartMock(t, harness.MockOpenAI, nil, "-listen", "127.0.0.1:0", "-model", "m",
		"-vocabulary", "1000", "-step", "1h")
	const pid = `process \d+, which has used`
	for name, c := range map[string]struct {
		args []string
		want []string // regular expressions
	}{
		"ort, a loop without end in the warm-up": {
			[]string{"resnet50", "--model", endless, "--smoke", "--scenario", "Offline"},
			[]string{"waits for the warm-up of a session"}},
		"process, Open":    {process("hang-open"), []string{"the backend's Open", "answer to Open .*" + pid}},
		"process, Attach":  {process("hang-attach"), []string{"answer to Attach .*" + pid}},
		"process, a batch": {process("hang-warm-up"), []string{"answer to a batch .*" + pid, "Run of "}},
		"kserve": {[]string{"resnet50", "--scenario", "Offline", "--backend", "kserve", "--backend-opt", "url=" + asleep,
			"--backend-opt", "model=resnet50"},
			[]string{"an answer of " + regexp.QuoteMeta(asleep)}},
		"openai": {[]string{"llama3.1-8b", "--scenario", "Offline", "--backend", "openai", "--backend-opt", "url=" + stalled,
			"--backend-opt", "model=m"},
			[]string{"an answer of " + strings.TrimSuffix(strings.TrimPrefix(stalled, "http://"), "/v1")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := built.Install(t, "plugins")
			args := append(append([]string{"run"}, c.args...), "--mode", "performance", "--answer-timeout", soon,
				"--out", t.TempDir(), "--quiet")
			r := harness.Finish(t, harness.Command(t, filepath.Join(dir, "harness"), args...)).WantCode(t, 5)
			for _, want := range append(c.want, fmt.Sprintf(`limit %s.*--answer-timeout`, soon)) {
				if !regexp.MustCompile(want).MatchString(r.Stderr) {
					t.Errorf("no %q in:\n%s", want, r.Stderr)
				}
			}
			harness.WantNoProcess(t, dir)
		})
	}
}

// TestIdleProcessIsTold: a plugin reports for a minute that a process of its backend neither answers nor computes. The
// run continues, and the terminal and the plugin's log show the message with the pid.
func TestIdleProcessIsTold(t *testing.T) {
	t.Parallel()
	cmd, _, out := faulty.Run(t, "idle-process", "--scenario", "SingleStream", "--answer-timeout", "0")
	r := harness.Finish(t, cmd).WantCode(t, 0)
	const want = "waiting for the backend process's answer to Attach (for 1m0s; process 33554432, which has used no " +
		"processor time since)"
	log, err := os.ReadFile(filepath.Join(faulty.Performance(out), "plugin.log"))
	if err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{"on the terminal": r.Stderr, "in plugin.log": string(log)} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%s, want once %q:\n%s", where, want, text)
		}
	}
}
