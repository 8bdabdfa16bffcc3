package longcontext

import (
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/accuracy/generation"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/internal/testkit/textcases"
)

func TestGoldenLlama405B(t *testing.T) {
	golden.Each(t, "scorers/llama3_405b/*/expected.json", func(t *testing.T, path string) {
		dir := filepath.Dir(path)
		var want struct {
			Args   struct{ DType string }
			Stdout string   `json:"stdout_result"`
			Texts  []string `json:"predictions_text"`
		}
		golden.ReadJSON(t, path, &want)
		dtype, err := generation.ParseDType(want.Args.DType)
		if err != nil {
			t.Fatal(err)
		}
		s := New(CompareOptions{
			DType: dtype, Decoder: textcases.OpenTokenizer(t, dir), Splitter: textcases.OpenSplitter(t, dir),
			References: readReferences(t, filepath.Join(dir, "ground_truth.json")),
		})
		golden.AddLog(t, dir, s.Add)
		got, err := s.Result()
		if err != nil {
			t.Fatal(err)
		}
		textcases.CheckLine(t, got.String(), want.Stdout)
		answers, err := s.answers.List()
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range answers {
			if a.Text != want.Texts[a.Index] {
				t.Errorf("sample %d: %q, want %q", a.Index, a.Text, want.Texts[a.Index])
			}
		}
	})
}

func readReferences(t *testing.T, path string) (references []Reference) {
	t.Helper()
	var records []struct {
		Output string `json:"gt_output"`
		Metric SampleMetric
	}
	golden.ReadJSON(t, path, &records)
	for _, r := range records {
		references = append(references, Reference{r.Output, r.Metric})
	}
	return references
}
