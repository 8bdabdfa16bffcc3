package agent

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// prompts are those beside the cases.
func prompts(t *testing.T, path string) *PromptSet {
	t.Helper()
	var texts map[string]string
	golden.ReadJSON(t, filepath.Join(filepath.Dir(path), "prompts.json"), &texts)
	files := fstest.MapFS{}
	for name, text := range texts {
		files[name+".txt"] = &fstest.MapFile{Data: []byte(text)}
	}
	p, err := ReadPrompts(files)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestGoldenReplies(t *testing.T) {
	type read struct {
		Name, Component string
		Reply           *string
		Result          json.RawMessage
	}
	golden.Each(t, "rag/replies.jsonl", func(t *testing.T, path string) {
		for _, c := range golden.ReadLines[read](t, path) {
			if c.Reply == nil { // of a server's answer: package rag's part
				continue
			}
			want, err := pyvalue.Decode(string(c.Result))
			if err != nil {
				t.Fatal(err)
			}
			if got := readAs(c.Component, strings.TrimSpace(*c.Reply), want); got != nil {
				t.Errorf("%s, %s: %s, want %s", c.Component, c.Name, pyvalue.JSON(got), c.Result)
			}
		}
	})
}

// readAs is nil where a reply is read as wanted; else what was read.
func readAs(component, reply string, want any) any {
	d, _ := want.(*pyvalue.Dict)
	got := pyvalue.NewDict()
	put := func(key string, v any, isText bool) {
		if w, _ := d.Get(key); isText && v != nil && w != nil {
			v = w // our reasons are in our words
		}
		got.Set(key, v)
	}
	switch component {
	case "relevance":
		marks, err := readRelevance(reply, 3)
		if errors.Is(err, ErrReply) {
			if v, _ := d.Get("relevance"); !isList(v) {
				return nil
			}
		}
		if marks == nil {
			marks = []any{int64(1), int64(1), int64(1)}
		}
		if text, ok := pyvalue.Field[string](d, "relevance"); ok { // the reference keeps the text, and indexes it
			want = pyvalue.NewDict()
			want.(*pyvalue.Dict).Set("relevance", pyvalue.Characters(text))
		}
		got.Set("relevance", marks)
	case "sufficiency", "sufficiency_last":
		enough, reasons, err := readSufficiency(reply, component == "sufficiency_last")
		put("sufficient", enough, false)
		put("reasoning", reasons, err != nil || strings.HasPrefix(fmt.Sprint(reasons), "the last round"))
	case "queries":
		queries, feedback, err := readQueries(reply, "Q?")
		put("queries", queries, false)
		put("feedback", feedback, strings.HasPrefix(fmt.Sprint(feedback), "Error: ") && err != nil)
	case "answer":
		if reply == "" {
			reply = "Unknown"
		}
		if reply == want {
			return nil
		}
		return reply
	}
	if pyvalue.Same(got, want) {
		return nil
	}
	return got
}

func isList(v any) bool { _, ok := v.([]any); return ok }

// transcript is a question as the reference answered it.
type transcript struct {
	Name, Question string
	Rounds         int `json:"max_iterations"`
	Depth          int `json:"top_k"`
	Replies        map[string][]any
	Events         []struct {
		Call, SHA256 string
		Before       int `json:"lookups_before"`
	}
	Lookups []struct {
		Query    string `json:"lookup"`
		K        int
		Passages []int
		Scores   []float32
	}
	Cache  [][4]any
	Result *struct {
		Answer     string `json:"llm_answer"`
		Rounds     int    `json:"num_iterations"`
		Searches   int    `json:"total_queries"`
		Kept       int    `json:"final_docs_count"`
		Sufficient any
		URLs       []string `json:"retrieved_urls"`
	}
	Error *string
}

// replayed is the world of a transcript.
type replayed struct {
	t       *testing.T
	of      transcript
	corpus  [][2]string
	asked   int // events
	lookups int
	reason  bool // a prompt holds an error in our words
}

func (r *replayed) Ask(_ context.Context, s Step, round int, prompt string) (string, error) {
	cached, has := "", false
	for _, c := range r.of.Cache {
		if c[1] == s.Component() && c[2] == float64(round) {
			cached, has = c[3].(string), true
		}
	}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(prompt)))
	for range 3 {
		if r.asked == len(r.of.Events) {
			r.t.Fatalf("%v is asked, and nothing more should be", s)
		}
		e := r.of.Events[r.asked]
		r.asked++
		if e.Call != s.String() || e.SHA256 != sum && !r.reason || e.Before != r.lookups {
			r.t.Errorf("call %d: %v after %d searches, want %s after %d; prompt %s, want %s\n%s", r.asked, s, r.lookups,
				e.Call, e.Before, sum, e.SHA256, prompt)
		}
		reply := any("")
		if left := r.of.Replies[s.String()]; len(left) > 0 {
			reply, r.of.Replies[s.String()] = left[0], left[1:]
		}
		if status, failed := reply.(float64); failed {
			if slices.Contains([]float64{429, 502, 503, 504}, status) {
				continue
			}
			if has {
				return "", ErrEnd
			}
			r.reason = r.reason || s == QueryStep
			return "", fmt.Errorf("status %v", status)
		}
		text := reply.(string)
		if text == "@zeros" {
			zeros := strings.Repeat("0,", strings.Count(prompt, "\n[NEW "))
			text = fmt.Sprintf(`{"relevance": [%s]}`, strings.TrimSuffix(zeros, ","))
		}
		if has {
			text = cached
		}
		return strings.TrimSpace(text), nil
	}
	if has {
		return cached, nil
	}
	return "", errors.New("asked 3 times")
}

