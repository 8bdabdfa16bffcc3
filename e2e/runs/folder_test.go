package runs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestModelsThatAreFolders: a backend process accepts a folder, and the result has the checksum and the size of all its
// files.
func TestModelsThatAreFolders(t *testing.T) {
	program := filepath.Join(t.TempDir(), "folder-backend")
	if out, err := exec.Command("go", "build", "-o", program, "./testdata/folder-backend").CombinedOutput(); err != nil {
		t.Fatalf("building the backend: %v\n%s", err, out)
	}
	model, data, out := t.TempDir(), t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(model, "weights"), 0o755); err != nil {
		t.Fatal(err)
	}
	testfile.Write(t, filepath.Join(model, "weights", "class"), "8\n")
	testfile.Write(t, filepath.Join(model, "graph.txt"), "twelve bytes")
	pictures(t, data, func(int) int { return 7 }, 4)
	sum := func() (sum string, size int64) {
		t.Helper()
		harness.Run(t, "run", "resnet50", "--backend", "process", "--backend-opt", "command="+program,
			"--model", model, "--dataset", data,
			"--mode", "accuracy", "--target", "accuracy=100", "--precision-label", "w4a16", "--note", "a folder", "--out", out,
			"--force", "--quiet").WantCode(t, 0)
		var doc struct {
			Runs []struct {
				Workload struct {
					SHA256 string `json:"model_sha256"`
					Size   int64  `json:"model_size"`
				}
				Stated struct{ Note, Precision string }
			}
		}
		testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
		if s := doc.Runs[0].Stated; s.Note != "a folder" || s.Precision != "w4a16" {
			t.Errorf("stated: %+v", s)
		}
		return doc.Runs[0].Workload.SHA256, doc.Runs[0].Workload.Size
	}
	first, size := sum()
	if len(first) != 64 || size != 14 {
		t.Errorf("sha256 %q, %d bytes, want 14", first, size)
	}
	testfile.Write(t, filepath.Join(model, "graph.txt"), "Twelve bytes")
	if second, _ := sum(); second == first {
		t.Error("another file of the folder does not change the checksum")
	}
	r := harness.Run(t, "run", "resnet50", "--model", model, "--dataset", data, "--out", t.TempDir()).WantCode(t, 6)
	harness.WantMessage(t, r, "it is a folder, not a file, and ONNX Runtime takes an ONNX file")
	r = harness.Run(t, "run", "resnet50", "--model", t.TempDir(), "--backend", "process", "--backend-opt",
		"command="+program,
		"--dataset", data, "--out", t.TempDir()).WantCode(t, 6)
	harness.WantMessage(t, r, "weights/class")
}

// TestStatedSystem: facts that the machine does not report come from a file, and appear in the header and in
// result.json.
func TestStatedSystem(t *testing.T) {
	file := testfile.Write(t, filepath.Join(t.TempDir(), "system.json"),
		`{"accelerator": "Acme X1", "driver": "5.2", "power_mode": "15 W"}`)
	out := t.TempDir()
	args := []string{"run", "null", "--scenario", "Offline", "--mode", "accuracy", "--out", out, "--force"}
	r := harness.Run(t, append(args, "--system", file, "--note", "second card, fan at 40 %")...).WantCode(t, 0)
	for _, part := range []string{"accelerator Acme X1, driver 5.2, power mode 15 W", "second card, fan at 40 %"} {
		if !strings.Contains(r.Stdout, part) {
			t.Errorf("the header has no %q:\n%s", part, r.Stdout)
		}
	}
	var doc struct {
		Runs []struct {
			Stated struct{ System map[string]string }
		}
	}
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
	if doc.Runs[0].Stated.System["driver"] != "5.2" {
		t.Errorf("result.json: %+v", doc)
	}
	harness.WantMessage(t, harness.Run(t, append(args, "--system", testfile.Write(t, file, `["Acme"]`))...).WantCode(t, 2),
		"want one JSON object")
	harness.WantMessage(t, harness.Run(t, append(args, "--system", "none.json")...).WantCode(t, 6), "none.json")
}
