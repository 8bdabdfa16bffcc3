package openai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
)

// timed is an observer with the clock of its test that stores only token events.
type timed struct {
	start time.Time
	at    []time.Duration
	kinds []openai.EventKind
	text  string
}

func (o *timed) Now() int64 { return int64(time.Since(o.start)) }

func (o *timed) Event(e *openai.ObservedEvent) {
	if e.Kind == openai.RoleEvent || e.Kind == openai.CommentEvent {
		return
	}
	o.at, o.kinds = append(o.at, time.Duration(e.At)), append(o.kinds, e.Kind)
	o.text += string(e.Thought) + string(e.Called) + string(e.Text)
}

// virtual calls use with a mock server on virtual time.
func virtual(t *testing.T, o openaitest.Options, use func(c *openai.Client, s *openaitest.Server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var m openaitest.Memory
		s := openaitest.New(o)
		defer m.Serve("mock:80", s)()
		c, err := openai.Backend{Dial: m.Dial}.Client(context.Background(), map[string]string{"url": "mock:80"})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		use(c, s)
	})
}

func askTimed(t testing.TB, c *openai.Client, call openai.ClientCall) (*timed, openai.Response, error) {
	t.Helper()
	r, err := c.WriteRequest(call)
	if err != nil {
		t.Fatal(err)
	}
	o := &timed{start: time.Now()}
	response, err := c.Ask(context.Background(), r, o)
	return o, response, err
}

func TestMockPace(t *testing.T) {
	o := openaitest.Options{
		Owner: "vllm", First: 100 * time.Millisecond, Step: 10 * time.Millisecond, Prefill: time.Millisecond,
		UsageDelay: 5 * time.Millisecond, Roles: true, Comments: true,
	}
	for _, of := range []openai.APIPart{openai.Chat, openai.Completions, openai.Responses} {
		virtual(t, o, func(c *openai.Client, _ *openaitest.Server) {
			got, response, err := askTimed(t, c, openai.ClientCall{API: of, Text: "one two three", MaxTokens: 4, Exact: true})
			if err != nil {
				t.Fatal(err)
			}
			for i, at := range got.at {
				if want := time.Duration(103+10*i) * time.Millisecond; at != want {
					t.Errorf("%s: token %d at %v, want %v", of, i, at, want)
				}
			}
			want := openai.TokenUsage{Prompt: 3, Completion: 4, Reasoning: -1, Cached: -1}
			if len(got.at) != 4 || response.Usage != want || response.End != int64(138*time.Millisecond) {
				t.Errorf("%s: %v %+v", of, got.at, response)
			}
		})
	}
}

