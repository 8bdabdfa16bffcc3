package models

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// transducer is a model in the form of another toolkit.
type transducer struct {
	form, tokens string
	parts        map[string]*onnxfile.Graph
}

func transducers() []transducer {
	return []transducer{
		{"nemo", tinymodel.NeMoTokens, map[string]*onnxfile.Graph{
			"encoder": tinymodel.NeMoEncoder(), "prediction": tinymodel.NeMoDecoder(),
		}},
		{"icefall", tinymodel.IcefallTokens, map[string]*onnxfile.Graph{
			"encoder": tinymodel.IcefallEncoder(), "prediction": tinymodel.IcefallDecoder(), "joint": tinymodel.IcefallJoiner(),
		}},
	}
}

// run runs it on clips of the synthetic set, with a text of its tokens.
func (m transducer) run(t *testing.T, tokens, out string) harness.Result {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "tokens.txt")
	if err := os.WriteFile(path, []byte(tokens), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, graph := range m.parts {
		if err := graph.Write(filepath.Join(dir, name+".onnx")); err != nil {
			t.Fatal(err)
		}
	}
	return harness.Run(t, "run", "rnnt", "--model", dir, "--param", "interface="+m.form, "--param", "tokens="+path,
		"--mode", "accuracy", "--scenario", "Offline", "--count", "20", "--out", out)
}

// TestTransducersOfOtherToolkits: models in the forms of NeMo and icefall recognize the texts, and belong to the open
// division.
func TestTransducersOfOtherToolkits(t *testing.T) {
	for _, m := range transducers() {
		out := filepath.Join(t.TempDir(), "out")
		r := m.run(t, m.tokens, out).WantCode(t, 0)
		harness.WantParts(t, r.Stdout, "division  open", "interface="+m.form)
		var doc results.Document
		testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
		if got, want := doc.Runs[0].Accuracy.Metrics[0].Value, heard("the", speechClips); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: accuracy %v, want %v", m.form, got, want)
		}
	}
}

// TestTokensThatAreWrong: a symbol beyond the tokens, and a file without tokens.
func TestTokensThatAreWrong(t *testing.T) {
	for _, m := range transducers() {
		for tokens, want := range map[string]string{
			"\u2581t 0\n": "says a symbol that its tokens do not have", "no number\n": `line 1 is "no number"`,
		} {
			r := m.run(t, tokens, filepath.Join(t.TempDir(), "out"))
			if r.Code == 0 || !strings.Contains(r.Both(), want) {
				t.Errorf("%s: exit code %d, want %q in:\n%s", m.form, r.Code, want, r.Both())
			}
		}
	}
}
