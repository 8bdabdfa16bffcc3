package resnet50

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/synthetic"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/preprocess/image"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// memory are pictures held in memory.
type memory [][]byte

func (m memory) Len() int          { return len(m) }
func (m memory) Name(i int) string { return "picture" }
func (m memory) Read(i int) ([]byte, error) {
	if m[i] == nil {
		return nil, errors.New("no such file")
	}
	return m[i], nil
}

func openTest(t testing.TB, p pictures) *workload {
	t.Helper()
	return newWorkload(bind(manifesttest.Params(t, New(), "resnet50", false, nil), 224), backend.Model{}, p)
}

func firstPictures(n int) memory {
	m := make(memory, n)
	for i := range m {
		m[i] = synthetic.ImageEval().PNG(i)
	}
	return m
}

func TestLoadPreprocesses(t *testing.T) {
	set := firstPictures(1)
	w := openTest(t, set)
	want := make([]float32, 3*224*224)
	if err := image.Vgg(224, image.NCHW).FromBytes(want, set[0], image.DecodeOptions{}); err != nil {
		t.Fatal(err)
	}
	for range 3 { // the later ones in recycled memory
		s, err := w.Load(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bytesOf(s), backend.Bytes(want)) {
			t.Fatal("the sample is not the recipe's output")
		}
		if err := errors.Join(s.Close(), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	good := firstPictures(1)[0]
	w := openTest(t, memory{good, nil, {}, []byte("no picture"), good[:len(good)/2]})
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
	w := openTest(t, firstPictures(3))
	var samples []*sample
	var all []byte
	for i := range w.Len() {
		s, err := w.Load(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		samples = append(samples, s)
		all = append(all, bytesOf(s)...)
	}
	b := sdk.NewBatch(w.Parts()[0].Model.Inputs)
	for _, n := range []int{3, 1, 2} {
		if err := w.Collate(samples[:n], b); err != nil {
			t.Fatal(err)
		}
		in := b.Tensors()[0]
		if want := []int64{int64(n), 3, 224, 224}; !slices.Equal(in.Shape, want) ||
			!bytes.Equal(in.Data, all[:len(all)/3*n]) {
			t.Errorf("batch of %d: shape %v, want %v; or other contents than the samples'", n, in.Shape, want)
		}
		if shared := &in.Data[0] == &bytesOf(samples[0])[0]; shared != (n == 1) {
			t.Errorf("batch of %d: refers to the sample's memory: %v", n, shared)
		}
	}
}

func TestWarmSampleIsBlank(t *testing.T) {
	w := openTest(t, firstPictures(1))
	s, err := w.Load(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if blank := bytesOf(w.WarmSample()); len(blank) != 4*3*224*224 || len(bytes.Trim(blank, "\x00")) != 0 {
		t.Error("want an input of zeros")
	}
}

func TestPostprocessWantsOneOutput(t *testing.T) {
	w := openTest(t, firstPictures(1))
	s := w.WarmSample()
	if err := w.Postprocess(nil, []*sample{s}, new(sdk.Payloads)); !errors.Is(err, errOutput) {
		t.Errorf("got %v, want %v", err, errOutput)
	}
}

// TestSamplesToScore runs the embedded pictures through a session that is right except for two of ten.
func TestSamplesToScore(t *testing.T) {
	const n = 10
	opened, err := New().Open(t.Context(), sdk.Options{Count: n, ModelFile: manifesttest.ModelFile(t)})
	if err != nil {
		t.Fatal(err)
	}
	if opened.Len() != n {
		t.Fatalf("%d samples, want %d", opened.Len(), n)
	}
	score, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Count: n})
	if err != nil {
		t.Fatal(err)
	}
	b := sdk.NewBatch(opened.Parts()[0].Model.Inputs)
	for i := range n {
		s, err := opened.Load(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		if err := opened.(sdk.Batcher).Collate([]sdk.Sample{s}, b); err != nil {
			t.Fatal(err)
		}
		class := int64(synthetic.ImageEval().Label(i)) + 1
		if i%5 == 0 {
			class++
		}
		var p sdk.Payloads
		if err := opened.(sdk.Batcher).Postprocess([]backend.Tensor{classTensor(class)}, []sdk.Sample{s}, &p); err != nil {
			t.Fatal(err)
		}
		if err := score.Add(mllog.AccuracyEntry{SeqID: uint64(i), QSLIndex: uint64(i), Data: p.At(0)}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := score.Result()
	if err != nil {
		t.Fatal(err)
	}
	if want := "accuracy=80.000%, good=8, total=10"; strings.TrimSpace(got.OfficialText) != want ||
		got.Metrics[0].Value != 80 || got.Samples != n {
		t.Errorf("got %+v, want %s", got, want)
	}
	if err := opened.Close(); err != nil {
		t.Error(err)
	}
}

func BenchmarkLoad(b *testing.B) {
	w := openTest(b, firstPictures(1))
	b.ReportAllocs()
	for b.Loop() {
		s, err := w.Load(b.Context(), 0)
		if err != nil {
			b.Fatal(err)
		}
		_ = s.Close()
	}
}

func TestClientWork(t *testing.T) {
	for name, c := range map[string]struct {
		binding
		want int
	}{
		"a class from 0":       {binding{}, 0},
		"a class with offset":  {binding{offset: 1}, 1},
		"scores":               {binding{scores: true}, 1},
		"scores and an offset": {binding{scores: true, offset: 1}, 2},
	} {
		if work := (&workload{binding: c.binding}).ClientWork(nil, nil, 1); len(work) != c.want {
			t.Errorf("%s: %q, want %d", name, work, c.want)
		}
	}
}
