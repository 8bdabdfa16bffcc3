package reasoning

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
)

// show scores answers to the rows of a file, and returns what is shown of them.
func show(t *testing.T, model, data string, most int, tokenizer string, answers ...string) []sdk.Exhibit {
	t.Helper()
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{
		Model: model, Dataset: data, Params: map[string]string{"tokenizer": tokenizer}, Exhibits: most,
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range answers {
		if err := s.Add(mllog.AccuracyEntry{QSLIndex: uint64(i), Data: ids(text)}); err != nil {
			t.Fatal(err)
		}
	}
	score, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	return score.Exhibits
}

// TestExhibits: of each set the worst, in turn; the end of a long thought; what decided.
func TestExhibits(t *testing.T) {
	var rows strings.Builder
	for i, x := range [][2]string{
		{"gpqa", "A"}, {"gpqa", "B"}, {"math500", `\\frac{2}{4}`}, {"math500", "5"}, {"livecodebench", "p"},
		{"mmlu_pro", "I"}, {"aime", "7"},
	} {
		fmt.Fprintf(&rows, `{"text_input":"question %d","gt_output":"%s","dataset":"%s"}`+"\n", i, x[1], x[0])
	}
	data := write(t, "data.jsonl", rows.String())
	answers := []string{
		"Answer: A", strings.Repeat("é", 2*maxEndChars) + " Answer: C", `\boxed{\frac{1}{2}}`, "five",
		"```python\npass\n```", "so it is I", `\boxed{7}`,
	}
	all := show(t, "deepseek-r1", data, 6, deepseek(t), answers...)
	want := []string{
		"sample 3 of math500, 4 tokens: wrong, no answer was found",
		"sample 1 of gpqa, 6010 tokens: wrong",
		"sample 2 of math500, 19 tokens: wrong, decided by: fractions as text",
		"sample 5 of mmlu_pro, 10 tokens: right, a letter that nothing announced as the answer",
		"sample 4 of livecodebench, 18 tokens: a program that was not executed",
		"sample 6 of aime, 9 tokens: right",
	}
	for i, e := range all {
		if err := e.Check(); err != nil || i >= len(want) || e.Caption != want[i] {
			t.Errorf("exhibit %d: %q, %v", i, e.Caption, err)
		}
	}
	if len(all) != len(want) {
		t.Fatalf("%d exhibits, want %d", len(all), len(want))
	}
	text := all[1].Text
	if !strings.HasPrefix(text, "QUESTION\nquestion 1\n\nEND OF THE ANSWER\n… é") ||
		!strings.HasSuffix(text, "é Answer: C\n\nEXTRACTED\nC\n\nEXPECTED\nB") || strings.Count(text, "é") != maxEndChars-10 {
		t.Errorf("the text of a long answer: %q", text)
	}
	if len(show(t, "deepseek-r1", data, 0, deepseek(t), answers...)) > 0 {
		t.Error("exhibits that nobody wanted")
	}
	// files without questions can be scored, and shown
	data = write(t, "labels.jsonl", `{"gt_output":"\\frac{1}{2}","dataset":"math500"}`)
	all = show(t, "deepseek-r1", data, 6, deepseek(t), `\boxed{\frac{2}{4}}`)
	if len(all) != 1 || !strings.HasPrefix(all[0].Text, "END OF THE ANSWER") ||
		!strings.HasSuffix(all[0].Caption, ": wrong, decided by: fractions as text") {
		t.Errorf("%+v", all)
	}
	// a question of ids is shown as text, with harmony's markers
	data = write(t, "ids.jsonl", `{"tok_input":[256,72,105],"ground_truth":"B","dataset":"gpqa_diamond"}`)
	all = show(t, "gpt-oss-120b", data, 3, harmony(t), "Answer: B")
	if len(all) != 1 || !strings.HasPrefix(all[0].Text, "QUESTION\n<|start|>Hi\n\n") ||
		all[0].Caption != "sample 0 of gpqa_diamond, 9 tokens: right" {
		t.Errorf("%+v", all)
	}
}
