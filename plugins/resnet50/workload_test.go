package resnet50

import (
	"errors"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/synthetic"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
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

func openTest(t testing.TB, p pictures.PictureSet) *classifierWorkload {
	t.Helper()
	return newClassifierWorkload(bindClassifier(manifesttest.Params(t, New(), "resnet50", false, nil), 224),
		backend.Model{}, p)
}

func firstPictures(n int) memory {
	m := make(memory, n)
	for i := range m {
		m[i] = synthetic.ImageEval().PNG(i)
	}
	return m
}

func TestPostprocessWantsOneOutput(t *testing.T) {
	w := openTest(t, firstPictures(1))
	s := w.WarmSample()
	if err := w.Postprocess(nil, []*pictures.PictureSample{s}, new(sdk.Payloads)); !errors.Is(err, errOutput) {
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
		classifierBinding
		want int
	}{
		"a class from 0":       {classifierBinding{}, 0},
		"a class with offset":  {classifierBinding{Offset: 1}, 1},
		"scores":               {classifierBinding{Scores: true}, 1},
		"scores and an offset": {classifierBinding{Scores: true, Offset: 1}, 2},
	} {
		if work := (&classifierWorkload{classifierBinding: c.classifierBinding}).ClientWork(nil, nil,
			1); len(work) != c.want {
			t.Errorf("%s: %q, want %d", name, work, c.want)
		}
	}
}
