package models

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestGPU runs benchmarks on the GPUs that PLUMBLINE_GPU names ("cuda:0" or "cuda:0,cuda:1"), with ONNX Runtime's
// library PLUMBLINE_GPU_ORT: answers as accurate as the card's, a VALID run, and its throughput beside that of a bare
// loop through the same plugin.
func TestGPU(t *testing.T) {
	devices, library := os.Getenv("PLUMBLINE_GPU"), os.Getenv("PLUMBLINE_GPU_ORT")
	if devices == "" || library == "" {
		t.Skip("make test-extra OF=gpu names the devices and the library")
	}
	for _, tt := range []struct{ model, scenario, card string }{
		{"resnet50", "Offline", "resnet50/model"}, {"bert-99", "Offline", "bert/model"},
		{"llama3.1-8b", "Offline", "llm/model"}, {"yolo-95", "Offline", "yolo/model"},
		{"3d-unet-brats", "Offline", "unet3d/model/brats"}, {"dlrm-v3", "Offline", "dlrm3/model"},
		{"pointpainting", "SingleStream", "pointpainting/model"},
	} {
		t.Run(tt.model, func(t *testing.T) {
			out := t.TempDir()
			on := []string{"run", tt.model, "--device", devices, "--ort-lib", library, "--quiet", "--out", out}
			harness.Run(t, append(on, "--scenario", tt.scenario, "--mode", "submission")...).WantCode(t, 0)
			var doc struct {
				Runs []struct {
					Mode        string
					Accuracy    *struct{ Metrics []results.Metric }
					Performance *struct {
						Metric struct {
							Value float64
							Unit  string
						}
					}
					Workload struct{ Shares []struct{ Samples uint64 } }
				}
			}
			testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
			for _, run := range doc.Runs {
				if n := strings.Count(devices, ",") + 1; n > 1 && len(run.Workload.Shares) != n {
					t.Errorf("%s: %d devices had a share, want %d", run.Mode, len(run.Workload.Shares), n)
				}
				if run.Accuracy != nil {
					nearCard(t, tt.card, run.Accuracy.Metrics[0])
				}
				if run.Performance != nil {
					m := run.Performance.Metric
					t.Logf("%s %s on %s: %v %s", tt.model, tt.scenario, devices, m.Value, m.Unit)
				}
			}
		})
	}
	t.Run("loop", func(t *testing.T) { bareLoop(t, devices, library) })
}

// nearCard expects a metric within a percent of the FP32 model's card in a folder below plugins.
func nearCard(t *testing.T, folder string, found results.Metric) {
	t.Helper()
	var c results.Card
	testfile.ReadJSON(t, filepath.Join(built.Root(), "plugins", filepath.FromSlash(folder), "card.json"), &c)
	at := slices.IndexFunc(c.Files[0].Metrics, func(m results.Metric) bool { return m.Name == found.Name })
	if at < 0 {
		t.Fatalf("the card in %s has no %s", folder, found.Name)
	}
	if want := c.Files[0].Metrics[at].Value; math.Abs(want-found.Value) > 0.01*math.Abs(want) {
		t.Errorf("%s is %v, and %v by the card in %s", found.Name, found.Value, want, folder)
	}
}

// bareLoop logs the throughput of a closed loop on the same devices.
func bareLoop(t *testing.T, devices, library string) {
	dir := t.TempDir()
	file := filepath.Join(dir, "loop.yaml")
	first, _, _ := strings.Cut(devices, ",")
	testfile.Write(t, file, "runs:\n- {run: resnet50, mlmark: throughput, iterations: 2048, matrix: {batch: [1, 32]}, "+
		"device: '"+first+"', ort-lib: '"+library+"'}\n")
	r := harness.Run(t, "run", file, "--quiet", "--out", filepath.Join(dir, "out")).WantCode(t, 0)
	t.Logf("a bare loop on %s:\n%s", first, r.Stdout)
}

// TestWithoutGPU asks for a GPU with libraries without GPU support, with invalid ones, and with missing ones.
func TestWithoutGPU(t *testing.T) {
	t.Parallel()
	wrong := filepath.Join(t.TempDir(), "libonnxruntime.so")
	testfile.Write(t, wrong, "no library")
	for name, c := range map[string]struct {
		library string
		code    int
		says    string
	}{
		"a library without CUDA": {"", 2, "has only cpu"},
		"a missing library":      {filepath.Join(t.TempDir(), "libonnxruntime.so"), 6, "no such file"},
		"no library":             {wrong, 5, "ONNX Runtime's library cannot be loaded"},
	} {
		t.Run(name, func(t *testing.T) {
			args := []string{"run", "resnet50", "--scenario", "Offline", "--device", "cuda:0", "--quiet", "--json",
				"--out", filepath.Join(t.TempDir(), "out")}
			if c.library != "" {
				args = append(args, "--ort-lib", c.library)
			}
			r := harness.Run(t, args...).WantCode(t, c.code)
			if !strings.Contains(r.Stderr, c.says) {
				t.Errorf("%q is missing in:\n%s", c.says, r.Stderr)
			}
			var doc results.Document
			if r.Stdout != "" && json.Unmarshal([]byte(r.Stdout), &doc) != nil {
				t.Errorf("no JSON:\n%s", r.Stdout)
			}
		})
	}
}
