package runs

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// pictures writes n pictures with their labels in the official layout.
func pictures(t *testing.T, dir string, label func(i int) int, n int) (list string) {
	t.Helper()
	var lines strings.Builder
	for i := range n {
		name := fmt.Sprintf("%02d.png", i)
		testfile.Write(t, filepath.Join(dir, name), testfile.Picture(t, 224+8*i, 240))
		fmt.Fprintf(&lines, "%s %d\n", name, label(i))
	}
	return testfile.Write(t, filepath.Join(dir, "val_map.txt"), lines.String())
}

// TestWantedAccuracy judges the user's pictures by a target and by expected answers: below either the exit code is 4.
func TestWantedAccuracy(t *testing.T) {
	const n = 20
	data, out := t.TempDir(), t.TempDir()
	list := pictures(t, data, func(int) int { return 0 }, n)
	run := func(more ...string) harness.Result {
		return harness.Run(t, append([]string{
			"run", "resnet50", "--dataset", data, "--mode", "accuracy", "--scenario", "Offline", "--out", out, "--force",
			"--quiet",
		}, more...)...)
	}
	run().WantCode(t, 0)
	log := filepath.Join(out, "resnet50", "Offline", "accuracy", "mlperf_log_accuracy.json")
	classes := results.LoggedClasses(t, log)
	pictures(t, data, func(i int) int { return int(classes[i]) }, n) // from here on every answer is correct

	all := testfile.Write(t, filepath.Join(t.TempDir(), "all.txt"), testfile.Read(t, list))
	one := testfile.Write(t, filepath.Join(t.TempDir(), "one.txt"),
		strings.Replace(testfile.Read(t, list), fmt.Sprintf("00.png %d", int(classes[0])), "00.png 999", 1))
	for _, c := range []struct {
		name string
		args []string
		code int
		says []string
	}{
		{"a target met", []string{"--target", "accuracy=100"}, 0, []string{"accuracy: passes the target of 100"}},
		{"a target missed", []string{"--target", "accuracy=100.5"}, 4, []string{"accuracy: below the target of 100.5"}},
		{"all as expected", []string{"--expect", all}, 0, []string{"agreement: passes the target of 99"}},
		{"one is not", []string{"--expect", one}, 4, []string{"agreement: below the target of 99", "1 of 20 classes",
			"00.png is", "expected 999"}},
		{"one may differ", []string{"--expect", one, "--target", "agreement=95"}, 0,
			[]string{"agreement: passes the target of 95"}},
		{"another offset", []string{"--param", "offset=2", "--target", "accuracy=50"}, 4,
			[]string{"with --param offset=1, not 2, the accuracy would be 100.0 %"}},
		{"an unknown metric", []string{"--target", "exactness=5"}, 2, []string{"accuracy"}},
		{"no number", []string{"--target", "accuracy=high"}, 2, []string{"want a number"}},
		{"no file", []string{"--expect", "none.txt"}, 6, []string{"none.txt"}},
		{"a file of other pictures", []string{"--expect", testfile.Write(t, filepath.Join(t.TempDir(), "other.txt"),
			"a.png 1\n")}, 6,
			[]string{"20 of the 20 pictures", "00.png"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := run(c.args...).WantCode(t, c.code)
			for _, part := range c.says {
				if !strings.Contains(r.Both(), part) {
					t.Errorf("it printed no %q:\n%s", part, r.Both())
				}
			}
		})
	}
	run().WantCode(t, 0)
	harness.Run(t, "score", filepath.Dir(log), "--expect", one).WantCode(t, 4)
	harness.Run(t, "score", filepath.Dir(log), "--expect", one, "--target", "agreement=90", "--target",
		"accuracy=99").WantCode(t, 0)
	harness.WantMessage(t, harness.Run(t, "run", "resnet50", "--target", "accuracy=1", "--mode", "performance").WantCode(t,
		2),
		"no run of this plan")
	harness.WantMessage(t, harness.Run(t, "run", "retinanet", "--expect", one).WantCode(t, 2),
		"does not compare single answers")
}

// TestChosenTensors: if a model has other tensors than the benchmark expects, the error names the parameters that
// choose among them.
func TestChosenTensors(t *testing.T) {
	model := filepath.Join(built.Root(), "plugins", "resnet50", "model", "resnet_fp32.onnx")
	r := harness.Run(t, "run", "resnet50", "--model", model, "--param", "output=probabilities", "--smoke", "--mode",
		"accuracy", "--out", t.TempDir()).WantCode(t, 6)
	harness.WantMessage(t, r, `output "probabilities" is missing`, "--param output=NAME", "answer=class")
}
