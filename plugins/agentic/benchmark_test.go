package agentic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/bfcl"
	"github.com/plumbline-ml/plumbline/datasets/conversations"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	"github.com/plumbline-ml/plumbline/internal/synthetic/tooluse"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/plugins/agentic/internal/standin"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

func TestBenchmark(t *testing.T) { manifesttest.Run(t, New()) }

// openFor opens the embedded data of a use.
func openFor(t *testing.T, o sdk.Options) *toolWorkload {
	t.Helper()
	opened, err := New().Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	w, ok := sdk.As[*toolWorkload](opened)
	if !ok {
		t.Fatalf("a workload of %T", opened)
	}
	return w
}

// sink keeps an answer.
type sink struct{ answer backend.Tokens }

func (s *sink) FirstToken(backend.Tokens) {}
func (s *sink) Complete(t backend.Tokens) { s.answer = t }

// answered are the payloads of the stand-in to all prompts of a workload.
func answered(t *testing.T, w *toolWorkload) (payloads [][]byte) {
	t.Helper()
	g, err := standin.ScriptBackend{}.OpenGenerator(t.Context(), w.file, backend.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range w.prompts {
		var s sink
		if err := g.Generate(t.Context(), w.prompts[i], &s); err != nil {
			t.Fatal(err)
		}
		payload, _, err := w.AppendTokens(nil, &w.prompts[i], s.answer)
		if err != nil {
			t.Fatal(err)
		}
		payloads = append(payloads, payload)
	}
	return payloads
}

func scored(t *testing.T, use string, payloads [][]byte) sdk.Score {
	t.Helper()
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Use: use, Embedded: true, Exhibits: 50})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range payloads {
		if err := s.Add(mllog.AccuracyEntry{SeqID: uint64(i), QSLIndex: uint64(i), Data: p}); err != nil {
			t.Fatal(err)
		}
	}
	score, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	return score
}

// TestEveryFigureIsKnown: of twelve questions of each subset the script has one with a wrong value, one without an
// argument, one that is silent, and one whose call is text, which is read; where no function helps one calls. Of 14
// turns it runs another program in two, and none in one.
func TestEveryFigureIsKnown(t *testing.T) {
	score := scored(t, sdk.UseAccuracy, answered(t, openFor(t, sdk.Options{Use: sdk.UseAccuracy})))
	want := map[string]float64{overallMetric: 100 * float64(10*9+2*11) / 144,
		normalizedMetric: 100 * (0.75 + 0.75 + 11.0/12) / 3}
	for _, m := range score.Metrics {
		if math.Abs(m.Value-want[m.Name]) > 1e-12 {
			t.Errorf("%s = %v, want %v", m.Name, m.Value, want[m.Name])
		}
	}
	notes := strings.Join(score.Notes, "\n")
	for _, part := range []string{
		"16.67 % overall, 33.33 % normalized", "10 answers are empty", "10 answers have calls as",
	} {
		if !strings.Contains(notes, part) {
			t.Errorf("no %q in the notes:\n%s", part, notes)
		}
	}
	if n := len(score.Exhibits); n != sdk.MaxExhibits || !strings.Contains(score.Exhibits[0].Caption, "wrong: ") {
		t.Errorf("%d exhibits, the first: %+v", n, score.Exhibits[0])
	}
	if strings.Contains(notes, "no answer calls a function") {
		t.Errorf("notes:\n%s", notes)
	}
	turns := openFor(t, sdk.Options{})
	score = scored(t, sdk.UseReplay, answered(t, turns))
	if len(turns.conversations) != 3 || score.Metrics[0].Value != 0.7857 || score.Samples != tooluse.CountTurns() {
		t.Errorf("%d conversations, %+v", len(turns.conversations), score)
	}
	const recorded = "assistant: I look at what is there. bash {\"command\": \"ls -la && git status\"}\ntool: gauge.py"
	if !slices.ContainsFunc(score.Exhibits, func(x sdk.Exhibit) bool { return strings.Contains(x.Text, recorded) }) {
		t.Errorf("no exhibit has %q:\n%+v", recorded, score.Exhibits)
	}
	if !slices.ContainsFunc(score.Exhibits, func(x sdk.Exhibit) bool {
		return strings.Contains(x.Caption, "programs none,")
	}) {
		t.Errorf("no exhibit says that no program was called: %+v", score.Exhibits)
	}
}

// TestFailedTurns: an answer that failed is scored as missing, and one that was never sent in no figure.
func TestFailedTurns(t *testing.T) {
	payloads := answered(t, openFor(t, sdk.Options{}))[:5]
	payloads[4] = sdk.AppendFailedTurn(nil, errors.New("status 500"))
	score := scored(t, sdk.UseReplay, payloads)
	var file struct {
		Turns struct{ Issued, Expected, Observed, Missing, Scored int }
	}
	if err := json.Unmarshal(score.Files[0].Data, &file); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(file.Turns); got != "{5 5 4 1 5}" || score.Metrics[0].Value != 0.6 {
		t.Errorf("%s, %v", got, score.Metrics)
	}
	if notes := strings.Join(score.Notes, "\n"); !strings.Contains(notes, "9 turns were never sent") ||
		!strings.Contains(notes, "1 turns failed: TurnFailed") {
		t.Errorf("notes:\n%s", notes)
	}
}