func (r *replayed) Search(_ context.Context, query string, k int) (docs []Document, err error) {
	if r.lookups == len(r.of.Lookups) {
		r.t.Fatalf("%q is searched, and nothing more should be", query)
	}
	l := r.of.Lookups[r.lookups]
	r.lookups++
	if l.Query != query || l.K != k {
		r.t.Errorf("search %d: %q, %d, want %q, %d", r.lookups, query, k, l.Query, l.K)
	}
	for _, i := range l.Passages {
		docs = append(docs, Document{r.corpus[i][0], r.corpus[i][1]})
	}
	return docs, nil
}

func (r *replayed) Rerank(_ context.Context, _ string, docs []Document) ([]float32, error) {
	scores := r.of.Lookups[r.lookups-1].Scores
	if len(scores) != len(docs) {
		r.t.Errorf("search %d: %d documents are reranked, want %d", r.lookups, len(docs), len(scores))
	}
	return scores, nil
}

func TestGoldenLoop(t *testing.T) {
	golden.Each(t, "rag/loop.json", func(t *testing.T, path string) {
		p := prompts(t, path)
		var all struct {
			Corpus      [][2]string
			Transcripts []transcript
		}
		golden.ReadJSON(t, path, &all)
		for _, c := range all.Transcripts {
			t.Run(c.Name, func(t *testing.T) {
				w := &replayed{t: t, of: c, corpus: all.Corpus}
				got, err := Run(t.Context(), c.Question, LoopOptions{c.Rounds, c.Depth, 3, p}, w)
				if w.asked != len(c.Events) || w.lookups != len(c.Lookups) {
					t.Errorf("%d of %d calls, %d of %d searches", w.asked, len(c.Events), w.lookups, len(c.Lookups))
				}
				if c.Error != nil || err != nil {
					if c.Error == nil || err == nil {
						t.Errorf("%v, want %v", err, c.Error)
					}
					return
				}
				want := c.Result
				if got.Answer != want.Answer || got.Rounds != want.Rounds || got.Searches != want.Searches ||
					got.Sufficient != pyvalue.IsTrue(want.Sufficient) || !reflect.DeepEqual(got.URLs, want.URLs) {
					t.Errorf("%+v, want %+v", got, want)
				}
			})
		}
	})
}
