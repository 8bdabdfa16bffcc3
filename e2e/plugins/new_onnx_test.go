package plugins

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestNewBenchmarkOfAModel runs the commands of docs/vendor.md for an ONNX file, in an empty folder beside a checkout.
func TestNewBenchmarkOfAModel(t *testing.T) {
	above := t.TempDir()
	dir := filepath.Join(above, "vendor")
	if err := os.MkdirAll(filepath.Join(above, "plumbline", "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(above, "plumbline", "bin", "plugins")
	if err := os.Symlink(filepath.Join(built.Dir(), "plugins"), link); err != nil {
		t.Fatal(err)
	}
	model, err := os.ReadFile(filepath.Join(built.Root(), "plugins", "resnet50", "model", "resnet_fp32.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	testfile.Write(t, filepath.Join(dir, "net.onnx"), string(model))

	_, section, found := strings.Cut(testfile.Read(t, built.Doc("vendor.md")),
		"## A benchmark from an ONNX file\n\n")
	if !found {
		t.Fatal("docs/vendor.md has no such section")
	}
	block, _, _ := strings.Cut(section, "\n\n")
	var outputs []string
	for line := range strings.Lines(block) {
		words := strings.Fields(line)
		switch words[0] {
		case "cd":
			dir = filepath.Join(dir, words[1])
		case "harness":
			if words[1] == "new" {
				words = append(words, "--checkout", built.Root())
			}
			if words[1] == "run" {
				words = append(words, "--mode", "accuracy") // a performance run would test nothing more
			}
			cmd := harness.Command(t, built.Harness(), words[1:]...)
			cmd.Dir = dir
			outputs = append(outputs, harness.Finish(t, cmd).WantCode(t, 0).Stdout)
		default: // commands of go and of the shell
			cmd := exec.Command("sh", "-c", line)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", strings.TrimSpace(line), err, out)
			}
		}
	}
	runs := slices.DeleteFunc(outputs, func(o string) bool { return !strings.Contains(o, "accuracy") })
	if len(runs) != 2 || !strings.Contains(runs[0], "97.1") || !strings.Contains(runs[1], "100 samples") {
		t.Errorf("the runs printed %q; want 97.1 %% of the drawn pictures, and 100 pictures of a folder", outputs)
	}
}
