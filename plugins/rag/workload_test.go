package rag

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/frames"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/plugins/rag/internal/agent"
	"github.com/plumbline-ml/plumbline/plugins/rag/internal/index"
	"github.com/plumbline-ml/plumbline/plugins/rag/internal/passages"
	"github.com/plumbline-ml/plumbline/plugins/rag/internal/standin"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// session is an encoder whose states of a token are numbers drawn by its id: texts are alike that share tokens.
type session struct {
	dim  int
	runs atomic.Int64
	bad  func(ids []int64) bool // whether it gives states that are no numbers
}

func (*session) Inputs() []backend.TensorInfo  { return completeEncoder(backend.Model{}).Inputs }
func (*session) Outputs() []backend.TensorInfo { return completeEncoder(backend.Model{}).Outputs }
func (*session) Limits() backend.Limits        { return backend.Limits{} }
func (*session) Close() error                  { return nil }

func (s *session) Run(ctx context.Context, in, out []backend.Tensor) error {
	s.runs.Add(1)
	ids := backend.View[int64](in[0].Data)
	states := make([]float32, 0, len(ids)*s.dim)
	for _, id := range ids {
		r := rand.New(rand.NewPCG(uint64(id), 7))
		for range s.dim {
			states = append(states, float32(r.NormFloat64()))
		}
	}
	if s.bad != nil && s.bad(ids) {
		states[0] = float32(math.NaN())
	}
	out[0] = backend.Tensor{DType: backend.Float32, Data: backend.Bytes(states),
		Shape: append(slices.Clone(in[0].Shape), int64(s.dim))}
	return context.Cause(ctx)
}

