package plugins

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// translate runs the test benchmark on the data set of a folder.
func translate(t *testing.T, folder string, args ...string) harness.Result {
	t.Helper()
	dir := filepath.Join(built.Dir(), "translation")
	t.Setenv("PLUMBLINE_ORT_LIB", ortLibrary(t))
	args = append([]string{
		"run", "translation", "--plugin-dir", dir, "--scenario", "Offline", "--mode", "accuracy", "--quiet",
		"--dataset", folder,
	}, args...)
	if !slices.Contains(args, "--out") {
		args = append(args, "--out", t.TempDir())
	}
	return harness.Run(t, args...)
}

// ortLibrary is the path of the library beside the plugins.
func ortLibrary(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(built.Dir(), "plugins", "*onnxruntime*"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no ONNX Runtime beside the plugins: %v", err)
	}
	return found[0]
}

// TestGoldenTranslations generates with an encoder and a decoder, with beams of all widths in one batch: the answers
// equal those of the official code, in this process and in a backend process, which keeps the encoder's outputs.
func TestGoldenTranslations(t *testing.T) {
	own := filepath.Join(built.Root(), "backends", "ort", "testdata", "golden")
	golden.EachBelow(t, own, "translation/beam/expected.json", func(t *testing.T, path string) {
		folder := filepath.Dir(path)
		encoder, decoder := filepath.Join(folder, "encoder.onnx"), filepath.Join(folder, "decoder.onnx")
		for name, args := range map[string][]string{
			"ort": {"--backend", "ort", "--model", folder},
			"process": {
				"--backend", "process", "--backend-opt", "command=" + filepath.Join(built.Dir(), "plugins", "ortprocess"),
				"--model", "encoder=" + encoder, "--model", "decoder=" + decoder,
			},
		} {
			t.Run(name, func(t *testing.T) {
				out := t.TempDir()
				translate(t, folder, append(args, "--out", out, "--force")...).WantCode(t, 0)
				wantTranslated(t, filepath.Join(out, "result.json"), name == "process")
			})
		}
	})
}

// wantTranslated expects all answers of a result to be exact, and few states to leave the backend.
func wantTranslated(t *testing.T, path string, apart bool) {
	t.Helper()
	var doc struct {
		Runs []struct {
			Accuracy struct {
				Metrics []struct {
					Name  string
					Value float64
				}
			}
			Workload struct {
				Info map[string]string `json:"backend_info"`
			}
		}
	}
	testfile.ReadJSON(t, path, &doc)
	m := doc.Runs[0].Accuracy.Metrics
	if len(m) != 1 || m[0].Name != "exact" || m[0].Value != 100 {
		t.Errorf("metrics %+v, want all exact", m)
	}
	copied, err := strconv.Atoi(doc.Runs[0].Workload.Info["state_copied_bytes_per_step"])
	if most := 40 * 2 * 2 * 4 * 16 * 4 * 2; err != nil || copied > most || apart != (copied > 0) {
		t.Errorf("%d bytes are copied at each step (%v), want h and c of 40 sequences at most, and none in one process",
			copied, err)
	}
}

// TestTranslationThatCannotOpen gives missing parts, files that are not parts, and states that would be copied at each
// step.
func TestTranslationThatCannotOpen(t *testing.T) {
	folder := filepath.Join(built.Root(), "backends", "ort", "testdata", "golden", "translation", "beam")
	r := translate(t, folder, "--model", t.TempDir()).WantCode(t, 6)
	harness.WantMessage(t, r, "part encoder")
	twice := t.TempDir()
	encoder, err := os.ReadFile(filepath.Join(folder, "encoder.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"encoder.onnx", "decoder.onnx"} {
		if err := os.WriteFile(filepath.Join(twice, name), encoder, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r = translate(t, folder, "--model", twice).WantCode(t, 6)
	harness.WantMessage(t, r, "decoder: an input of tokens is missing", "output logits is missing", "it has no state")
	many := []string{
		"--batch", "70000", "--count", "4", "--model", folder,
		"--backend", "process", "--backend-opt", "command=" + filepath.Join(built.Dir(), "plugins", "ortprocess"),
	}
	r = translate(t, folder, many...).WantCode(t, 6)
	harness.WantMessage(t, r, "too many bytes are copied at each step", "copy_state=yes")
	translate(t, folder, append(many, "--param", "copy_state=yes")...).WantCode(t, 0)
}
