package mixture

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/accuracy/generation"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/internal/testkit/textcases"
)

type expected struct {
	Args   struct{ DType string }
	Stdout string   `json:"stdout_result"`
	Texts  []string `json:"predictions_text"`
	Means  struct {
		Rouge1, Rouge2    float64
		RougeL, RougeLsum float64
	} `json:"means_percent_full"`
	Programs []struct {
		ID       string `json:"task_id"`
		Language string `json:"lang"`
		Source   string `json:"solution"`
	} `json:"mbxp_extracted"`
}

func TestGoldenMixtral(t *testing.T) {
	golden.Each(t, "scorers/mixtral/*/expected.json", func(t *testing.T, path string) {
		dir := filepath.Dir(path)
		var want expected
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
		textcases.CheckLine(t, got.String(), withoutMBXP(want.Stdout))
		want.check(t, got)
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

// withoutMBXP removes the MBXP figure, which comes from the stand-in that made the cases.
func withoutMBXP(line string) string {
	before, after, _ := strings.Cut(line, "'mbxp': ")
	_, after, _ = strings.Cut(after, ", ")
	return before + after
}

func (want expected) check(t *testing.T, got TaskResult) {
	t.Helper()
	for _, v := range [][2]float64{
		{got.Rouge1, want.Means.Rouge1}, {got.Rouge2, want.Means.Rouge2},
		{got.RougeL, want.Means.RougeL}, {got.RougeLsum, want.Means.RougeLsum},
	} {
		if !(math.Abs(v[0]-v[1]) <= 1e-13*v[1]) {
			t.Errorf("%v, want %+v", got, want.Means)
			break
		}
	}
	programs := map[string]Program{}
	for _, p := range got.Programs {
		programs[p.ID] = p
	}
	if len(got.Programs) != len(want.Programs) || len(programs) != len(want.Programs) {
		t.Errorf("%d programs, want %d", len(got.Programs), len(want.Programs))
	}
	for _, w := range want.Programs {
		if p := programs[w.ID]; p.Source != w.Source || p.Language != w.Language {
			t.Errorf("%s: %+v, want %+v", w.ID, p, w)
		}
	}
}

func readReferences(t *testing.T, path string) (references []Reference) {
	t.Helper()
	var records []struct {
		Dataset Task
		ID      string
		Output  string `json:"gt_output"`
	}
	golden.ReadJSON(t, path, &records)
	for _, r := range records {
		references = append(references, Reference{r.Dataset, r.ID, r.Output})
	}
	return references
}
