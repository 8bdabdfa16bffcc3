package tooluse

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/bfcl"
)

// Question is a row of a subset.
type Question struct {
	ID, Subset string
	Text       string // the user's question; all questions differ
	Row        string // line of BFCL_v4_SUBSET.json
	Answer     string // line of possible_answer/BFCL_v4_SUBSET.json; empty: the subset has none
	Calls      []Call // correct calls; none: no function fits
}

// PerSubset is the number of questions of each subset.
const PerSubset = 12

// Questions returns the questions of all subsets, in the data set's order.
func Questions() (all []Question) {
	for _, subset := range bfcl.Subsets() {
		for i := range PerSubset {
			all = append(all, question(subset, i))
		}
	}
	return all
}

// irrelevantQuestions contains questions for which no function fits.
var irrelevantQuestions = []string{
	"Write a line about the sea at night", "Which colour goes with dark green", "What makes a good friend",
	"Tell me something that cheers me up", "Why do cats purr", "How do I learn to whistle",
	"What would you name a grey horse", "Is it rude to be early", "What does courage mean",
	"How should a letter of thanks begin", "What is a fair way to share a cake", "Why is the sky dark at night",
}

// question returns row i of a subset.
func question(subset string, i int) Question {
	all := functions()
	n := len(all)
	q := Question{ID: fmt.Sprintf("%s_%d", subset, i), Subset: subset}
	offered := []*function{&all[i%n]}
	var texts []string
	answers := []any{}
	ask := func(f *function, k int) {
		text, call, answer := f.fillIn(subset, k)
		texts, q.Calls, answers = append(texts, text), append(q.Calls, call), append(answers, answer)
	}
	switch {
	case strings.Contains(subset, "irrelevance"):
		texts = []string{irrelevantQuestions[i%len(irrelevantQuestions)] + "?"}
	case strings.Contains(subset, "parallel_multiple"):
		offered = append(offered, &all[(i+5)%n], &all[(i+7)%n])
		ask(offered[0], i)
		ask(offered[1], i+1)
	case strings.Contains(subset, "parallel"):
		ask(offered[0], i)
		ask(offered[0], i+1)
	case strings.Contains(subset, "multiple"):
		offered = []*function{&all[(i+3)%n], &all[i%n], &all[(i+4)%n]}
		ask(offered[1], i)
	default:
		ask(offered[0], i)
	}
	q.Text = fmt.Sprintf("(%s %d) %s", strings.ReplaceAll(subset, "_", " "), i+1, strings.Join(texts, " "))
	described := make([]any, len(offered))
	for i, f := range offered {
		described[i] = f.describe(subset)
	}
	q.Row = jsonLine(map[string]any{
		"id": q.ID, "question": [][]map[string]string{{{"role": "user", "content": q.Text}}}, "function": described,
	})
	if !strings.Contains(subset, "relevance") {
		q.Answer = jsonLine(map[string]any{"id": q.ID, "ground_truth": answers})
	}
	return q
}

// jsonLine returns a value as JSON.
func jsonLine(v any) string {
	text, err := json.Marshal(v)
	if err != nil { // cannot happen for these values
		return "{}"
	}
	return string(text)
}

// Samples returns the questions as read by the reader of the official layout.
func Samples() ([]bfcl.FunctionSample, error) {
	var all []bfcl.FunctionSample
	for _, q := range Questions() {
		s, err := bfcl.ParseSample(q.Subset, q.Row, q.Answer)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}
