package rag

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/frames"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// verdictOf is a judge that says of each answer what it is told.
type verdictOf struct {
	nobody
	replies map[string]string
	asked   *[]string
}

func (v verdictOf) OpenGenerator(context.Context, backend.Model, backend.Config) (backend.Generator, error) {
	return v, nil
}

func (v verdictOf) Generate(_ context.Context, p backend.Prompt, sink backend.TokenSink) error {
	asked := p.Messages[0].Content
	asked = asked[strings.Index(asked, "QUESTION: ")+len("QUESTION: "):]
	if at := strings.Index(asked, "\n\nGrade in two steps."); at >= 0 {
		asked = asked[:at]
	}
	*v.asked = append(*v.asked, asked)
	_, answer, _ := strings.Cut(asked, "LLM ANSWER: ")
	reply, ok := v.replies[answer]
	for said, r := range v.replies {
		if !ok && said != "" && strings.Contains(asked, "Given answer: "+said) { // in our words
			reply, ok = r, true
		}
	}
	if !ok {
		return errors.New("status 500")
	}
	sink.Complete(backend.Tokens{Text: reply})
	return nil
}

func (verdictOf) Limits() backend.Limits { return backend.Limits{} }
func (verdictOf) Close() error           { return nil }

// TestGoldenScorer: accuracy.txt, the figures and what the judge is asked are those of the official script.
func TestGoldenScorer(t *testing.T) {
	type scored struct {
		Name, TSV string
		Results   map[string]struct {
			Query  string
			Answer *string
			URLs   []string `json:"retrieved_urls"`
			Error  string
		}
		Verdicts map[string]string
		Text     string `json:"accuracy_txt"`
		Metrics  map[string]float64
		Asked    []string
	}
	golden.Each(t, "rag/scorer.jsonl", func(t *testing.T, path string) {
		prompts := promptsOf(t, path)
		for _, c := range golden.ReadLines[scored](t, path) {
			dir := pagesIn(t, map[string]string{frames.QuestionsFile: c.TSV})
			var asked []string
			s, err := New(verdictOf{nobody{}, c.Verdicts, &asked}).OpenScorer(t.Context(), sdk.ScoreOptions{Dataset: dir,
				Params: map[string]string{"judge": "http://x", "prompts": prompts, "concurrency": "1"}})
			if err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
			for i, id := range slices.Sorted(maps.Keys(c.Results)) {
				r := c.Results[id]
				answer := "None"
				if r.Answer != nil {
					answer = *r.Answer
				}
				text, err := json.Marshal(answerPayload{Query: r.Query, Answer: answer, URLs: r.URLs, Error: r.Error})
				if err == nil {
					err = s.Add(mllog.AccuracyEntry{SeqID: uint64(i), QSLIndex: uint64(i), Data: text})
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			got, err := s.Result()
			if err != nil {
				t.Fatal(err)
			}
			if got.OfficialText != c.Text {
				t.Errorf("%s: %q, want %q", c.Name, got.OfficialText, c.Text)
			}
			for _, m := range got.Metrics {
				want, ok := c.Metrics[m.Name]
				if m.Name == accuracyMetric {
					want, ok = 100*c.Metrics["answer_accuracy"], true
				}
				if ok && math.Abs(m.Value-want) > 1e-12 {
					t.Errorf("%s: %s %v, want %v", c.Name, m.Name, m.Value, want)
				}
			}
			slices.Sort(asked)
			slices.Sort(c.Asked)
			if !slices.Equal(asked, c.Asked) {
				t.Errorf("%s: asked %q, want %q", c.Name, asked, c.Asked)
			}
		}
	})
}

// promptsOf writes the prompts beside a case to a folder.
func promptsOf(t *testing.T, path string) string {
	t.Helper()
	var texts map[string]string
	golden.ReadJSON(t, filepath.Join(filepath.Dir(path), "prompts.json"), &texts)
	files := map[string]string{}
	for name, text := range texts {
		files[name+".txt"] = text
	}
	return pagesIn(t, files)
}

func scorer(t *testing.T, servers backend.GeneratorOpener, params map[string]string) sdk.Scorer {
	t.Helper()
	s, err := New(servers).OpenScorer(t.Context(), sdk.ScoreOptions{Embedded: true, Params: params, Exhibits: 1})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestJudged: what is loose, unread, missing or unknown is told, and the strict figure counts it as wrong.
func TestJudged(t *testing.T) {
	var asked []string
	cache := filepath.Join(t.TempDir(), "verdicts.jsonl")
	judge := verdictOf{nobody{}, map[string]string{"loose": `{"correct": "false"}`, "right": `{"correct": true}`,
		"prose": "I think so."}, &asked}
	for _, calls := range []int{3, 0} { // the second time all is kept
		asked = nil
		s := scorer(t, judge, map[string]string{"judge": "http://x", "judge_cache": cache, "concurrency": "1"})
		a := openQuestionsOf(t)
		for i, answer := range []string{"loose", "right", "prose", "other"} {
			r := answerPayload{Row: i, Query: a[i].Prompt, Answer: answer, Rounds: 2, Fallbacks: map[string]int{"queries": 1}}
			if answer == "other" {
				r.Query = "what?"
			}
			text, err := json.Marshal(r)
			if err == nil {
				err = s.Add(mllog.AccuracyEntry{SeqID: uint64(i), QSLIndex: uint64(i), Data: text})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Result()
		if err != nil || len(asked) != calls || got.OfficialText != "Accuracy: 66.6667\n" ||
			math.Abs(got.Metrics[1].Value-100.0/48) > 1e-9 || len(got.Exhibits) != 1 {
			t.Errorf("%d calls, want %d: %+v, %v", len(asked), calls, got, err)
		}
		notes := strings.Join(got.Notes, "\n")
		for _, want := range []string{"judged by http://x", "1 verdicts could not be read",
			"1 answers count as right by a value", "1 answers are to questions that the data set does not have",
			"44 of 48 questions", "3 replies of the step queries"} {
			if !strings.Contains(notes, want) {
				t.Errorf("%q, want %q", notes, want)
			}
		}
		var results map[string]map[string]any
		if err := json.Unmarshal(got.Files[0].Data, &results); err != nil || results["1"]["answer"] != "right" {
			t.Errorf("%s, %v", got.Files[0].Data, err)
		}
		if c, ok := s.(interface{ Close() error }); !ok || c.Close() != nil {
			t.Error("the scorer cannot be closed")
		}
	}
	if err := os.WriteFile(cache, []byte("no JSON"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := New(judge).OpenScorer(t.Context(), sdk.ScoreOptions{Embedded: true, Params: map[string]string{
		"judge_cache": cache}})
	sdktest.WantError(t, err, "judge_cache", "line 1")
	s := scorer(t, judge, nil)
	if err := s.Add(mllog.AccuracyEntry{Data: make([]byte, 8)}); !errors.Is(err, sdk.ErrData) {
		t.Errorf("%v of a payload of zeros", err)
	}
}

func openQuestionsOf(t *testing.T) []frames.FramesQuestion {
	t.Helper()
	a, ok := sdk.As[*questionWorkload](opened(t, nobody{}, sdk.Options{}))
	if !ok {
		t.Fatal("no workload of questions")
	}
	return a.questions
}

// TestVerdictsCutShort: a line that was cut short is written anew.
func TestVerdictsCutShort(t *testing.T) {
	path := filepath.Join(t.TempDir(), "verdicts.jsonl")
	for n, wanted := range []int{0, 1, 1} {
		v, err := openVerdicts(path)
		if err != nil || len(v.replies) != wanted {
			t.Fatalf("%d: %v, %v", n, v, err)
		}
		for _, prompt := range []string{"one", "two"} {
			if _, err := v.cachedReply("m", prompt, func() (string, error) { return "r", nil }); err != nil {
				t.Fatal(err)
			}
		}
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err == nil {
			err = os.Truncate(path, info.Size()-5)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestDatabaseScorer: the report has the line that the checker reads, and says what is wrong with the database.
func TestDatabaseScorer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "own.db")
	w := opened(t, nobody{}, sdk.Options{Model: pagesModel, Count: 3}, "database="+path)
	p, err := answersOf(t, w, sdk.Sessions{embedderPart: &session{dim: 8}}, 0, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	questions := filepath.Join(pagesIn(t, map[string]string{frames.QuestionsFile: "Prompt\tAnswer\nWho?\tA\nWhere?\tB\n"}),
		frames.QuestionsFile)
	score := func(params map[string]string) (sdk.Score, error) {
		s, err := New(nobody{}).OpenScorer(t.Context(), sdk.ScoreOptions{Model: pagesModel, Count: 3, Embedded: true,
			Params: params, OpenPart: func(context.Context, sdk.Part) (backend.Session, error) { return &session{dim: 8}, nil }})
		if err != nil {
			return sdk.Score{}, err
		}
		for i := range 3 {
			if err := s.Add(mllog.AccuracyEntry{QSLIndex: uint64(i), Data: p.At(i)}); err != nil {
				t.Fatal(err)
			}
		}
		return s.Result()
	}
	got, err := score(map[string]string{"database": path, "questions": questions})
	if err != nil || !strings.HasSuffix(got.OfficialText, "\nAccuracy: 100.0000\n") ||
		!strings.Contains(got.OfficialText, "Overall Result: PASS") || len(got.Files) != 1 || got.Metrics[0].Value != 100 {
		t.Fatalf("%+v, %v", got, err)
	}
	own := filepath.Join(t.TempDir(), "db_manifest.json")
	if err := os.WriteFile(own, got.Files[0].Data, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err = score(map[string]string{"database": path, "manifest": own})
	if err != nil || len(got.Metrics) != 2 || got.Metrics[1].Value != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	other := strings.Replace(string(must(t, own)), `"total_passages": `, `"total_passages": 9`, 1)
	if err := os.WriteFile(own, []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err = score(map[string]string{"database": path, "manifest": own}); err != nil ||
		!strings.Contains(strings.Join(got.Notes, "\n"), "manifest: passages: ") {
		t.Errorf("%+v, %v", got, err)
	}
	if err := os.WriteFile(path, []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err = score(map[string]string{"database": path}); err != nil ||
		!strings.Contains(got.OfficialText, "MD5 match: FAIL") ||
		!strings.Contains(got.OfficialText, "Overall Result: FAIL") {
		t.Errorf("%+v, %v", got, err)
	}
	_, err = score(map[string]string{"manifest": own, "questions": "none.tsv"})
	sdktest.WantError(t, err, "none.tsv", "database", "a manifest is of a database")
}

func must(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
