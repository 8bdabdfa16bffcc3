package retinanet

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/plugins/internal/detection"
	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

func openTest(t *testing.T, form string) *retinanetWorkload {
	t.Helper()
	return newRetinanetWorkload(bound(t, map[string]string{"form": form, "size": "48"}), backend.Model{}, nil)
}

// answers runs Postprocess for samples 5, 6 ...
func answers(w *retinanetWorkload, n int, outputs ...backend.Tensor) ([][]float32, error) {
	var samples []*pictures.PictureSample
	for i := range n {
		samples = append(samples, &pictures.PictureSample{Index: 5 + i})
	}
	var p sdk.Payloads
	if err := w.Postprocess(outputs, samples, &p); err != nil {
		return nil, err
	}
	var all [][]float32
	for i := range p.Len() {
		var values []float32
		for b := p.At(i); len(b) > 0; b = b[4:] {
			values = append(values, math.Float32frombits(binary.LittleEndian.Uint32(b)))
		}
		all = append(all, values)
	}
	return all, nil
}

func TestPostprocess(t *testing.T) {
	box := []float32{12, 24, 36, 48}
	two := slices.Concat(box, box)
	type result struct {
		outputs []backend.Tensor
		want    [][]float32
	}
	first := []float32{5, 0.5, 0.25, 1, 0.75, 0.9, 7}
	cases := map[string]result{
		"pixels, x first": {
			[]backend.Tensor{tensor(box, 1, 4), tensor([]float32{0.9}, 1), tensor([]int64{7}, 1)}, [][]float32{first},
		},
		"int32 labels, a batch axis": {
			[]backend.Tensor{tensor(box, 1, 1, 4), tensor([]float32{0.9}, 1, 1), tensor([]int32{7}, 1, 1)}, [][]float32{first},
		},
		"ends at the first low score": {
			[]backend.Tensor{tensor(slices.Concat(two, box), 3, 4), tensor([]float32{0.9, 0.04, 0.8}, 3),
				tensor([]int64{7, 1, 1}, 3)},
			[][]float32{first},
		},
		"a score on the threshold stays": {
			[]backend.Tensor{tensor(box, 1, 4), tensor([]float32{0.050000001}, 1), tensor([]int64{7}, 1)},
			[][]float32{{5, 0.5, 0.25, 1, 0.75, 0.05, 7}},
		},
		"nothing found": {
			[]backend.Tensor{tensor([]float32{}, 0, 4), tensor([]float32{}, 0), tensor([]int64{}, 0)}, [][]float32{nil},
		},
	}
	w := openTest(t, "retinanet")
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := answers(w, 1, c.outputs...)
			if err != nil || !slices.EqualFunc(got, c.want, slices.Equal) {
				t.Errorf("%v, %v; want %v", got, err, c.want)
			}
		})
	}
}

func TestPostprocessCounts(t *testing.T) {
	boxes := tensor([]float32{0.1, 0.2, 0.3, 0.4, 0, 0, 1, 1, 0.5, 0.6, 0.7, 0.8, 0, 0, 1, 1}, 2, 2, 4)
	scores, labels := tensor([]float32{0.01, 0.9, 0.8, 0.7}, 2, 2), tensor([]float32{1, 2, 3, 4}, 2, 2)
	got, err := answers(openTest(t, "ssd-mobilenet"), 2, boxes, scores, labels, tensor([]float32{1, 0}, 2))
	want := [][]float32{{5, 0.1, 0.2, 0.3, 0.4, 0.01, 1}, nil}
	if err != nil || !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v, %v; want %v: as many as the model counts, whatever the score", got, err, want)
	}
}

func TestPostprocessRefuses(t *testing.T) {
	box, score, label := tensor(make([]float32, 8), 2, 4), tensor([]float32{0.9, 0.8}, 2), tensor([]int64{1, 2}, 2)
	nan := float32(math.NaN())
	cases := []struct {
		name, form string
		n          int
		outputs    []backend.Tensor
		want       []string
	}{
		{"two outputs", "retinanet", 1, []backend.Tensor{box, score}, []string{"2 outputs, want 3"}},
		{"no batch axis", "retinanet", 2, []backend.Tensor{box, score, label},
			[]string{"[2,4]", "batch of 2", "a batch of 1"}},
		{"boxes of five", "retinanet", 1, []backend.Tensor{tensor(make([]float32, 10), 2, 5), score, label},
			[]string{"[2,5]", "[1,N,4]"}},
		{
			"all lengths at once", "ssd-mobilenet", 1,
			[]backend.Tensor{tensor(make([]float32, 8), 1, 2, 4), tensor([]float32{1}, 1), tensor([]int64{1, 2, 3}, 3),
				tensor([]float32{}, 0)},
			[]string{"want 2 float32", "want 2 values", "want 1 values"},
		},
		{
			"labels of bytes", "retinanet", 1,
			[]backend.Tensor{box, score, {Name: "labels", DType: backend.Uint8, Shape: []int64{2}, Data: []byte{1, 2}}},
			[]string{`"labels" is uint8`},
		},
		{"no number", "retinanet", 1, []backend.Tensor{box, tensor([]float32{0.9, nan}, 2), label},
			[]string{"sample 5", "detection 1", "not a number"}},
		{
			"a count beyond", "ssd-mobilenet", 1,
			[]backend.Tensor{tensor(make([]float32, 8), 1, 2, 4), tensor([]float32{1, 1}, 1, 2), tensor([]float32{1, 1}, 1, 2),
				tensor([]float32{3}, 1)},
			[]string{"3 detections of the 2"},
		},
		{
			"a count of no number", "ssd-mobilenet", 1,
			[]backend.Tensor{tensor(make([]float32, 8), 1, 2, 4), tensor([]float32{1, 1}, 1, 2), tensor([]float32{1, 1}, 1, 2),
				tensor([]float32{nan}, 1)},
			[]string{"NaN detections"},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := answers(openTest(t, c.form), c.n, c.outputs...)
			sdktest.WantError(t, err, c.want...)
			if !errors.Is(err, detection.ErrOutput) {
				t.Errorf("%v is not %v", err, detection.ErrOutput)
			}
		})
	}
}

func TestClientWork(t *testing.T) {
	for name, want := range map[string]int{"retinanet": 4, "ssd-mobilenet": 2, "ssd-resnet34": 3, "ssd-resnet34-tf": 2} {
		if work := openTest(t, name).ClientWork(nil, nil, 1); len(work) != want {
			t.Errorf("%s: %q, want %d", name, work, want)
		}
	}
}