// TestVerify reads both data sets of the model as they are written.
func TestVerify(t *testing.T) {
	for set, want := range map[string]string{"conversations": "14 samples", "questions": "144 samples"} {
		dir := filepath.Join(t.TempDir(), "data")
		if err := export.ToolSets().Write(t.Context(), dir, set, 0, -1); err != nil {
			t.Fatal(err)
		}
		for _, count := range []string{"", "3"} {
			b := New()
			r, err := sdk.DatasetRequest{
				Model: "qwen3.6-27b", Action: sdk.Verify, Input: dir, Params: map[string]string{"count": count},
			}.Complete(b.Describe().Models[0])
			if err != nil {
				t.Fatal(err)
			}
			done, err := b.(sdk.DatasetWorker).WorkOnDataset(t.Context(), r, func(string) {})
			if count == "" && (err == nil || !strings.Contains(err.Error(), want+", want 1007 of agentic-coding or 995")) ||
				count != "" && (err != nil || !strings.HasPrefix(done, "3 samples, all can be read")) {
				t.Errorf("%s, count %q: %q, %v", set, count, done, err)
			}
		}
	}
}

// TestNobodyCalls: a server that ignores tools has the floor's figures, and the score says what may be wrong.
func TestNobodyCalls(t *testing.T) {
	payloads := answered(t, openFor(t, sdk.Options{Use: sdk.UseAccuracy}))
	for i := range payloads {
		payloads[i] = []byte("I would look it up.")
	}
	score := scored(t, sdk.UseAccuracy, payloads)
	if notes := strings.Join(score.Notes, "\n"); !strings.Contains(notes, "no answer calls a function: does the server") ||
		math.Abs(score.Metrics[0].Value-100.0/6) > 1e-12 {
		t.Errorf("%v, notes:\n%s", score.Metrics, notes)
	}
}

// body is a prompt's request as JSON.
func body(t *testing.T, p backend.Prompt) *pyvalue.Dict {
	t.Helper()
	text := "{" + string(p.ChatJSON)
	for name, v := range p.Fields {
		text += `,"` + name + `":` + string(v)
	}
	v, err := pyvalue.Decode(text + `,"model":"Qwen3.6-27B-Q4_K_M"}`)
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v.(*pyvalue.Dict)
}

// TestGoldenRequests wants the bodies that the official harness sends of some questions.
func TestGoldenRequests(t *testing.T) {
	type testCase struct {
		ID   string `json:"sample_id"`
		Body json.RawMessage
	}
	defaults := openFor(t, sdk.Options{}).requestSettings
	golden.Each(t, "agentic/bfcl/requests.jsonl", func(t *testing.T, path string) {
		for _, c := range golden.ReadLines[testCase](t, path) {
			want, err := pyvalue.Decode(string(c.Body))
			if err != nil {
				t.Fatal(err)
			}
			d := want.(*pyvalue.Dict)
			tools, _ := d.Get("tools")
			of := bfcl.FunctionSample{ID: c.ID, Tools: pyvalue.JSON(tools)}
			messages, _ := d.Get("messages")
			for _, m := range messages.([]any) {
				role, _ := m.(*pyvalue.Dict).Get("role")
				content, _ := m.(*pyvalue.Dict).Get("content")
				of.Messages = append(of.Messages, bfcl.ChatMessage{Role: role.(string), Content: content.(string)})
			}
			if got := body(t, defaults.questionPrompts([]bfcl.FunctionSample{of})[0]); !pyvalue.Same(got, want) {
				t.Errorf("%s: %s\nwant %s", c.ID, pyvalue.JSON(got), c.Body)
			}
		}
	})
}

// TestGoldenTurns wants the bodies that the official harness sends of recorded conversations.
func TestGoldenTurns(t *testing.T) {
	type testCase struct {
		Name   string
		Rows   []json.RawMessage
		Config struct {
			Salt bool `json:"enable_salt"`
		}
		Log []struct {
			Event        string
			Conversation string `json:"conversation_id"`
			Turn         int
			Body         json.RawMessage
		}
	}
	defaults := openFor(t, sdk.Options{}).requestSettings
	golden.Each(t, "agentic/agentic/conversations.jsonl", func(t *testing.T, path string) {
		for _, c := range golden.ReadLines[testCase](t, path) {
			var text strings.Builder
			for _, row := range c.Rows {
				text.Write(row)
				text.WriteByte('\n')
			}
			set, err := conversations.ParseConversations(text.String())
			if err != nil {
				t.Fatal(err)
			}
			prompts, _, err := defaults.turnPrompts(set)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range c.Log {
				name, _, _ := strings.Cut(e.Conversation, "__repeat_")
				at := slices.IndexFunc(set.Turns, func(t conversations.ClientTurn) bool {
					return t.Conversation == name && t.Turn == e.Turn
				})
				if e.Event != "request" || c.Config.Salt {
					continue
				}
				want, err := pyvalue.Decode(string(e.Body))
				if err != nil {
					t.Fatal(err)
				}
				want.(*pyvalue.Dict).Set("model", "Qwen3.6-27B-Q4_K_M")
				if got := body(t, prompts[at]); !pyvalue.Same(got, want) || prompts[at].Session != name {
					t.Errorf("%s: %s\nwant %s", c.Name, pyvalue.JSON(got), e.Body)
				}
			}
		}
	})
}

