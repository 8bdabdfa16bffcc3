package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// ask writes a request with options given as key=value.
func ask(t *testing.T, p backend.Prompt, options ...string) (serverRequest, error) {
	t.Helper()
	given := map[string]string{"url": "http://h", "model": "m"}
	for _, o := range options {
		key, value, _ := strings.Cut(o, "=")
		given[key] = value
	}
	s, err := readSettings(given)
	if err != nil {
		t.Fatal(err)
	}
	return newRequestMaker(s).makeRequest(p, "s1", false)
}

// TestGreedyRequests compares requests without sampling byte by byte with recorded ones.
func TestGreedyRequests(t *testing.T) {
	var b strings.Builder
	for _, kind := range kindNames() {
		for _, options := range [][]string{
			nil, {"api=chat"}, {"count=logprobs"}, {"count=usage", "prefix_cache=allow"},
			{"body.temperature=0.5", "body.min_tokens=1", "body.seed=3"},
		} {
			for _, p := range []backend.Prompt{
				{Tokens: []int32{1, 2, 30000}, Text: "a <b>\n", MaxNewTokens: 128, MinNewTokens: 2, EOS: []int32{5, 6}},
				{Text: "a <b>\n", Messages: []backend.ChatMessage{{Role: "system", Content: "é"}, {Role: "user", Content: "\""}},
					MaxNewTokens: 7},
				{Tokens: []int32{0}, Text: "x", MaxNewTokens: 1, Beams: 4, LengthPenalty: 1, EarlyStopping: true},
			} {
				r, err := ask(t, p, append(options, "server="+kind)...)
				fmt.Fprintf(&b, "%s %v: %s %s %v\n", kind, options, r.path, r.body, err)
			}
		}
	}
	file := filepath.Join("testdata", "greedy_requests.txt")
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != string(want) {
		t.Errorf("the requests are others than in %s:\n%s", file, got)
	}
}

// TestSampledRequests checks that the prompt's sampling fields are sent, that missing fields are not, and that options
// override them.
func TestSampledRequests(t *testing.T) {
	number, whole, seed := func(v float64) *float64 { return &v }, func(v int) *int { return &v }, int64(42)
	every := &backend.Sampling{Temperature: number(1), TopP: number(1), TopK: whole(-1), Seed: &seed}
	for _, c := range []struct {
		sampling *backend.Sampling
		options  []string
		want     string // fields behind max_tokens
	}{
		{&backend.Sampling{}, []string{"server=vllm"}, ``},
		{every, []string{"server=vllm"}, `"temperature":1,"top_p":1,"top_k":-1,"seed":42`},
		{every, []string{"server=trtllm"}, `"temperature":1,"top_p":1,"top_k":0,"seed":42`},
		{every, []string{"server=llamacpp"}, `"temperature":1,"top_p":1,"top_k":0,"seed":42`},
		{every, []string{"server=openai"}, `"temperature":1,"top_p":1,"seed":42`},
		{every, []string{"server=vllm", "body.seed=7", "body.top_k=3"}, `"temperature":1,"top_p":1`},
		{&backend.Sampling{TopK: whole(20), PresencePenalty: number(-0.5), FrequencyPenalty: number(1e-9)},
			[]string{"server=sglang"}, `"top_k":20,"presence_penalty":-0.5,"frequency_penalty":1e-09`},
	} {
		for _, path := range []string{"completions", "chat"} {
			p := backend.Prompt{Tokens: []int32{1}, Text: "a", MaxNewTokens: 3, Sampling: c.sampling}
			r, err := ask(t, p, append(c.options, "api="+path)...)
			if err != nil || !json.Valid(r.body) {
				t.Fatalf("%s: %v", r.body, err)
			}
			_, fields, _ := strings.Cut(string(r.body), `tokens":3`)
			fields, _, _ = strings.Cut(fields, `,"cache_salt"`)
			if got := strings.Trim(fields, ",}"); got != c.want {
				t.Errorf("%v: %s, want %s", c.options, got, c.want)
			}
			if strings.Contains(string(r.body), `"temperature":0,`) || strings.Contains(string(r.body), `"top_k":1`) {
				t.Errorf("%v: a request to draw asks for the most probable token: %s", c.options, r.body)
			}
		}
	}
}