// TestMockSlots checks that slots are assigned in order of arrival and that each occupied slot slows all requests.
func TestMockSlots(t *testing.T) {
	o := openaitest.Options{
		First: 10 * time.Millisecond, Step: 10 * time.Millisecond, Grow: 5 * time.Millisecond, Slots: 2,
	}
	virtual(t, o, func(c *openai.Client, s *openaitest.Server) {
		results := make([]*timed, 4)
		var users sync.WaitGroup
		for i := range results {
			users.Go(func() {
				var err error
				if results[i], _, err = askTimed(t, c, openai.ClientCall{API: openai.Completions, Text: "q",
					MaxTokens: 3}); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		users.Wait()
		for i, r := range results {
			begin := time.Duration(10+i/2*40) * time.Millisecond
			for k, at := range r.at {
				if want := begin + time.Duration(k)*15*time.Millisecond; at != want {
					t.Errorf("request %d: token %d at %v, want %v", i, k, at, want)
				}
			}
		}
		if s.MaxConcurrent() != 4 {
			t.Errorf("%d requests at a time, want 4", s.MaxConcurrent())
		}
	})
	if n := o.TopUsers(26 * time.Millisecond); n != 4 {
		t.Errorf("%d users, want 4", n)
	}
	if o.StepAt(2) != 15*time.Millisecond || o.TopUsers(time.Millisecond) != 0 {
		t.Errorf("%v, %d", o.StepAt(2), o.TopUsers(time.Millisecond))
	}
}

// TestMockTopRate checks that times between tokens stay below the limit at a rate just below the promised one, and
// exceed it above.
func TestMockTopRate(t *testing.T) {
	o := openaitest.Options{First: 50 * time.Millisecond, Step: 10 * time.Millisecond, Grow: time.Millisecond}
	const limit, tokens, requests = 30 * time.Millisecond, 20, 300
	top := o.TopRate(limit, 1, tokens)
	for share, holds := range map[float64]bool{0.95: true, 1.1: false} {
		virtual(t, o, func(c *openai.Client, _ *openaitest.Server) {
			var last *timed
			var all sync.WaitGroup
			for i := range requests {
				all.Go(func() {
					r, _, err := askTimed(t, c, openai.ClientCall{API: openai.Completions, Text: "q", MaxTokens: tokens})
					if err != nil {
						t.Error(err)
					}
					if i == requests-1 {
						last = r
					}
				})
				time.Sleep(time.Duration(float64(time.Second) / top / share))
			}
			all.Wait()
			// The last request runs while no more come: what it sees first is what the rate led to.
			if step := last.at[1] - last.at[0]; (step <= limit) != holds {
				t.Errorf("at %g of %g/s: %v between tokens, want at most %v: %v", share, top, step, limit, holds)
			}
		})
	}
}

func TestMockCache(t *testing.T) {
	o := openaitest.Options{Owner: "vllm", First: 100 * time.Millisecond, Caches: true}
	virtual(t, o, func(c *openai.Client, _ *openaitest.Server) {
		ids := func(v ...int32) openai.ClientCall {
			return openai.ClientCall{API: openai.Completions, IDs: v, MaxTokens: 1}
		}
		for i, want := range []struct {
			call   openai.ClientCall
			cached int64
			first  time.Duration
		}{
			{ids(1, 2, 3, 4), 0, 100 * time.Millisecond},
			{ids(1, 2, 3, 4), 3, 25 * time.Millisecond}, // the last token is always read
			{ids(1, 2, 5, 6), 2, 50 * time.Millisecond},
			{ids(2, 2, 3, 4), 0, 100 * time.Millisecond},
		} {
			got, response, err := askTimed(t, c, want.call)
			if err != nil || response.Usage.Cached != want.cached || got.at[0] != want.first {
				t.Errorf("%d: %v, %+v at %v; want %d cached, at %v", i, err, response.Usage, got.at, want.cached, want.first)
			}
		}
		if emptied, err := c.ForgetPrompts(context.Background()); !emptied || err != nil {
			t.Error(emptied, err)
		}
		if _, response, err := askTimed(t, c, ids(1, 2, 3, 4)); err != nil || response.Usage.Cached != 0 {
			t.Errorf("emptied: %+v, %v", response, err)
		}
	})
}

// TestMockAnswers requests reasoning and tool calls through all APIs, streamed and unstreamed: the texts are equal.
func TestMockAnswers(t *testing.T) {
	for _, think := range []int{0, 2} {
		for _, tools := range []json.RawMessage{nil, json.RawMessage(`[{"type":"function"}]`)} {
			for _, of := range []openai.APIPart{openai.Chat, openai.Responses} {
				s := openaitest.New(openaitest.Options{ReasoningTokens: think, Call: "look", TokensPerEvent: 3})
				c := askClient(t, serve(t, s))
				call := openai.ClientCall{API: of, Text: "q", MaxTokens: 7, Tools: tools}
				o, response, err := askTimed(t, c, call)
				if err != nil {
					t.Fatal(err)
				}
				call.Whole = true
				whole, wholeResponse, err := askTimed(t, c, call)
				if err != nil || wholeResponse.Usage != response.Usage || !wholeResponse.Whole || response.Whole {
					t.Errorf("%v: %+v in one piece, %+v as a stream", err, wholeResponse, response)
				}
				if think > 0 && (response.Usage.Reasoning != 2 || o.kinds[0] != openai.ReasoningEvent) {
					t.Errorf("%s: %+v, %v", of, response, o.kinds)
				}
				last := openai.ContentEvent
				if tools != nil {
					last = openai.ToolEvent
					if !strings.Contains(o.text, `look{"q":"`) || !strings.HasSuffix(o.text, `"}`) {
						t.Errorf("%s: %q", of, o.text)
					}
				}
				if o.kinds[len(o.kinds)-1] != last || whole.text != o.text || len(o.text) == 0 || response.Usage.Completion != 7 {
					t.Errorf("%s: %v %q, in one piece %q; %+v", of, o.kinds, o.text, whole.text, response)
				}
			}
		}
	}
}

func TestMockLengths(t *testing.T) {
	n := func(o openaitest.Options, exact bool) int64 {
		o.Owner = "vllm"
		_, response, err := askTimed(t, askClient(t, serve(t, openaitest.New(o))),
			openai.ClientCall{API: openai.Completions, Text: "q", MaxTokens: 8, Exact: exact})
		if err != nil {
			t.Fatal(err)
		}
		return response.Usage.Completion
	}
	for _, c := range []struct {
		options openaitest.Options
		exact   bool
		want    int64
	}{
		{openaitest.Options{EndsAt: 3}, false, 3}, {openaitest.Options{EndsAt: 3}, true, 8},
		{openaitest.Options{Tokens: 5}, true, 5}, {openaitest.Options{Extra: 2}, true, 10}, {openaitest.Options{}, false, 8},
	} {
		if got := n(c.options, c.exact); got != c.want {
			t.Errorf("%+v, exact %v: %d tokens, want %d", c.options, c.exact, got, c.want)
		}
	}
}

func TestMockRefusesWhatIsTooLong(t *testing.T) {
	s := openaitest.New(openaitest.Options{MaxLength: 10, Template: 4, NoStream: true, Loras: []string{"a1"}})
	c := askClient(t, serve(t, s), "model=mock")
	if a := c.ServerInfo(); a.MaxLength != 10 || len(a.Models) != 2 {
		t.Errorf("%+v", a)
	}
	call := openai.ClientCall{API: openai.Chat, Text: "one two", MaxTokens: 4, Model: "a1"}
	if _, response, err := askTimed(t, c, call); err != nil || !response.Whole || response.Usage.Prompt != 6 {
		t.Errorf("%+v, %v", response, err)
	}
	call.MaxTokens = 5
	_, _, err := askTimed(t, c, call)
	if f := new(openai.CallFailure); !errors.As(err, &f) || f.Code != 400 || !strings.Contains(f.Error(), "10 tokens") {
		t.Errorf("%v", err)
	}
}

func TestMockResults(t *testing.T) {
	c := askClient(t, serve(t, openaitest.New(openaitest.Options{})))
	for _, call := range []openai.ClientCall{
		{API: openai.Embeddings, Input: json.RawMessage(`["one two","three"]`)},
		{API: openai.Embeddings, IDs: []int32{1, 2, 3}},
		{API: openai.Rerank, Query: "one", Documents: json.RawMessage(`["two","three"]`)},
	} {
		_, response, err := askTimed(t, c, call)
		if want := map[openai.APIPart]int64{openai.Embeddings: 3, openai.Rerank: 4}[call.API]; err != nil ||
			response.Usage.Prompt != want {
			t.Errorf("%s: %+v, %v; want %d tokens", call.API, response, err, want)
		}
	}
}

func TestMockMix(t *testing.T) {
	f, err := openaitest.ReadMix("429=5%, 500=0.02,cut=1%,error=1%,stall=1%,empty=1%", 7)
	if err != nil {
		t.Fatal(err)
	}
	count := map[openaitest.Fault]int{}
	for n := range int64(10000) {
		fault := f(n)
		if again := f(n); again != fault {
			t.Fatalf("%+v, and then %+v", fault, again)
		}
		count[fault]++
	}
	if n := count[openaitest.Fault{Status: 429}]; n < 400 || n > 600 || len(count) != 7 {
		t.Errorf("%v", count)
	}
	for _, text := range []string{"", "429", "429=x", "429=90%,500=20%", "200=1%", "what=1%", "cut=-1%", "cut=NaN"} {
		if _, err := openaitest.ReadMix(text, 1); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestMockEmpty(t *testing.T) {
	s := openaitest.New(openaitest.Options{Fault: func(int64) openaitest.Fault { return openaitest.Fault{Empty: true} }})
	c := askClient(t, serve(t, s))
	for _, whole := range []bool{false, true} {
		call := completion
		call.Whole = whole
		if o, _, err := askTimed(t, c, call); err != nil || len(o.at) != 0 {
			t.Errorf("whole %v: %v, %v", whole, o.kinds, err)
		}
	}
}

// TestMockTells checks the server's own log and metrics.
func TestMockTells(t *testing.T) {
	var log bytes.Buffer
	o := openaitest.Options{
		First: 30 * time.Millisecond, Step: 10 * time.Millisecond, Log: &log, Version: "1.2", Slots: 4, Caches: true,
		Owner: "vllm",
	}
	var page string
	virtual(t, o, func(c *openai.Client, s *openaitest.Server) {
		if v := c.ServerInfo().Version; v != "1.2" {
			t.Errorf("version %q", v)
		}
		call := completion
		call.Header = map[string]string{"X-Request-Id": "r1"}
		for range 2 {
			if _, _, err := askTimed(t, c, call); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		var w memoryWriter
		request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		s.ServeHTTP(&w, request)
		page = w.String()
	})
	for _, line := range []string{
		`vllm:num_requests_running{model_name="mock"} 0`, `vllm:prompt_tokens_total{model_name="mock"} 6`,
		`vllm:generation_tokens_total{model_name="mock"} 10`, `vllm:prefix_cache_hits_total{model_name="mock"} 2`,
		`vllm:time_to_first_token_seconds_count{model_name="mock"} 2`,
		`vllm:time_per_output_token_seconds_bucket{model_name="mock",le="0.01"} 8`,
		`vllm:request_queue_time_seconds_sum{model_name="mock"} 0`,
	} {
		if !strings.Contains(page, line+"\n") {
			t.Errorf("no line %s in\n%s", line, page)
		}
	}
	lines := json.NewDecoder(&log)
	for i := range int64(2) {
		var e openaitest.Entry
		if err := lines.Decode(&e); err != nil {
			t.Fatal(err)
		}
		first := []time.Duration{30 * time.Millisecond, 10 * time.Millisecond}[i]
		if e.Request != i || e.ID != "r1" || e.Tokens != 5 || e.First-e.Received != int64(first) ||
			e.Last-e.First != int64(40*time.Millisecond) || e.End < e.Last {
			t.Errorf("%+v", e)
		}
	}
	if _, err := lines.Token(); !errors.Is(err, io.EOF) {
		t.Errorf("more lines: %v", err)
	}
}

// memoryWriter is an answer without a connection.
type memoryWriter struct {
	bytes.Buffer
	header http.Header
}

func (w *memoryWriter) Header() http.Header {
	if w.header == nil {
		w.header = http.Header{}
	}
	return w.header
}

func (w *memoryWriter) WriteHeader(int) {}
