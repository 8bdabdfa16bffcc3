package bert

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	accuracy "github.com/plumbline-ml/plumbline/accuracy/squad"
	"github.com/plumbline-ml/plumbline/datasets/squad"
	"github.com/plumbline-ml/plumbline/internal/synthetic/questions"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// folder writes a data set of n passages in the official layout, without a vocabulary.
func folder(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	var b bytes.Buffer
	if err := squad.WriteFile(&b, questions.Eval().Paragraphs(0, n)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, squad.FileName), b.Bytes())
	return dir
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestBenchmark(t *testing.T) { manifesttest.Run(t, New()) }

func TestModels(t *testing.T) {
	scenarios := []loadgen.Scenario{loadgen.SingleStream, loadgen.Server, loadgen.Offline}
	var names []string
	for _, m := range New().Describe().Models {
		names = append(names, m.Name)
		if m.LoadGenKey != "bert" || m.RulesKey != m.Name || !slices.Equal(m.Scenarios, scenarios) {
			t.Errorf("%s: LoadGen key %q, rules key %q, scenarios %v", m.Name, m.LoadGenKey, m.RulesKey, m.Scenarios)
		}
		if len(m.Datasets) != 2 || m.Datasets[1].Samples != 10833 || m.Datasets[1].PerformanceSampleCount != 10833 {
			t.Errorf("%s: data sets %+v, want the embedded one and squad", m.Name, m.Datasets)
		}
	}
	if want := []string{"bert-99", "bert-99.9"}; !slices.Equal(names, want) {
		t.Errorf("models %v, want %v: the first is the default", names, want)
	}
}

// TestOpenFindsTheVocabulary opens one data set with the vocabulary in each of its places.
func TestOpenFindsTheVocabulary(t *testing.T) {
	beside, reference, elsewhere := folder(t, 3), folder(t, 3), folder(t, 3)
	write(t, filepath.Join(beside, "vocab.txt"), vocab(t))
	write(t, filepath.Join(reference, "bert_tf_v1_1_large_fp32_384_v2", "vocab.txt"), vocab(t))
	named := filepath.Join(t.TempDir(), "words.txt")
	write(t, named, vocab(t))
	want := load(t, openEmbedded(t, 12, nil), 5)[0]
	cases := []struct{ dataset, vocab string }{
		{beside, ""}, {filepath.Join(beside, squad.FileName), ""}, {reference, ""}, {elsewhere, named},
		{elsewhere, "embedded"}, {"", named},
	}
	for _, c := range cases {
		w, err := New().Open(t.Context(), sdk.Options{
			ModelFile: manifesttest.ModelFile(t), Dataset: c.dataset, Params: map[string]string{"vocab": c.vocab},
		})
		if err != nil {
			t.Fatal(err)
		}
		own, _ := sdk.As[*questionWorkload](w)
		if got := load(t, own, 5)[0]; !slices.Equal(got.Row(0), want.Row(0)) {
			t.Errorf("%+v: other tokens", c)
		}
	}
}

func TestOpenReportsEveryFault(t *testing.T) {
	dir := folder(t, 1)
	broken := t.TempDir()
	write(t, filepath.Join(broken, squad.FileName), []byte(`{"data": [{}, {"paragraphs": [{}]}]}`))
	write(t, filepath.Join(broken, "vocab.txt"), []byte("a\nb\n"))
	blank := t.TempDir()
	write(t, filepath.Join(blank, squad.FileName),
		[]byte(`{"data": [{"paragraphs": [{"context": " ", "qas": [{"id": "1", "question": "q", "answers": []}]}]}]}`))
	cases := []struct {
		name  string
		o     sdk.Options
		class error
		want  []string
	}{
		{"no data set", sdk.Options{Dataset: "none"}, sdk.ErrData,
			[]string{"none", squad.FileName, "looked for", "vocab.txt"}},
		{"no vocabulary", sdk.Options{Dataset: dir}, sdk.ErrData, []string{"looked for", "parameter vocab"}},
		{"no such vocabulary", sdk.Options{Params: map[string]string{"vocab": "none.txt"}}, sdk.ErrData,
			[]string{"none.txt", "embedded"}},
		{"embedded model, other data", sdk.Options{
			Dataset: dir, Params: map[string]string{"vocab": filepath.Join(broken, "vocab.txt")},
		}, sdk.ErrData, []string{"no line [UNK]"}},
		{"nothing to ask about", sdk.Options{Dataset: blank, Params: map[string]string{"vocab": "embedded"}}, sdk.ErrData,
			[]string{"no passage has any text"}},
		{
			"all at once",
			sdk.Options{Precision: "int4", Dataset: broken, Params: map[string]string{"size": "299", "sequence": "best"}},
			sdk.ErrUsage,
			[]string{`"int4"`, `"size"`, `"best"`, "data[0]", `"context"`, "no line [CLS]"},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := New().Open(t.Context(), c.o)
			sdktest.WantError(t, err, c.want...)
			if !errors.Is(err, c.class) {
				t.Errorf("error %q, want one of class %v", err, c.class)
			}
		})
	}
}

// TestTheEmbeddedModelKeepsItsVocabulary refuses ids that the model gives another meaning.
func TestTheEmbeddedModelKeepsItsVocabulary(t *testing.T) {
	dir := folder(t, 1)
	write(t, filepath.Join(dir, "vocab.txt"), vocab(t))
	_, err := New().Open(t.Context(), sdk.Options{Dataset: dir})
	sdktest.WantError(t, err, "vocab=embedded")
	if _, err := New().Open(t.Context(), sdk.Options{
		Dataset: dir, Params: map[string]string{"vocab": "embedded"},
	}); err != nil {
		t.Error(err)
	}
}

