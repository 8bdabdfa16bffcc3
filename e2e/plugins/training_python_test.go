package plugins

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
)

// TestPythonTrainingScripts starts the train.py of each embedded model: it loads its imports and prints its arguments.
func TestPythonTrainingScripts(t *testing.T) {
	interpreter, plugins := built.NeedPython(t), filepath.Join(built.Root(), "plugins")
	scripts, err := filepath.Glob(filepath.Join(plugins, "*", "model", "train.py"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no plugins/*/model/train.py: %v", err)
	}
	missing := regexp.MustCompile(`No module named '(torch|numpy|scipy|onnx|onnxruntime|onnxscript|tokenizers|` +
		`transformers|rouge_score|subword_nmt|cv2|pycocotools|nibabel)`)
	for _, script := range scripts {
		folder := filepath.Dir(script)
		t.Run(filepath.Base(filepath.Dir(folder)), func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(interpreter, "train.py", "--help")
			cmd.Dir, cmd.Env = folder, append(os.Environ(), "PYTHONPATH="+filepath.Join(plugins, "model"))
			out, err := cmd.CombinedOutput()
			if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && missing.Match(out) {
				t.Skipf("%s lacks something of %s:\n%s", interpreter, filepath.Join(folder, "requirements.txt"), out)
			}
			if err != nil {
				t.Fatalf("%v:\n%s", err, out)
			}
			for _, argument := range []string{"--out", "--cache", "--threads"} {
				if !strings.Contains(string(out), argument) {
					t.Errorf("%s is no argument:\n%s", argument, out)
				}
			}
		})
	}
}
