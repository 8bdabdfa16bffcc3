package retinanet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/synthetic/scenes"
	"github.com/plumbline-ml/plumbline/preprocess/image"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// memory are pictures held in memory.
type memory [][]byte

func (m memory) Len() int        { return len(m) }
func (m memory) Name(int) string { return "picture" }
func (m memory) Read(i int) ([]byte, error) {
	if m[i] == nil {
		return nil, errors.New("no such file")
	}
	return m[i], nil
}

func openTest(t *testing.T, form string, p pictures) *workload {
	t.Helper()
	return newWorkload(bound(t, map[string]string{"form": form, "size": "48"}), backend.Model{}, p)
}

func firstPictures(n int) memory {
	m := make(memory, n)
	for i := range m {
		m[i] = scenes.Eval().PNG(i)
	}
	return m
}

func dataOf(s *sample) []byte { return s.data }

func TestLoadPreprocesses(t *testing.T) {
	set := firstPictures(1)
	floats, levels := make([]float32, 3*48*48), make([]byte, 3*48*48)
	err := errors.Join(
		image.Retinanet(48, image.NCHW).FromBytes(floats, set[0], image.DecodeOptions{}),
		image.CocoMobilenet(48).FromBytesUint8(levels, set[0], image.DecodeOptions{}),
	)
	if err != nil {
		t.Fatal(err)
	}
	for form, want := range map[string][]byte{"retinanet": backend.Bytes(floats), "ssd-mobilenet": levels} {
		w := openTest(t, form, set)
		for range 3 { // the later ones in recycled memory
			s, err := w.Load(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(dataOf(s), want) {
				t.Fatalf("%s: the sample is not the recipe's output", form)
			}
			if err := errors.Join(s.Close(), s.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	good := firstPictures(1)[0]
	w := openTest(t, "retinanet", memory{good, nil, {}, []byte("no picture"), good[:len(good)/2]})
	cases := []struct {
		name   string
		sample int
		want   string
	}{
		{"unreadable", 1, "no such file"},
		{"empty", 2, "sample 2 (picture)"},
		{"not a picture", 3, "sample 3 (picture)"},
		{"truncated", 4, "sample 4 (picture)"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := w.Load(t.Context(), c.sample)
			sdktest.WantError(t, err, c.want)
		})
	}
}

func TestCollate(t *testing.T) {
	shapes := map[string][]int64{"retinanet": {3, 48, 48}, "ssd-mobilenet": {48, 48, 3}}
	for form, dims := range shapes {
		w := openTest(t, form, firstPictures(3))
		var samples []*sample
		var all []byte
		for i := range w.Len() {
			s, err := w.Load(t.Context(), i)
			if err != nil {
				t.Fatal(err)
			}
			samples = append(samples, s)
			all = append(all, dataOf(s)...)
		}
		b := sdk.NewBatch(w.Parts()[0].Model.Inputs)
		for _, n := range []int{3, 1, 2} {
			if err := w.Collate(samples[:n], b); err != nil {
				t.Fatal(err)
			}
			in := b.Tensors()[0]
			if want := slices.Concat([]int64{int64(n)}, dims); !slices.Equal(in.Shape, want) ||
				!bytes.Equal(in.Data, all[:len(all)/3*n]) {
				t.Errorf("%s, batch of %d: shape %v, want %v; or other contents than the samples'", form, n, in.Shape, want)
			}
			if shared := &in.Data[0] == &dataOf(samples[0])[0]; shared != (n == 1) {
				t.Errorf("%s, batch of %d: refers to the sample's memory: %v", form, n, shared)
			}
		}
	}
}

func TestWarmSampleIsBlank(t *testing.T) {
	w := openTest(t, "retinanet", firstPictures(1))
	s, err := w.Load(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if blank := dataOf(w.WarmSample()); len(blank) != 4*3*48*48 || len(bytes.Trim(blank, "\x00")) != 0 {
		t.Error("want an input of zeros")
	}
}

// answers runs Postprocess for samples 5, 6 ...
func answers(w *workload, n int, outputs ...backend.Tensor) ([][]float32, error) {
	var samples []*sample
	for i := range n {
		samples = append(samples, &sample{index: 5 + i})
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
	w := openTest(t, "retinanet", memory{})
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
	got, err := answers(openTest(t, "ssd-mobilenet", memory{}), 2, boxes, scores, labels, tensor([]float32{1, 0}, 2))
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
			_, err := answers(openTest(t, c.form, memory{}), c.n, c.outputs...)
			sdktest.WantError(t, err, c.want...)
			if !errors.Is(err, errOutput) {
				t.Errorf("%v is not %v", err, errOutput)
			}
		})
	}
}

func TestClientWork(t *testing.T) {
	for name, want := range map[string]int{"retinanet": 4, "ssd-mobilenet": 2, "ssd-resnet34": 3, "ssd-resnet34-tf": 2} {
		form, ok := forms()[name]
		if !ok {
			t.Fatalf("no form %s", name)
		}
		if work := (&workload{binding: binding{form: form}}).ClientWork(nil, nil, 1); len(work) != want {
			t.Errorf("%s: %q, want %d", name, work, want)
		}
	}
}
