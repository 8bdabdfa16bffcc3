package measure_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/golden"

	"github.com/plumbline-ml/plumbline/bench/serving/measure"
)

// recorded is a golden case: what came and when, and what that comes to.
type recorded struct {
	Rules struct {
		Stream    *bool
		Kind      string
		Tokenizer bool
		Window    []int64
		GPUs      int
		LoadGen   string
	}
	SLO      measure.Limits
	Requests []struct {
		Due         *int64
		Sent, End   int64
		Status      measure.Status
		WarmUp      bool
		Retokenized *int64
		Usage       *struct {
			Prompt     int64 `json:"prompt_tokens"`
			Completion int64 `json:"completion_tokens"`
			Reasoning  int64 `json:"reasoning_tokens"`
			Cached     int64 `json:"cached_tokens"`
		}
		Events []struct {
			T     int64
			Kind  string
			Chars *int
			IDs   int
		}
	}
	Expect map[string]any
}

func (c recorded) rules() measure.Rules {
	r := measure.Rules{NoTokens: c.Rules.Kind != "" && c.Rules.Kind != "generate", Tokenizer: c.Rules.Tokenizer,
		GPUs: c.Rules.GPUs, LoadGen: c.Rules.LoadGen, Limits: c.SLO}
	if len(c.Rules.Window) == 2 {
		r.Window = &measure.Window{From: c.Rules.Window[0], To: c.Rules.Window[1]}
	}
	return r
}

var kinds = map[string]measure.Kind{"role": measure.Role, "content": measure.Content, "reasoning": measure.Reasoning,
	"tool": measure.Tool, "comment": measure.Comment}

func (c recorded) requests() []measure.Request {
	var all []measure.Request
	for i, q := range c.Requests {
		r := measure.Request{Index: i, Due: q.Sent, Sent: q.Sent, End: q.End, Status: q.Status, WarmUp: q.WarmUp,
			Usage: measure.NoUsage(), Retokenized: measure.Unknown, AskedIn: measure.Unknown, AskedOut: measure.Unknown,
			Whole: c.Rules.Stream != nil && !*c.Rules.Stream}
		if q.Due != nil {
			r.Due = *q.Due
		}
		if q.Retokenized != nil {
			r.Retokenized = *q.Retokenized
		}
		if u := q.Usage; u != nil {
			r.Usage = measure.Usage{Prompt: u.Prompt, Completion: u.Completion, Reasoning: u.Reasoning, Cached: u.Cached}
		}
		for _, e := range q.Events {
			r.Events.Add(measure.Event{At: e.T, Kind: kinds[e.Kind], Text: e.Chars == nil || *e.Chars > 0, IDs: e.IDs})
		}
		all = append(all, r)
	}
	return all
}

// beyond are fields of ours that the cases do not have.
var beyond = []string{"/tokens_per_event", "/user/p1", "/user/p1_linear", "/user/p50_failed", "/user/p90_failed",
	"/user/p95_failed", "/user/p97_failed", "/user/p99_failed", "/user/p99.9_failed", "/user/p1_failed"}

// TestGoldenFigures compares figures with those that an independent program made of the same records.
func TestGoldenFigures(t *testing.T) {
	golden.Each(t, "serving/events/*.json", func(t *testing.T, path string) {
		var c recorded
		golden.ReadJSON(t, path, &c)
		text, err := json.Marshal(measure.Of(c.requests(), c.rules()))
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		for _, d := range differences("", got, c.Expect) {
			t.Error(d)
		}
		sameAgain(t, text)
	})
}

// sameAgain reads figures and writes them again.
func sameAgain(t *testing.T, text []byte) {
	t.Helper()
	var f measure.Figures
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(f); err != nil || !bytes.Equal(again, text) {
		t.Errorf("read and written again: %v\n%s\nwas\n%s", err, again, text)
	}
}

// differences are those of two values of JSON; a number may be off by 1e-9. What is null may be absent.
func differences(path string, got, want any) []string {
	g, isObject := got.(map[string]any)
	if w, ok := want.(map[string]any); ok && isObject {
		var all []string
		for name := range w {
			if _, there := g[name]; there || w[name] != nil {
				all = append(all, differences(path+"/"+name, g[name], w[name])...)
			}
		}
		for name := range g {
			if _, there := w[name]; !there && !slices.Contains(beyond, path+"/"+name) {
				all = append(all, fmt.Sprintf("%s/%s: %v, want nothing", path, name, g[name]))
			}
		}
		return all
	}
	a, number := got.(float64)
	if b, ok := want.(float64); ok && number {
		if b == math.Trunc(b) && !strings.HasSuffix(path, "_linear") && !strings.HasSuffix(path, "mean") {
			if a != b && !(a != math.Trunc(a) && close(a, b)) {
				return []string{fmt.Sprintf("%s: %v, want %v", path, a, b)}
			}
			return nil
		}
		if !close(a, b) {
			return []string{fmt.Sprintf("%s: %v, want %v", path, a, b)}
		}
		return nil
	}
	if got != want {
		return []string{fmt.Sprintf("%s: %v, want %v", path, got, want)}
	}
	return nil
}

func close(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a), math.Abs(b)) }