// TestSamplesToScore answers the embedded questions with logits that point at the accepted
// answers, but for one in five.
func TestSamplesToScore(t *testing.T) {
	const n = 400
	w, set := openEmbedded(t, n, nil), questionsOf(t, n)
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Count: n})
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	at := 0
	for i, e := range set.examples {
		for _, f := range e.Features {
			start, end := make([]float32, featureLength), make([]float32, featureLength)
			if first, last, ok := find(f.Text, f.Len(), e); ok && i%5 != 0 {
				start[first], end[last] = 9, 9
			}
			var p sdk.Payloads
			loaded := load(t, w, at)
			if err := w.Postprocess([]backend.Tensor{floats([]int64{1, featureLength}, start...), floats([]int64{1,
				featureLength}, end...)},
				loaded, &p); err != nil {
				t.Fatal(err)
			}
			if err := s.Add(mllog.AccuracyEntry{SeqID: uint64(at), QSLIndex: uint64(at), Data: p.At(0)}); err != nil {
				t.Fatal(err)
			}
			at++
		}
		if i%5 == 0 {
			wrong++
		}
	}
	got, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	most := 100 * float64(len(set.examples)-wrong) / float64(len(set.examples))
	if f1 := got.Metrics[0].Value; f1 < most-1 || f1 > most+8 || got.Samples != n || len(got.Notes) != 0 {
		t.Errorf("got %+v, want an F1 of about %v", got, most)
	}
	if !strings.HasPrefix(got.OfficialText, `{"exact_match": `) || got.Metrics[0].Name != "F1" {
		t.Errorf("text %q, metrics %v", got.OfficialText, got.Metrics)
	}
}

// find returns the positions of the first tokens that read as the accepted answer.
func find(text func(first, last int) string, n int, e accuracy.Example) (first, last int, ok bool) {
	plain := func(s string) string {
		return strings.NewReplacer(" ", "", "ö", "o", "é", "e", "á", "a").Replace(strings.ToLower(s))
	}
	want := plain(e.Answers[0])
	for first := range n {
		for last := first; last < min(n, first+12); last++ {
			if plain(text(first, last)) == want && text(first, first) != "" {
				return first, last, true
			}
		}
	}
	return 0, 0, false
}

func TestScorerNotesAndRefuses(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, squad.FileName), []byte(`{"data": [{"paragraphs": [{"context": "Anna was born.", "qas": [
		{"id": "1", "question": "Who?", "answers": [{"text": "Anna", "answer_start": 0}]},
		{"id": "2", "question": "", "answers": []}]}]}]}`))
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{
		Dataset: dir, Params: map[string]string{"vocab": "embedded", "max_examples": "2"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(mllog.AccuracyEntry{SeqID: 3, QSLIndex: 2}); !errors.Is(err, accuracy.ErrIndex) ||
		!errors.Is(err, sdk.ErrData) {
		t.Errorf("got %v, want %v", err, accuracy.ErrIndex)
	}
	if err := s.Add(mllog.AccuracyEntry{SeqID: 3, Data: []byte{0, 0}}); !errors.Is(err, accuracy.ErrPayload) ||
		!errors.Is(err, sdk.ErrData) {
		t.Errorf("got %v, want %v", err, accuracy.ErrPayload)
	}
	if _, err := s.Result(); !errors.Is(err, accuracy.ErrNoSamples) {
		t.Errorf("got %v, want %v", err, accuracy.ErrNoSamples)
	}
	payload := binary.LittleEndian.AppendUint64(nil, math.Float64bits(1))
	for range 2 {
		if err := s.Add(mllog.AccuracyEntry{Data: payload}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(got.Notes, "\n")
	for _, part := range []string{"1 entries dropped", "1 of 2 features", "max_examples = 2", "without text",
		"without an accepted answer"} {
		if !strings.Contains(notes, part) {
			t.Errorf("notes %q, want one with %q", notes, part)
		}
	}
}

// TestCountKeepsWholeExamples cuts within the windows of a question.
func TestCountKeepsWholeExamples(t *testing.T) {
	for _, count := range []int{1, 57, drawnFeatures - 1, drawnFeatures} {
		s := questionsOf(t, count)
		n := 0
		for _, e := range s.examples {
			n += len(e.Features)
		}
		if n != count || len(s.features) != count || len(s.examples[len(s.examples)-1].Features) == 0 {
			t.Errorf("count %d: %d features, %d of examples", count, len(s.features), n)
		}
	}
}

// questionsOf is the embedded data set, of count features.
func questionsOf(t *testing.T, count int) *questionSet {
	t.Helper()
	var set *questionSet
	b := manifest.Benchmark(manifestText, modelFiles, manifest.Implementation{
		Open: func(ctx context.Context, r *manifest.Request) (sdk.Workload, error) {
			set = openQuestions(ctx, r)
			return nil, errors.New("the questions are enough")
		},
	})
	if _, err := b.Open(t.Context(), sdk.Options{Count: count}); set == nil {
		t.Fatal(err)
	}
	return set
}

func BenchmarkOpenQuestions(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		openEmbedded(b, 0, nil)
	}
}
