package agent

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// ours are prompts with all places.
func ours() fstest.MapFS {
	files := fstest.MapFS{}
	for name, known := range placeholders {
		text := name
		for _, p := range known {
			text += " {" + p + "}"
		}
		if name != AnswerStep.String() {
			text += ` {{"a": 1}}`
		} else {
			text += ` {"b"} {c}`
		}
		files[name+".txt"] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

func TestPrompts(t *testing.T) {
	p, err := ReadPrompts(ours())
	if err != nil {
		t.Fatal(err)
	}
	if got := p.JudgePrompt("q {x}", "t", "{llm_answer}"); got != `judge q {x} t {llm_answer} {"a": 1}` {
		t.Errorf("%q", got)
	}
	got := p.stepPrompt(AnswerStep, map[string]string{"question": "{kept_docs}", "kept_docs": "d"})
	if got != `answer {kept_docs} d {"b"} {c}` {
		t.Errorf("%q", got)
	}
	for text, want := range map[string]string{
		"":                                     "it has no place {question}",
		"{question} {ground_truth}":            "it has no place {llm_answer}",
		"{other} {":                            "the place {other} is unknown",
		"} {question}":                         "a single } at byte 0",
		"{question}{ground_truth}{llm_answer}": "",
	} {
		files := ours()
		files["judge.txt"] = &fstest.MapFile{Data: []byte(text)}
		if _, err := ReadPrompts(files); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := ReadPrompts(fstest.MapFS{}); err == nil || strings.Count(err.Error(), "want answer.txt") != 5 {
		t.Errorf("%v of no files", err)
	}
}

// scripted is a world with one page for each query.
type scripted struct {
	replies map[Step][]string
	asked   []Step
	queries []string
}

func (s *scripted) Ask(_ context.Context, step Step, _ int, _ string) (string, error) {
	s.asked = append(s.asked, step)
	all := s.replies[step]
	if len(all) == 0 {
		return "", errors.New("none left")
	}
	s.replies[step] = all[1:]
	return all[0], nil
}

func (s *scripted) Search(_ context.Context, query string, k int) ([]Document, error) {
	s.queries = append(s.queries, query)
	return []Document{{"u/" + query, "about " + query}, {"", "no page"}}[:min(k, 2)], nil
}

func (s *scripted) Rerank(context.Context, string, []Document) ([]float32, error) {
	return nil, errors.New("nothing is to be reranked")
}

func TestRun(t *testing.T) {
	p, err := ReadPrompts(ours())
	if err != nil {
		t.Fatal(err)
	}
	o := LoopOptions{MaxRounds: 3, SearchDepth: 10, MaxQueries: 3, Prompts: p}
	w := &scripted{replies: map[Step][]string{
		QueryStep: {`{"queries": ["a", "b"]}`, "prose"}, RelevanceStep: {`{"relevance": [1, 0]}`, "{}"},
		SufficiencyStep: {`{"sufficient": false}`, ""}, AnswerStep: {"yes"},
	}}
	got, err := Run(t.Context(), "q", o, w)
	steps := []Step{QueryStep, RelevanceStep, SufficiencyStep, QueryStep, RelevanceStep, SufficiencyStep, AnswerStep}
	if err != nil || got.Answer != "yes" || got.Rounds != 3 || got.Searches != 3 || !slices.Equal(w.asked, steps) ||
		!slices.Equal(w.queries, []string{"a", "b", "q"}) || !slices.Equal(got.URLs, []string{"u/a", "u/q"}) {
		t.Errorf("%+v, %v; %v, %q", got, err, w.asked, w.queries)
	}
	if got.Fallbacks != [StepCount]int{QueryStep: 1, RelevanceStep: 1, SufficiencyStep: 1} || len(got.Faults) != 3 {
		t.Errorf("fallbacks %v, %q", got.Fallbacks, got.Faults)
	}
	for _, reply := range []string{`{"queries": 5}`, `{"queries": [5]}`, `{"queries": ["a"], "feedback": ["x"]}`} {
		w := &scripted{replies: map[Step][]string{QueryStep: {reply}}}
		if _, err := Run(t.Context(), "q", o, w); !errors.Is(err, ErrReply) {
			t.Errorf("%s: %v", reply, err)
		}
	}
}

func FuzzReplies(f *testing.F) {
	f.Add(`{"queries": ["a"], "relevance": [1], "sufficient": true}`)
	p, err := ReadPrompts(ours())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		w := &scripted{replies: map[Step][]string{
			QueryStep: {reply, reply}, RelevanceStep: {reply, reply}, SufficiencyStep: {reply, reply}, AnswerStep: {reply},
		}}
		got, err := Run(t.Context(), "q", LoopOptions{MaxRounds: 3, SearchDepth: 2, MaxQueries: 3, Prompts: p}, w)
		if err != nil && !errors.Is(err, ErrReply) || got.Rounds > 3 {
			t.Fatalf("%+v, %v", got, err)
		}
	})
}

func FuzzPrompts(f *testing.F) {
	f.Add("{question} {{}} {ground_truth} {llm_answer}")
	f.Fuzz(func(t *testing.T, text string) {
		if tpl, err := parseTemplate(text, placeholders[judgeKey], false); err == nil && len(tpl)%2 != 1 {
			t.Fatalf("%q", tpl)
		}
	})
}
