package models

import (
	"bufio"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/testkit/slow"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
	"golang.org/x/sys/cpu"
)

// quickCards are the benchmarks whose cards make test compares: questions, clicks, translations and news. make demo
// compares pictures.
var quickCards = []string{"bert", "dlrm", "gnmt", "llm"}

// TestEmbeddedModelScoresAsItsCardSays measures the accuracy of the embedded models on their whole data sets and
// compares it with the model cards: in make test one precision of quickCards, FP32 and INT8 in turn; in make test-all
// both, of all models. In TestRealData every benchmark scores small files.
func TestEmbeddedModelScoresAsItsCardSays(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(built.Root(), "plugins", "*", "model", "card.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no model cards: %v", err)
	}
	for i, path := range paths {
		turn := []string{"fp32", "int8"}[i%2]
		var c results.Card
		testfile.ReadJSON(t, path, &c)
		benchmark := filepath.Base(filepath.Dir(filepath.Dir(path)))
		measured := map[string]bool{} // a model of several parts counts once for each precision
		for _, file := range c.Files {
			models := file.Models
			if len(models) == 0 {
				models = map[string][]results.Metric{benchmark: file.Metrics}
			}
			for _, model := range slices.Sorted(maps.Keys(models)) {
				if !measured[file.Precision] {
					t.Run(model+"/"+file.Precision, func(t *testing.T) {
						if file.Precision != turn || !slices.Contains(quickCards, benchmark) {
							slow.Skip(t)
						}
						checkCard(t, model, file.Precision, models[model])
					})
				}
			}
			measured[file.Precision] = true
		}
		if c.StandIn == "" && (!measured["fp32"] || !measured["int8"] || len(measured) != 2) {
			t.Errorf("the card of %s has files of %v, want fp32 and int8", benchmark, slices.Sorted(maps.Keys(measured)))
		}
	}
}

// sameFigure is the maximal relative difference between a metric and its card. The cards' figures come from a processor
// with AVX-512 VNNI. There, answers are the same, and only means over them are summed in another order. ONNX Runtime
// has other kernels for other processors; with AVX2 alone those for INT8 saturate.
func sameFigure() float64 {
	if cpu.X86.HasAVX512VNNI {
		return 1e-12
	}
	return 1e-2
}

func checkCard(t *testing.T, model, precision string, metrics []results.Metric) {
	out := t.TempDir()
	scenario := "Offline"
	if m, ok := manifestModels(t)[model]; ok && !slices.Contains(m.Scenarios, scenario) {
		scenario = m.Scenarios[0]
	}
	args := []string{"run", model, "--precision", precision, "--mode", "accuracy", "--scenario", scenario,
		"--out", out, "--force"}
	harness.Run(t, args...).WantCode(t, 0)
	var doc results.Document
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
	if len(doc.Runs) != 1 || doc.Runs[0].Accuracy == nil {
		t.Fatalf("result.json: %+v, want one accuracy run", doc)
	}
	measured := map[string]float64{}
	for _, m := range doc.Runs[0].Accuracy.Metrics {
		measured[m.Name] = m.Value
	}
	// The card has the metrics of all models that the embedded one replaces.
	compared := 0
	for _, m := range metrics {
		got, ok := measured[m.Name]
		if !ok {
			continue
		}
		compared++
		if math.Abs(got-m.Value) > sameFigure()*math.Abs(m.Value) {
			t.Errorf("%s = %v, the card says %v", m.Name, got, m.Value)
		}
	}
	if compared == 0 {
		t.Errorf("no metric of the card %v is among those of the run %v", metrics, measured)
	}
}

// TestSingleStreamEndsWithAVerdict checks the output tree of a performance run.
func TestSingleStreamEndsWithAVerdict(t *testing.T) {
	slow.Skip(t) // make demo makes the same run
	out := t.TempDir()
	r := harness.Run(t, "run", "resnet50", "--scenario", "SingleStream", "--mode", "performance", "--out", out,
		"--force").WantCode(t, 0)
	if !strings.Contains(r.Stdout, "VALID (smoke)") {
		t.Errorf("no VALID (smoke) in:\n%s", r.Stdout)
	}
	for _, name := range []string{"mlperf_log_summary.txt", "mlperf_log_detail.txt", "mlperf_log_accuracy.json",
		"mlperf_log_trace.json"} {
		if _, err := os.Stat(filepath.Join(out, "resnet50", "SingleStream", "performance", "run_1", name)); err != nil {
			t.Error(err)
		}
	}
}

// TestGoldenPhotoPredictions runs a real ImageNet model on real photographs: every prediction equals the official
// Python reference's.
func TestGoldenPhotoPredictions(t *testing.T) {
	model, photos := realModel(t)
	out := t.TempDir()
	harness.Run(t, "run", "resnet50", "--model", model, "--dataset", photos, "--mode", "accuracy", "--scenario", "Offline",
		"--out", out, "--force").WantCode(t, 0)
	checkPredictions(t, photos, filepath.Join(out, "resnet50", "Offline", "accuracy", "mlperf_log_accuracy.json"))
}

// realModel is an ImageNet model and 300 photographs, if the folder with them is beside the checkout.
func realModel(t *testing.T) (model, photos string) {
	t.Helper()
	shared := filepath.Join(filepath.Dir(built.Root()), "shared")
	model, photos = filepath.Join(shared, "models", "imagenet_lite0.onnx"), filepath.Join(shared, "data", "photos")
	if _, err := os.Stat(model); err != nil {
		t.Skipf("no real model to run: %v", err)
	}
	return model, photos
}

// checkPredictions expects every photograph in an accuracy log, with the class that the official Python reference
// predicts.
func checkPredictions(t *testing.T, photos, log string) {
	t.Helper()
	names := columns(t, filepath.Join(photos, "val_map.txt"))
	want := columns(t, filepath.Join(photos, "reference_predictions.txt"))
	reference := make(map[string]string, len(want))
	for _, row := range want {
		reference[row[0]] = row[1]
	}
	got := results.LoggedClasses(t, log)
	if len(got) != len(names) || len(got) != 300 {
		t.Fatalf("%d predictions for %d photos, want 300", len(got), len(names))
	}
	for index, class := range got {
		name := names[index][0]
		text := json.Number(reference[name])
		if expected, err := text.Float64(); err != nil || expected != class {
			t.Errorf("%s: predicted %v, the reference %q", name, class, reference[name])
		}
	}
}

// columns splits each line of a file at white space.
func columns(t *testing.T, path string) [][]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var rows [][]string
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if fields := strings.Fields(lines.Text()); len(fields) > 0 {
			rows = append(rows, fields)
		}
	}
	return rows
}