// TestOverrides: a row's own fields win, and a model of its own is refused.
func TestOverrides(t *testing.T) {
	row := func(more string) *conversations.ConversationSet {
		set, err := conversations.ParseConversations(`{"conversation_id":"a","turn":1,"role":"user","content":"x"` + more +
			"}\n")
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	s := openFor(t, sdk.Options{}).requestSettings
	prompts, _, err := s.turnPrompts(
		row(`,"temperature":0.5,"max_new_tokens":7,"max_completion_tokens":9,"tool_choice":"none"`))
	if err != nil {
		t.Fatal(err)
	}
	p := prompts[0]
	if string(p.Fields["temperature"]) != "0.5" || string(p.Fields["max_completion_tokens"]) != "7" ||
		p.ToolChoice != "none" || string(s.requestFields["temperature"]) != "0" {
		t.Errorf("%s, %q", p.Fields, p.ToolChoice)
	}
	if _, _, err := s.turnPrompts(row(`,"model":"other"`)); err == nil || !strings.Contains(err.Error(),
		`the model "other"`) {
		t.Errorf("error %v", err)
	}
}

// TestPayloads: of a question the calls alone are scored, where there are any; a turn keeps all.
func TestPayloads(t *testing.T) {
	call := backend.Tokens{Text: "b", Reasoning: "a", Calls: []backend.ToolCall{{Name: "f", Arguments: "{}"}}, N: 3}
	for _, c := range []struct {
		use    string
		answer backend.Tokens
		want   string
		tokens int
	}{
		{sdk.UseAccuracy, call, `[{"type":"function","function":{"arguments":"{}","name":"f"}}]`, 3},
		{sdk.UseAccuracy, backend.Tokens{Text: "b", Reasoning: "a", N: backend.Uncounted}, "ab", 0},
		{sdk.UsePerformance, backend.Tokens{Text: "b", Reasoning: "a", Finish: "stop", N: 2},
			`{"output":"b","reasoning":"a","finish_reason":"stop"}`, 2},
	} {
		w := openFor(t, sdk.Options{Use: c.use})
		got, n, err := w.AppendTokens(nil, nil, c.answer)
		if err != nil || string(got) != c.want || n != c.tokens {
			t.Errorf("%s: %s, %d, %v; want %s, %d", c.use, got, n, err, c.want, c.tokens)
		}
		if notes := strings.Join(w.RunNotes().Notes, "\n"); !strings.Contains(notes, "1 answers hold thoughts") {
			t.Errorf("notes %q", notes)
		}
	}
}

func TestStandInFaults(t *testing.T) {
	_, err := standin.ScriptBackend{}.OpenGenerator(context.Background(), backend.Model{Bytes: []byte("{}")},
		backend.Config{
			Options: map[string]string{"threads": "1"}})
	if !errors.Is(err, backend.ErrOption) {
		t.Errorf("error %v", err)
	}
	_, err = standin.ScriptBackend{}.OpenGenerator(context.Background(), backend.Model{Bytes: []byte("{}")},
		backend.Config{})
	if err == nil || !strings.Contains(err.Error(), "--backend openai") {
		t.Errorf("error %v", err)
	}
}

// BenchmarkScore grades 995 answers.
func BenchmarkScore(b *testing.B) {
	all, err := tooluse.Samples()
	if err != nil {
		b.Fatal(err)
	}
	var samples []bfcl.FunctionSample
	for len(samples) < 995 {
		samples = append(samples, all[len(samples)%len(all)])
	}
	answer := []byte(`[{"type":"function","function":{"arguments":"{\"place\":\"Oslo\",\"days\":3}",` +
		`"name":"weather_forecast"}}]`)
	b.ReportAllocs()
	for b.Loop() {
		s, err := newCallScorer(samples)
		if err != nil {
			b.Fatal(err)
		}
		for i := range samples {
			if err := s.Add(uint64(i), answer); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := s.Result(); err != nil {
			b.Fatal(err)
		}
	}
}

// TestInform: the script is what the record says that answers, but not where a server does.
func TestInform(t *testing.T) {
	for by, want := range map[string]bool{"": true, standin.Name: true, "openai": false} {
		w := &toolWorkload{scripted: isScripted(by)}
		info := sdk.WorkloadInfo{ModelFile: "embedded-fp32", Embedded: true, ModelSHA256: "ab", ModelSize: 2}
		w.AddInfo(&info)
		if info.Embedded != want || (info.ModelFile == "embedded-fp32") != want || (info.ModelSHA256 == "ab") != want {
			t.Errorf("%q: %+v", by, info)
		}
	}
}