func TestGenerateRequests(t *testing.T) {
	one, every := 1.0, -1
	p := backend.Prompt{Tokens: []int32{7, 300}, MaxNewTokens: 10240}
	drawn := p
	drawn.Sampling = &backend.Sampling{Temperature: &one, TopP: &one, TopK: &every}
	ends := drawn
	ends.EOS, ends.MinNewTokens = []int32{2, 3}, 2
	for _, c := range []struct {
		prompt  backend.Prompt
		options []string
		want    string
	}{
		{p, nil, `{"input_ids":[7,300],"sampling_params":{"max_new_tokens":10240,"temperature":0},"stream":true}`},
		{drawn, []string{"stream=false"}, `{"input_ids":[7,300],"sampling_params":{"max_new_tokens":10240,"temperature":1,` +
			`"top_p":1,"top_k":-1},"stream":false}`},
		{ends, []string{"body.sampling_params.ignore_eos=true", "body.sampling_params.top_p=0.5", "body.rid=x"},
			`{"input_ids":[7,300],"sampling_params":{"max_new_tokens":10240,"min_new_tokens":2,"stop_token_ids":[2,3],` +
				`"temperature":1,"top_k":-1,"ignore_eos":true,"top_p":0.5},"rid":"x","stream":true}`},
	} {
		r, err := ask(t, c.prompt, append(c.options, "api=sglang", "server=sglang")...)
		if err != nil || string(r.body) != c.want {
			t.Errorf("%v: %s, %v\nwant %s", c.options, r.body, err, c.want)
		}
	}
	for _, base := range []string{"http://h/v1", "http://h", "http://h/"} {
		r, err := ask(t, p, "api=sglang", "server=sglang", "url="+base)
		u, err2 := url.Parse(base)
		if err != nil || err2 != nil || r.urlAt(u) != "http://h/generate" {
			t.Errorf("%s: %s, %v %v", base, r.urlAt(u), err, err2)
		}
	}
}

func TestSampledRequestsThatCannotBe(t *testing.T) {
	wrong, few := 2.0, 3
	for want, p := range map[string]backend.Prompt{
		"TopP = 2":                {Tokens: []int32{1}, MaxNewTokens: 1, Sampling: &backend.Sampling{TopP: &wrong}},
		"have no such field":      {Tokens: []int32{1}, MaxNewTokens: 1, Sampling: &backend.Sampling{TopK: &few}},
		"no beam search":          {Tokens: []int32{1}, MaxNewTokens: 1, Beams: 2, Sampling: &backend.Sampling{}},
		"asked for without":       {Audio: []float32{0}, MaxNewTokens: 1, Sampling: &backend.Sampling{}},
		"it has neither token id": {MaxNewTokens: 1, Sampling: &backend.Sampling{}},
	} {
		if _, err := ask(t, p, "server=openai"); !errors.Is(err, ErrPrompt) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	_, err := ask(t, backend.Prompt{Text: "a", MaxNewTokens: 1, Beams: 2}, "server=sglang", "api=sglang")
	for _, want := range []string{"--param tokenizer=FILE", "no beam search"} {
		if !errors.Is(err, ErrPrompt) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for want, options := range map[string][]string{
		"want api=sglang":           {"stream=false"},
		"counted by ids":            {"api=sglang", "count=usage"},
		"asked of SGLang alone":     {"api=sglang", "server=vllm"},
		"option body.input_ids":     {"api=sglang", "body.input_ids=[1]"},
		"option body.sampling_para": {"api=sglang", "body.sampling_params={}"},
	} {
		given := map[string]string{"url": "http://h", "model": "m"}
		for _, o := range options {
			key, value, _ := strings.Cut(o, "=")
			given[key] = value
		}
		if _, err := readSettings(given); !errors.Is(err, backend.ErrOption) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", options, err, want)
		}
	}
}

// FuzzGenerated compares the parser of /generate's events with encoding/json.
func FuzzGenerated(f *testing.F) {
	f.Add([]byte(`{"text":"a","output_ids":[1,2],"meta_info":{"completion_tokens":2,"finish_reason":{"type":"stop"}}}`))
	f.Add([]byte(`{"output_ids":[],"meta_info":{"finish_reason":{"type":"abort","message":"m"},"cached_tokens":3}}`))
	f.Add([]byte(`{"error":{"message":"m"}}`))
	f.Add([]byte(`{"output_ids":[-1]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var p chunkParser
		c, ok := p.parseGenerated(data)
		if !ok {
			return
		}
		if !json.Valid(data) {
			t.Fatalf("%q is no JSON, and is taken", data)
		}
		for _, id := range c.ids {
			if id < 0 {
				t.Fatalf("%q has id %d", data, id)
			}
		}
		var a promptAnswer
		if a.keepNewIDs(c) == nil && int64(len(c.ids)) != c.usage.completion {
			t.Fatalf("%q: %d ids and %d tokens are taken", data, len(c.ids), c.usage.completion)
		}
	})
}
