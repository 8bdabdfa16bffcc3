package retinanet

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// TestGoldenScores scores the official scripts' cases as `harness score` does: annotations, a log, options.
func TestGoldenScores(t *testing.T) {
	for _, model := range []string{"openimages", "coco"} {
		eachCase(t, model, func(t *testing.T, dir string) {
			var want struct {
				Args       []string
				MAP        float64  `json:"mAP_percent"`
				StdoutTail []string `json:"stdout_tail"`
			}
			readExpected(t, dir, &want)
			got := scoreCase(t, dir, map[string]string{"openimages": "retinanet", "coco": "ssd-mobilenet"}[model], want.Args)
			if got.Metrics[0].Value != want.MAP {
				t.Errorf("mAP %v, want %v", got.Metrics[0].Value, want.MAP)
			}
			for line := range strings.Lines(got.OfficialText) {
				if !slices.Contains(want.StdoutTail, strings.TrimSuffix(line, "\n")) {
					t.Errorf("line %q is not one of\n%s", line, strings.Join(want.StdoutTail, "\n"))
				}
			}
		})
	}
}

func scoreCase(t *testing.T, dir, model string, args []string) sdk.Score {
	t.Helper()
	params := map[string]string{}
	for flag, param := range map[string]string{"--use-inv-map": "inverse_map", "--remove-48-empty-images": "remove_empty"} {
		if slices.Contains(args, flag) {
			params[param] = "true"
		}
	}
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Model: model, Dataset: dir, Params: params})
	if err != nil {
		t.Fatal(err)
	}
	addLog(t, s, filepath.Join(dir, "mlperf_log_accuracy.json"))
	got, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func addLog(t *testing.T, s sdk.Scorer, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	log := mllog.NewAccuracyReader(f)
	for {
		e, err := log.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err := errors.Join(err, s.Add(e)); err != nil {
			t.Fatal(err)
		}
	}
}

// outputs are a model's outputs and the payloads that the official post-processing makes of them.
type outputs struct {
	Boxes   json.RawMessage // [pictures][detections][4]
	Pixels  [][]float32     `json:"boxes_xyxy_px"` // of one picture
	Scores  json.RawMessage
	Classes json.RawMessage
	Labels  []float32
	Num     []float32
	IDs     []int
	Hex     []string `json:"payload_hex"`
}

// TestGoldenPayloads turns model outputs into payloads as the official post-processing does.
func TestGoldenPayloads(t *testing.T) {
	forms := map[string]map[string]string{
		"retinanet_onnx":           {"form": "retinanet"},
		"ssd_mobilenet":            {"form": "ssd-mobilenet"},
		"ssd_resnet34_onnx_thr0.5": {"form": "ssd-resnet34"},
		"ssd_resnet34_pt_thr0.05":  {"form": "ssd-resnet34", "threshold": "0.05"},
		"ssd_resnet34_tf_thr0.05":  {"form": "ssd-resnet34-tf"},
	}
	eachCase(t, "postprocess", func(t *testing.T, dir string) {
		var all map[string]json.RawMessage
		readExpected(t, dir, &all)
		for name, params := range forms {
			t.Run(name, func(t *testing.T) {
				var o outputs
				if err := json.Unmarshal(all[name], &o); err != nil {
					t.Fatal(err)
				}
				checkPayloads(t, params, o)
			})
		}
	})
}

func checkPayloads(t *testing.T, params map[string]string, o outputs) {
	t.Helper()
	b, err := bind(params)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorkload(b, backend.Model{}, memory{})
	var samples []sdk.Sample
	for _, id := range o.IDs {
		samples = append(samples, &sample{index: id})
	}
	var p sdk.Payloads
	if err := w.Postprocess(o.tensors(t), samples, &p); err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range p.Len() {
		got = append(got, hex.EncodeToString(p.At(i)))
	}
	if len(o.Hex) == 0 || !slices.Equal(got, o.Hex) {
		t.Errorf("payloads %v, want %v", got, o.Hex)
	}
}

// tensors are the outputs in the shapes of the official files.
func (o outputs) tensors(t *testing.T) []backend.Tensor {
	t.Helper()
	if len(o.Pixels) > 0 {
		labels := make([]int64, len(o.Labels))
		for i, l := range o.Labels {
			labels[i] = int64(l)
		}
		n := int64(len(labels))
		var scores []float32
		decode(t, o.Scores, &scores)
		return []backend.Tensor{tensor(flat(o.Pixels), n, 4), tensor(scores, n), tensor(labels, n)}
	}
	var boxes [][][]float32
	var scores, classes [][]float32
	decode(t, o.Boxes, &boxes)
	decode(t, o.Scores, &scores)
	decode(t, o.Classes, &classes)
	n, rows := int64(len(boxes)), int64(len(boxes[0]))
	tensors := []backend.Tensor{tensor(flat(slices.Concat(boxes...)), n, rows, 4), tensor(flat(scores), n, rows), tensor(flat(classes), n, rows)}
	if o.Num != nil {
		tensors = append(tensors, tensor(o.Num, n))
	}
	return tensors
}

func flat(rows [][]float32) []float32 { return slices.Concat(rows...) }

// tensor makes a tensor of values.
func tensor[T float32 | int64 | int32](values []T, shape ...int64) backend.Tensor {
	dtype := map[any]backend.DType{float32(0): backend.Float32, int64(0): backend.Int64, int32(0): backend.Int32}[any(T(0))]
	return backend.Tensor{Name: "output", DType: dtype, Shape: shape, Data: slices.Clone(backend.Bytes(values))}
}

func decode(t *testing.T, text json.RawMessage, v any) {
	t.Helper()
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatal(err)
	}
}

func readExpected(t *testing.T, dir string, v any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	decode(t, text, v)
}

// eachCase runs check on every case of a kind, of this checkout and, where it is present, of the full set beside it.
func eachCase(t *testing.T, kind string, check func(t *testing.T, dir string)) {
	t.Helper()
	roots := []string{filepath.Join("testdata", "golden")}
	shared := os.Getenv("PLUMBLINE_GOLDEN")
	if shared == "" {
		shared = filepath.Join(projectRoot(t), "..", "shared", "golden")
	}
	if _, err := os.Stat(shared); err == nil {
		roots = append(roots, shared)
	} else {
		t.Run("shared", func(t *testing.T) { t.Skipf("the full set of cases is not there: %v", err) })
	}
	for _, root := range roots {
		cases, err := filepath.Glob(filepath.Join(root, "scorers", kind, "*"))
		if err != nil || len(cases) == 0 && root == shared { // testdata holds the small ones only
			t.Errorf("no cases below %s/scorers/%s: %v", root, kind, err)
		}
		for _, dir := range cases {
			t.Run(filepath.Join(root, kind, filepath.Base(dir)), func(t *testing.T) { check(t, dir) })
		}
	}
}

func projectRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.work above the test's folder")
		}
	}
}
