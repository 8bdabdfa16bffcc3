package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pictures writes n pictures with their labels in the official layout.
func pictures(t *testing.T, dir string, label func(i int) int, n int) (list string) {
	t.Helper()
	var lines strings.Builder
	for i := range n {
		name := fmt.Sprintf("%02d.png", i)
		write(t, filepath.Join(dir, name), encode(t, 224+8*i, 240))
		fmt.Fprintf(&lines, "%s %d\n", name, label(i))
	}
	return write(t, filepath.Join(dir, "val_map.txt"), lines.String())
}

// TestWantedAccuracy judges pictures of one's own by a target and by expected answers: below either the exit code is 4.
func TestWantedAccuracy(t *testing.T) {
	const n = 20
	data, out := t.TempDir(), t.TempDir()
	list := pictures(t, data, func(int) int { return 0 }, n)
	run := func(more ...string) result {
		return harness(t, append([]string{
			"run", "resnet50", "--dataset", data, "--mode", "accuracy", "--scenario", "Offline", "--out", out, "--force",
			"--quiet",
		}, more...)...)
	}
	run().wantCode(t, 0)
	log := filepath.Join(out, "resnet50", "Offline", "accuracy", "mlperf_log_accuracy.json")
	classes := loggedClasses(t, log)
	pictures(t, data, func(i int) int { return int(classes[i]) }, n) // from here on every answer is right

	all := write(t, filepath.Join(t.TempDir(), "all.txt"), read(t, list))
	one := write(t, filepath.Join(t.TempDir(), "one.txt"),
		strings.Replace(read(t, list), fmt.Sprintf("00.png %d", int(classes[0])), "00.png 999", 1))
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
		{"a file of other pictures", []string{"--expect", write(t, filepath.Join(t.TempDir(), "other.txt"), "a.png 1\n")}, 6,
			[]string{"20 of the 20 pictures", "00.png"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := run(c.args...).wantCode(t, c.code)
			for _, part := range c.says {
				if !strings.Contains(r.both(), part) {
					t.Errorf("it printed no %q:\n%s", part, r.both())
				}
			}
		})
	}
	run().wantCode(t, 0)
	harness(t, "score", filepath.Dir(log), "--expect", one).wantCode(t, 4)
	harness(t, "score", filepath.Dir(log), "--expect", one, "--target", "agreement=90", "--target",
		"accuracy=99").wantCode(t, 0)
	wantMessage(t, harness(t, "run", "resnet50", "--target", "accuracy=1", "--mode", "performance").wantCode(t, 2),
		"no run of this plan")
	wantMessage(t, harness(t, "run", "retinanet", "--expect", one).wantCode(t, 2), "does not compare single answers")
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestChosenTensors: where a model has other tensors than the benchmark looks for, the error says which
// parameters choose among them.
func TestChosenTensors(t *testing.T) {
	model := filepath.Join(built.root, "plugins", "resnet50", "model", "resnet_fp32.onnx")
	r := harness(t, "run", "resnet50", "--model", model, "--param", "output=probabilities", "--smoke", "--mode",
		"accuracy", "--out", t.TempDir()).wantCode(t, 6)
	wantMessage(t, r, `output "probabilities" is missing`, "--param output=NAME", "answer=class")
}
