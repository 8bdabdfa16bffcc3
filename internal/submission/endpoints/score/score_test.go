package score_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/score"
)

// row is one of an accuracy file.
func row(set, prompt string, truths ...string) score.SampleRow {
	r := score.SampleRow{Set: set, Prompt: prompt, Truths: map[string]string{}}
	for i := 0; i < len(truths); i += 2 {
		r.Truths[truths[i]] = truths[i+1]
	}
	return r
}

func settings(model string) endpoints.ClientSettings { return endpoints.NewestRules().Clients[model] }

// TestSplitRows: rows go to the set that their data set names, those that ask the same once, and each set is asked as
// often as the client repeats it.
func TestSplitRows(t *testing.T) {
	rows := []score.SampleRow{row("AIME25", "a", "answer", "7"), row("gpqa_diamond", "b", "ground_truth", "choice2"),
		row("aime25", "c", "ground_truth", "8"), row("livecodebench_v6", "d", "ground_truth", "abc_1"),
		row("aime25", "a", "answer", "7")}
	sets, err := score.SplitRows(settings("gpt-oss-120b"), rows)
	if err != nil || len(sets) != 3 {
		t.Fatal(sets, err)
	}
	for i, want := range []struct {
		name  string
		rows  []int
		asked int
	}{{"aime25::gptoss", []int{0, 2}, 16}, {"gpqa::gptoss", []int{1}, 5}, {"livecodebench::gptoss", []int{3}, 3}} {
		s := sets[i]
		if s.Name != want.name || !slices.Equal(s.Rows, want.rows) || len(s.RowsToSend()) != want.asked {
			t.Errorf("%s: rows %v, asked %d; want %+v", s.Name, s.Rows, len(s.RowsToSend()), want)
		}
	}
	if asks := sets[0].RowsToSend(); !slices.Equal(asks[:4], []int{0, 2, 0, 2}) {
		t.Errorf("the first are %v: want each repeat in whole", asks[:4])
	}
	sets, err = score.SplitRows(settings("gpt-oss-120b"), []score.SampleRow{row("", "a", "answer", "7")})
	if err != nil || len(sets) != 1 || sets[0].Name != "aime25::gptoss" {
		t.Errorf("rows without a set: %v, %v; want the first set", sets, err)
	}
	for want, r := range map[string]score.SampleRow{
		`row 1 is of the data set "mmlu", want a name with one of aime25, gpqa, livecodebench in it`: row("mmlu", "a",
			"answer", "1"),
		"row 1 has no truth: want a column ground_truth or answer": row("aime25", "a"),
	} {
		if _, err := score.SplitRows(settings("gpt-oss-120b"), []score.SampleRow{r}); err == nil || err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestScore: the score of each of the client's methods, and what an entry says of the answers.
func TestScore(t *testing.T) {
	half := score.ReceivedText{Row: 0, Text: "so \\boxed{7}"}
	for name, c := range map[string]struct {
		model    string
		rows     []score.SampleRow
		answers  []score.ReceivedText
		score    any
		complete bool
		counts   string
		detail   string
	}{
		"numbers": {"gpt-oss-120b", []score.SampleRow{row("aime25", "a", "answer", "7")},
			append(slices.Repeat([]score.ReceivedText{half}, 4), slices.Repeat([]score.ReceivedText{{}}, 4)...), 0.5, true,
			`{"empty":4,"issued":8,"missing":0,"scored":4}`, ""},
		"letters, one missing": {"gpt-oss-120b", []score.SampleRow{row("gpqa", "a", "ground_truth", "choice3")},
			[]score.ReceivedText{{Text: "Answer: C"}, {Text: "**C**"}, {Text: "Answer: D"}, {Text: "\\boxed{C}"}}, 0.6, false,
			`{"empty":0,"issued":5,"missing":1,"scored":4}`, ""},
		"programs": {"gpt-oss-120b", []score.SampleRow{row("livecodebench", "a", "ground_truth", "x")},
			slices.Repeat([]score.ReceivedText{{Text: "```python\nprint(1)\n```"}}, 3), nil, false,
			`{"empty":0,"issued":3,"missing":0,"scored":3}`, ""},
		"summaries": {"llama3_1-8b", []score.SampleRow{row("", "a", "highlights", "the cat sat. it slept."),
			row("", "b", "highlights", "rain fell")}, []score.ReceivedText{{Text: " the cat sat. it slept. "},
			{Row: 1, Text: "sun"}}, map[string]any{"rouge1": "50.0", "rouge2": "50.0", "rougeL": "50.0", "rougeLsum": "50.0",
			"gen_len": "25", "gen_num": 2}, true, `{"empty":0,"issued":2,"missing":0,"scored":2}`, ""},
		"subsets": {"deepseek-r1", []score.SampleRow{row("aime", "a", "ground_truth", "7"),
			row("gpqa", "b", "ground_truth", "B"), row("math500", "c", "ground_truth", "\\frac{1}{2}"),
			row("livecodebench", "d", "ground_truth", "abc")},
			[]score.ReceivedText{{Text: "\\boxed{7}"}, {Row: 1, Text: "Answer: C"}, {Row: 2, Text: "\\boxed{0.5}"},
				{Row: 3, Text: "```python\nprint(1)\n```"}}, 200. / 3, false,
			`{"empty":0,"issued":4,"missing":0,"scored":4}`,
			`{"subset_scores":{"aime":100,"gpqa":0,"math500":100},"total_samples":3,"complete":false}`},
	} {
		t.Run(name, func(t *testing.T) {
			sets, err := score.SplitRows(settings(c.model), c.rows)
			if err != nil || len(sets) != 1 {
				t.Fatal(sets, err)
			}
			e, err := sets[0].Score(c.rows, c.answers, 1500*time.Millisecond)
			if err != nil || !reflect.DeepEqual(e.Score, c.score) || e.Complete != c.complete {
				t.Errorf("%v, complete %t (%v), want %v", e.Score, e.Complete, err, c.score)
			}
			if string(e.Counts) != c.counts || string(e.Breakdown) != c.detail || e.Took != 1.5 {
				t.Errorf("%s %s", e.Counts, e.Breakdown)
			}
			if text, err := json.Marshal(e); err != nil || !strings.Contains(string(text), `"dataset_type":"accuracy"`) {
				t.Errorf("%s, %v", text, err)
			}
		})
	}
}

// TestSetsOf: each model of the rules has scorers for its sets, or SWE-bench.
func TestSetsOf(t *testing.T) {
	for _, model := range endpoints.NewestRules().Models {
		sets, err := score.SetsOfModel(settings(model))
		if err != nil || len(sets) == 0 && settings(model).SWEBench == nil {
			t.Errorf("%s: %v, %v", model, sets, err)
		}
		for _, s := range sets {
			if s.Name == "" || s.Repeats < 1 || s.Method == "" {
				t.Errorf("%+v", s)
			}
		}
	}
}
