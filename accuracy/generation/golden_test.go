package generation

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/internal/testkit/textcases"
)

// expected contains the results of the official scripts for GPT-J and Llama 2.
type expected struct {
	Args   struct{ DType string }
	Stdout string `json:"stdout_result"`
	Means  struct {
		Rouge1, Rouge2    float64
		RougeL, RougeLsum float64
	} `json:"means_percent_full"`
	PerSample []struct {
		Index *int `json:"qsl_idx"`
		Pred  string
	} `json:"per_sample"`
}

func TestGoldenGPTJ(t *testing.T) {
	golden.Each(t, "scorers/rouge_gptj/*/expected.json", func(t *testing.T, path string) {
		var articles []struct{ Output string }
		golden.ReadJSON(t, filepath.Join(filepath.Dir(path), "cnn_eval.json"), &articles)
		references := make([]string, len(articles))
		for i, a := range articles {
			references[i] = a.Output
		}
		check(t, path, references)
	})
}

func TestGoldenLlama2(t *testing.T) {
	golden.Each(t, "scorers/rouge_llama2/*/expected.json", func(t *testing.T, path string) {
		var references []string
		golden.ReadJSON(t, filepath.Join(filepath.Dir(path), "ground_truth_output_column.json"), &references)
		check(t, path, references)
	})
}

func check(t *testing.T, path string, references []string) {
	var want expected
	golden.ReadJSON(t, path, &want)
	dtype, err := ParseDType(want.Args.DType)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(path)
	splitter := textcases.OpenSplitter(t, dir)
	s := New(CompareOptions{DType: dtype, Decoder: textcases.OpenTokenizer(t, dir), Splitter: splitter,
		References: references})
	golden.AddLog(t, dir, s.Add)
	got, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range [][2]float64{
		{got.Rouge1, want.Means.Rouge1}, {got.Rouge2, want.Means.Rouge2},
		{got.RougeL, want.Means.RougeL}, {got.RougeLsum, want.Means.RougeLsum},
	} {
		if !(math.Abs(v[0]-v[1]) <= 1e-13*v[1]) {
			t.Errorf("%v, want %+v", got, want.Means)
			break
		}
	}
	textcases.CheckLine(t, got.String(), want.Stdout)
	answers, err := s.answers.List()
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range want.PerSample {
		if text := SentenceLines(splitter, answers[i].Text); text != p.Pred || answers[i].Index != *p.Index {
			t.Errorf("answer %d: sample %d %q, want %d %q", i, answers[i].Index, text, *p.Index, p.Pred)
		}
	}
}