func opened(t *testing.T, servers backend.GeneratorOpener, o sdk.Options, params ...string) sdk.Workload {
	t.Helper()
	if o.Params = map[string]string{}; o.Use == "" {
		o.Use = sdk.UseAccuracy
	}
	for _, p := range params {
		key, value, _ := strings.Cut(p, "=")
		o.Params[key] = value
	}
	w, err := New(servers).Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// answersOf takes the samples through fake sessions.
func answersOf(t *testing.T, w sdk.Workload, s sdk.Sessions, samples ...int) (*sdk.Payloads, error) {
	t.Helper()
	r, _ := sdk.As[sdk.Runner](w)
	run, err := r.NewRun(s)
	if err != nil {
		return nil, err
	}
	var p sdk.Payloads
	for _, i := range samples {
		sample, err := w.Load(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Run(t.Context(), []sdk.Sample{sample}, &p); err != nil {
			return &p, err
		}
	}
	return &p, nil
}

func sessions() sdk.Sessions {
	return sdk.Sessions{embedderPart: &session{dim: 64}, rerankerPart: &session{dim: 64}}
}

func decoded(t *testing.T, payload []byte) (r answerPayload) {
	t.Helper()
	if err := json.Unmarshal(payload, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func remarks(t *testing.T, w sdk.Workload) string {
	t.Helper()
	r, _ := sdk.As[sdk.Noter](w)
	m := r.RunNotes()
	return strings.Join(append(m.Notes, m.Estimates...), "\n")
}

// TestAnswers: the questions need more than one round, and are answered then.
func TestAnswers(t *testing.T) {
	const n = 12
	samples := slices.Collect(func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	})
	right := func(params ...string) (right int) {
		w := opened(t, nobody{}, sdk.Options{}, params...)
		p, err := answersOf(t, w, sessions(), samples...)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := sdk.As[*questionWorkload](w)
		_, _, counts := p.All()
		for i := range samples {
			r := decoded(t, p.At(i))
			if r.Row != i || r.Query != a.questions[i].Prompt || r.Rounds < 1 || r.Searches < 1 || counts[i] < 1 {
				t.Fatalf("%+v of %d tokens", r, counts[i])
			}
			if strings.EqualFold(strings.Trim(r.Answer, ". "), a.questions[i].Answer) {
				right++
			}
		}
		if m := remarks(t, w); !strings.Contains(m, standin.Label) {
			t.Errorf("remarks %q", m)
		}
		return right
	}
	if got := right(); got < n*2/3 {
		t.Errorf("%d of %d answers are right", got, n)
	}
	if got := right("rounds=1"); got != 0 {
		t.Errorf("%d of %d answers are right after one round, which answers nothing", got, n)
	}
}

// servers count what is asked, and fail as they are told.
type servers struct {
	nobody
	fail  func(call int) error
	calls atomic.Int64
	last  backend.Prompt
}

func (s *servers) OpenGenerator(_ context.Context, _ backend.Model, c backend.Config) (backend.Generator, error) {
	if c.Options["url"] != "http://x" || c.Options["model"] != "m" || c.Options["retries"] != "1" ||
		c.Options["key_env"] != "K" {
		return nil, errors.New("other options")
	}
	return s, nil
}

func (s *servers) Generate(ctx context.Context, p backend.Prompt, sink backend.TokenSink) error {
	s.last = p
	if err := s.fail(int(s.calls.Add(1))); err != nil {
		if errors.Is(err, errTimeout) {
			<-ctx.Done()
			return context.Cause(ctx)
		}
		return err
	}
	sink.Complete(backend.Tokens{Text: standin.AnswerMessage(p.Messages[0].Content), N: 5})
	return nil
}

func (*servers) Limits() backend.Limits { return backend.Limits{} }
func (*servers) Close() error           { return nil }

var atServers = []string{"llm=http://x", "llm_model=m", "tries=2", "llm_options=key_env=K"}

// TestServersThatFail: each failed call is a fallback, which is counted and told, and no question ends.
func TestServersThatFail(t *testing.T) {
	s := &servers{fail: func(int) error { return errors.New("status 500") }}
	w := opened(t, s, sdk.Options{}, append(atServers, "rounds=3")...)
	p, err := answersOf(t, w, sessions(), 0)
	if err != nil {
		t.Fatal(err)
	}
	r := decoded(t, p.At(0))
	if r.Answer != "" && r.Answer != "Unknown" || r.Fallbacks["queries"] < 2 || r.Fallbacks["relevance"] < 1 {
		t.Errorf("%+v", r)
	}
	if m := remarks(t, w); !strings.Contains(m, "queries 2") || !strings.Contains(m, "status 500") {
		t.Errorf("remarks %q", m)
	}
}

// TestLateServer: a reply that is late is asked for again, so often, and then is a fallback.
func TestLateServer(t *testing.T) {
	s := &servers{fail: func(call int) error {
		if call <= 2 {
			return errTimeout
		}
		return nil
	}}
	w := opened(t, s, sdk.Options{}, append(atServers, "rounds=1", "timeout=1")...)
	p, err := answersOf(t, w, sessions(), 0)
	if err != nil || s.calls.Load() != 2 || decoded(t, p.At(0)).Fallbacks["queries"] != 1 {
		t.Errorf("%d calls, %s, %v", s.calls.Load(), p.At(0), err)
	}
}

// TestRequests: fields are those of the reference's requests.
func TestRequests(t *testing.T) {
	s := &servers{fail: func(int) error { return nil }}
	if _, err := answersOf(t, opened(t, s, sdk.Options{}, append(atServers, "rounds=1")...), sessions(), 0); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(s.last.Fields)
	const want = `{"max_tokens":10240,"reasoning_effort":"medium","temperature":1.0,"top_k":-1,"top_p":1.0}`
	if err != nil || string(text) != want || len(s.last.Messages) != 1 || s.last.Messages[0].Role != "user" {
		t.Errorf("%s, want %s; %+v", text, want, s.last.Messages)
	}
}

// TestCache: replies of a run before take the place of those that are asked for, and a model must reply all the same.
func TestCache(t *testing.T) {
	path := filepath.Join(t.TempDir(), "logs_result.json")
	write := func(key string) {
		text := `{"queries": [{"query_id": "0", "llm_calls": [{"component": "generate_search_queries", "hop_count": 1,
			"output": {"` + key + `": "{\"queries\": [\"one\", \"two\"]}"}}]}]}`
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"response", "actual_output"} {
		write(key)
		s := &servers{fail: func(int) error { return nil }}
		w := opened(t, s, sdk.Options{}, append(atServers, "rounds=1", "cache="+path)...)
		p, err := answersOf(t, w, sessions(), 0, 1)
		if err != nil || decoded(t, p.At(0)).Searches != 2 || s.calls.Load() != 2 {
			t.Errorf("%s: %s, %v, %d calls", key, p.At(0), err, s.calls.Load())
		}
	}
	s := &servers{fail: func(int) error { return errors.New("status 500") }}
	w := opened(t, s, sdk.Options{}, append(atServers, "rounds=1", "cache="+path)...)
	p, err := answersOf(t, w, sessions(), 0)
	if r := decoded(t, p.At(0)); err != nil || r.Answer != "Error" || !strings.Contains(r.Error, "must reply") {
		t.Errorf("%+v, %v", r, err)
	}
	if m := remarks(t, w); !strings.Contains(m, "1 of 1 questions ended in an error") {
		t.Errorf("remarks %q", m)
	}
	write("other")
	_, err = New(s).Open(t.Context(), sdk.Options{Params: map[string]string{"cache": path}})
	sdktest.WantError(t, err, "cache", "it holds no reply")
}

// TestZeros: a timed run has the reference's payloads, of as many zeros as an answer has tokens.
func TestZeros(t *testing.T) {
	w := opened(t, nobody{}, sdk.Options{Use: "TEST09"})
	p, err := answersOf(t, w, sessions(), 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	_, _, counts := p.All()
	for i, n := range counts {
		if got := p.At(i); n < 1 || !bytes.Equal(got, make([]byte, 4*n)) {
			t.Errorf("%x of %d tokens", got, n)
		}
	}
}

func TestReplyText(t *testing.T) {
	for _, c := range []struct{ content, reasoning, want string }{
		{" a \n", "{}", "a"}, {" ", "x {1} {2} y", "{1} {2}"}, {"", "} {", ""}, {"", "none", ""},
	} {
		r := modelReply{backend.Tokens{Text: c.content, Reasoning: c.reasoning}}
		if got := r.replyText(); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// pagesIn writes pages to a folder.
func pagesIn(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestGoldenSystem: the samples, and what is in the database, are the reference's; its chunks have 40 characters there.
func TestGoldenSystem(t *testing.T) {
	type system struct {
		Name     string
		Files    map[string]string
		Mapping  map[string]string `json:"url_mapping"`
		Order    []string          `json:"sample_order"`
		Fails    []string          `json:"fails_on"`
		Database [][2]json.RawMessage
	}
	golden.Each(t, "rag/db_sut.json", func(t *testing.T, path string) {
		var all []system
		golden.ReadJSON(t, path, &all)
		for _, c := range all {
			mapping, err := json.Marshal(c.Mapping)
			if err != nil {
				t.Fatal(err)
			}
			if c.Name == "not_utf8" {
				for name, text := range c.Files {
					c.Files[name] = strings.ReplaceAll(text, "\u00ff", "\xff")
				}
			}
			c.Files[frames.MappingFile] = string(mapping)
			set, err := frames.OpenPages(pagesIn(t, c.Files))
			if err != nil {
				t.Fatal(err)
			}
			var order []string
			var got []index.Passage
			for i := range set.Len() {
				page, err := set.Page(i)
				if err != nil {
					t.Fatal(err)
				}
				order = append(order, page.Name)
				if slices.ContainsFunc(c.Fails, func(word string) bool { return bytes.Contains(page.HTML, []byte(word)) }) {
					continue
				}
				text, _ := passages.PageText(page.HTML)
				cut := passages.SplitText(text, 40, 8)
				if len(cut) == 0 {
					cut, _ = passages.SplitPage(page.Name, nil)
				}
				for k, p := range cut {
					got = append(got, index.Passage{Text: p, Source: page.Name, ID: k, URL: page.URL})
				}
			}
			var want []index.Passage
			for _, row := range c.Database {
				var p index.Passage
				if err := errors.Join(json.Unmarshal(row[1], &p), json.Unmarshal(row[0], &p.Text)); err != nil {
					t.Fatal(err)
				}
				want = append(want, p)
			}
			if !slices.Equal(order, c.Order) || !slices.Equal(got, want) {
				t.Errorf("%s: %q, %+v, want %q, %+v", c.Name, order, got, c.Order, want)
			}
		}
	})
}

// TestDatabase: in whatever order pages come, the file is the same; the last one has its MD5, one that failed too.
func TestDatabase(t *testing.T) {
	dir := pagesIn(t, map[string]string{
		"a.html": "<p>alpha beta</p>", "b.html": "<p>caf\xff</p>", "c.html": "<p>zzzz broken</p>", "d.html": "<p>delta</p>",
		frames.MappingFile: `{"a": "https://x/A"}`,
	})
	path := filepath.Join(t.TempDir(), "own.db")
	run := func(fails bool, samples ...int) (string, string) {
		w := opened(t, nobody{}, sdk.Options{Model: pagesModel, Dataset: dir, PartFiles: map[string]string{
			embedderPart: filepath.Join("model", "encoder_fp32.onnx")}}, "database="+path)
		if w.Len() != 4 {
			t.Fatal(w.Len())
		}
		e := &session{dim: 8}
		if m, _ := sdk.As[*databaseWorkload](w); fails {
			z, _ := m.embedderRows.ID("z")
			e.bad = func(ids []int64) bool { return slices.Contains(ids, int64(z)) }
		}
		p, err := answersOf(t, w, sdk.Sessions{embedderPart: e}, samples...)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for i := range samples {
			all = append(all, string(p.At(i)))
		}
		return strings.Join(all, " "), remarks(t, w)
	}
	first, m := run(false, 0, 1, 2, 3)
	sum, err := index.FileMD5(path)
	if err != nil || first != "\x01 \x01 \x01 "+sum || !strings.Contains(m, "b.html: the page cannot be read") {
		t.Errorf("%q, %v, want the MD5 %s; %s", first, err, sum, m)
	}
	if again, _ := run(false, 3, 1, 1, 0, 2, 2); again != "\x01 \x01 \x01 \x01 "+sum+" \x01" {
		t.Errorf("%q, want the MD5 %s", again, sum)
	}
	if failed, m := run(true, 0, 1, 3, 2); len(failed) != len("\x01 \x01 \x01 ")+32 || !strings.Contains(m, "c.html: ") {
		t.Errorf("%q; %s", failed, m)
	}
	if db, err := index.Open(path); err != nil || db.Len() != 3 || db.Passages[1].Text != "Document: b.html" ||
		db.Passages[0].URL != "https://x/A" {
		t.Errorf("%+v, %v", db, err)
	}
	failed, _ := run(true, 0, 2, 1, 3)
	if sum, err = index.FileMD5(path); err != nil || failed != "\x01 \x00 \x01 "+sum {
		t.Errorf("%q, %v, want the MD5 %s", failed, err, sum)
	}
}

// TestOtherDatabase: an embedder of another dimension is refused before the run.
func TestOtherDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "own.db")
	w := opened(t, nobody{}, sdk.Options{Model: pagesModel, Count: 2}, "database="+path)
	if _, err := answersOf(t, w, sdk.Sessions{embedderPart: &session{dim: 8}}, 0, 1); err != nil {
		t.Fatal(err)
	}
	w = opened(t, nobody{}, sdk.Options{}, "database="+path)
	_, err := answersOf(t, w, sessions(), 0)
	sdktest.WantError(t, err, "database", "vectors of 8 values, the embedder makes 64")
}

func TestFaultsOfSettings(t *testing.T) {
	_, err := New(nobody{}).Open(t.Context(), sdk.Options{Params: map[string]string{
		"prompts": t.TempDir(), "llm": "", "llm_options": "key", "rounds": "0", "database": "none.db", "cache": "none.json",
		"vocab": "none.txt",
	}})
	sdktest.WantError(t, err, "queries.txt", `llm = ""`, "KEY=VALUE", `rounds = "0"`, "none.db", "none.txt")
	_, err = New(nobody{}).Open(t.Context(), sdk.Options{Params: map[string]string{"llm": "http://x"}})
	sdktest.WantError(t, err, "llm", "there is no server")
	_, err = New(nobody{}).OpenScorer(t.Context(), sdk.ScoreOptions{Embedded: true,
		Params: map[string]string{"judge": ""}})
	sdktest.WantError(t, err, `judge = ""`)
}

func FuzzParseReplies(f *testing.F) {
	f.Add([]byte(`{"queries": [{"query_id": 3, "llm_calls": [{"component": "c", "output": {"response": "x"}}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if all, err := parseReplies(text); err == nil && len(all) == 0 {
			t.Fatal("no reply and no error")
		}
	})
}

// TestSumOfOfficialPrompts: the words of the official program are known by their sum.
func TestSumOfOfficialPrompts(t *testing.T) {
	golden.Each(t, "rag/prompts.json", func(t *testing.T, path string) {
		var texts map[string]string
		golden.ReadJSON(t, path, &texts)
		files := map[string]string{}
		for name, text := range texts {
			files[name+".txt"] = text
		}
		p, err := agent.ReadPrompts(os.DirFS(pagesIn(t, files)))
		if err != nil || p.Sum != officialPromptSum {
			t.Errorf("%s, %v, want %s", p.Sum, err, officialPromptSum)
		}
		if _, err := hex.DecodeString(officialPromptSum); err != nil {
			t.Error(err)
		}
	})
}
