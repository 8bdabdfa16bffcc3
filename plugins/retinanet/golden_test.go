package retinanet

import (
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// TestGoldenScores scores the official scripts' cases as `harness score` does: annotations, a log, options.
func TestGoldenScores(t *testing.T) {
	for _, model := range []string{"openimages", "coco"} {
		golden.Each(t, "scorers/"+model+"/*/expected.json", func(t *testing.T, path string) {
			var want struct {
				Args       []string
				MAP        float64  `json:"mAP_percent"`
				StdoutTail []string `json:"stdout_tail"`
			}
			golden.ReadJSON(t, path, &want)
			got := scoreCase(t, filepath.Dir(path), map[string]string{"openimages": "retinanet", "coco": "ssd-mobilenet"}[model],
				want.Args)
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
	for flag, param := range map[string]string{
		"--use-inv-map": "inverse_map", "--remove-48-empty-images": "remove_empty",
	} {
		if slices.Contains(args, flag) {
			params[param] = "true"
		}
	}
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Model: model, Dataset: dir, Params: params})
	if err != nil {
		t.Fatal(err)
	}
	return sdktest.Score(t, s, filepath.Join(dir, "mlperf_log_accuracy.json"))
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
	golden.Each(t, "scorers/postprocess/*/expected.json", func(t *testing.T, path string) {
		var all map[string]json.RawMessage
		golden.ReadJSON(t, path, &all)
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
	w := newRetinanetWorkload(bound(t, params), backend.Model{}, nil)
	var samples []*pictures.PictureSample
	for _, id := range o.IDs {
		samples = append(samples, &pictures.PictureSample{Index: id})
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
	tensors := []backend.Tensor{tensor(flat(slices.Concat(boxes...)), n, rows, 4), tensor(flat(scores), n, rows),
		tensor(flat(classes), n, rows)}
	if o.Num != nil {
		tensors = append(tensors, tensor(o.Num, n))
	}
	return tensors
}

func flat(rows [][]float32) []float32 { return slices.Concat(rows...) }

// tensor makes a tensor of values.
func tensor[T float32 | int64 | int32](values []T, shape ...int64) backend.Tensor {
	dtype := map[any]backend.DType{
		float32(0): backend.Float32, int64(0): backend.Int64, int32(0): backend.Int32,
	}[any(T(0))]
	return backend.Tensor{Name: "output", DType: dtype, Shape: shape, Data: slices.Clone(backend.Bytes(values))}
}

func decode(t *testing.T, text json.RawMessage, v any) {
	t.Helper()
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatal(err)
	}
}
