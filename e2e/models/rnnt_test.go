package models

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// TestSpeechRunsInAllScenarios runs RNN-T as a new user does.
func TestSpeechRunsInAllScenarios(t *testing.T) {
	out := t.TempDir()
	harness.Run(t, "run", "rnnt", "--mode", "submission", "--count", "40", "--set", "Server.target_qps=100", "--set",
		"Server.target_latency=60000", "--out", out, "--force").WantCode(t, 0)
	var doc results.Document
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
	valid := 0
	for _, run := range doc.Runs {
		if run.Performance != nil && run.Performance.Valid {
			valid++
		}
	}
	if len(doc.Runs) != 6 || valid != 3 {
		t.Errorf("%d runs, %d of them VALID: want three scenarios in two modes, all VALID: %+v", len(doc.Runs), valid, doc)
	}
	harness.Run(t, "score", out).WantCode(t, 0)
}

// TestUntimedFeaturesAreOpen: features that are made before the run are not allowed in the closed division.
func TestUntimedFeaturesAreOpen(t *testing.T) {
	r := harness.Run(t, "run", "rnnt", "--param", "features=untimed", "--mode", "accuracy", "--scenario", "Offline",
		"--count", "4", "--out", t.TempDir()).WantCode(t, 0)
	harness.WantParts(t, r.Stdout, "division  open", "features=untimed")
}

// rnntFiles writes the three parts of RNN-T to a folder.
func rnntFiles(t *testing.T, encoder, prediction, joint *onnxfile.Graph) string {
	t.Helper()
	dir := t.TempDir()
	for name, graph := range map[string]*onnxfile.Graph{"encoder": encoder, "prediction": prediction, "joint": joint} {
		if err := graph.Write(filepath.Join(dir, name+".onnx")); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestPartsOfRNNTThatDoNotFit runs models with one faulty part: each is refused before the run, with the remedy.
func TestPartsOfRNNTThatDoNotFit(t *testing.T) {
	encoder, joint := tinymodel.RNNTEncoder(), tinymodel.RNNTJoint("the")
	embedded := tinymodel.RNNTPrediction(tinymodel.RNNTStart)
	narrow := tinymodel.RNNTJoint("the")
	narrow.Inputs[0].Shape[2] = 120
	for name, c := range map[string]struct {
		dir  string
		want []string
	}{
		"no row for the start": {rnntFiles(t, encoder, tinymodel.RNNTPrediction(tinymodel.RNNTStart-1), joint),
			[]string{"symbol 28", "append a row of zeros"}},
		"another encoder": {rnntFiles(t, encoder, embedded, narrow), []string{"240 values, the joint network takes 120"}},
		"exchanged":       {rnntFiles(t, encoder, joint, embedded), []string{"prediction", `"symbol" is missing`}},
	} {
		r := harness.Run(t, "run", "rnnt", "--model", c.dir, "--mode", "accuracy", "--scenario", "Offline", "--count", "2",
			"--out", t.TempDir())
		if text := strings.Join(strings.Fields(r.Both()), " "); r.Code == 0 || strings.Contains(text, "panic") {
			t.Errorf("%s: exit code %d: %s", name, r.Code, text)
		} else {
			harness.WantParts(t, text, c.want...)
		}
	}
}
