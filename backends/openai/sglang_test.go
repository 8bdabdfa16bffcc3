package openai_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// TestGenerateAtSGLang checks that both forms of events and an unstreamed answer contain the server's ids.
func TestGenerateAtSGLang(t *testing.T) {
	ids, _ := openaitest.Generated(promptJSON, 5)
	for name, o := range map[string]openaitest.Options{
		"new tokens":                {},
		"all tokens":                {Repeats: true},
		"two at a time":             {TokensPerEvent: 2},
		"two at a time, all tokens": {TokensPerEvent: 2, Repeats: true},
		"comments":                  {Comments: true},
		"an end of its own":         {EndsAt: 5},
	} {
		o.Owner = "sglang"
		url := serve(t, openaitest.New(o))
		for _, stream := range []string{"true", "false"} {
			s, err := generate(t, connect(t, url, "api=sglang", "stream="+stream), prompt)
			if err != nil {
				t.Errorf("%s, stream %s: %v", name, stream, err)
				continue
			}
			first := max(o.TokensPerEvent, 1)
			if stream == "false" {
				first = 5
			}
			got := s.complete[0]
			if s.order != "fc" || !slices.Equal(got.IDs, ids) || got.N != 5 || !slices.Equal(s.firsts[0].IDs, ids[:first]) {
				t.Errorf("%s, stream %s: %s %v, want %v", name, stream, s.order, s, ids)
			}
		}
	}
}

// TestSGLangThatIsNotToBeBelieved checks that ids that do not match their count are an error.
func TestSGLangThatIsNotToBeBelieved(t *testing.T) {
	const event = `{"output_ids":[%],"meta_info":{"completion_tokens":#,"finish_reason":null}}`
	other := strings.NewReplacer("%", "1,2", "#", "2").Replace(event)
	for name, c := range map[string]struct {
		fault openaitest.Fault
		says  string
		whole bool // of an answer in one piece, too
	}{
		"a retraction":     {openaitest.Fault{After: 3, Count: -2}, "takes tokens back: 2 after 3 had come", false},
		"a short chunk":    {openaitest.Fault{After: 2, IDs: -1}, "and counts 3 tokens", false},
		"an empty chunk":   {openaitest.Fault{After: 0, IDs: -1}, "it has 0 token ids, and counts 1 tokens", false},
		"made-up ids":      {openaitest.Fault{After: 2, IDs: 1}, "and counts 3 tokens", true},
		"more than it has": {openaitest.Fault{After: 2, Count: 2}, "and counts 5 tokens", true},
		"no count":         {openaitest.Fault{After: 1, Uncounted: true}, "meta_info.completion_tokens", true},
		"other tokens":     {openaitest.Fault{After: 1, Event: other}, "token 0 of its answer is 1, and was ", false},
		"no event":         {openaitest.Fault{After: 1, Event: `{"output_ids":[1`}, "is not what the API has", false},
		"an abort": {openaitest.Fault{After: 1, Event: `{"meta_info":{"finish_reason":{"type":"abort","message":"full"}}}`},
			"aborted: full", false},
		"an error": {openaitest.Fault{After: 2, Error: "no memory"}, "no memory", true},
	} {
		for _, repeats := range []bool{false, true} {
			o := openaitest.Options{Owner: "sglang", Repeats: repeats, Fault: func(int64) openaitest.Fault { return c.fault }}
			url := serve(t, openaitest.New(o))
			if _, err := generate(t, connect(t, url, "api=sglang"), prompt); err == nil ||
				!strings.Contains(err.Error(), c.says) {
				t.Errorf("%s, repeats %v: %v, want %q", name, repeats, err, c.says)
			}
			if _, err := generate(t, connect(t, url, "api=sglang", "stream=false"), prompt); c.whole && err == nil {
				t.Errorf("%s: an answer in one piece is taken", name)
			}
		}
	}
	cut := openaitest.New(openaitest.Options{Owner: "sglang", Fault: func(int64) openaitest.Fault {
		return openaitest.Fault{After: 2, Event: "[DONE]"}
	}})
	if _, err := generate(t, connect(t, serve(t, cut), "api=sglang"), prompt); !errors.Is(err, openai.ErrStream) ||
		!strings.Contains(err.Error(), "ended after 2 tokens without saying why") {
		t.Errorf("an answer without an end: %v", err)
	}
}

func TestSGLangThatIsNone(t *testing.T) {
	_, err := open(serve(t, openaitest.New(openaitest.Options{Owner: "vllm"})), "api=sglang")
	if !errors.Is(err, backend.ErrModel) || !strings.Contains(err.Error(), "api=sglang asks SGLang alone") {
		t.Errorf("%v", err)
	}
	refusing := openaitest.New(openaitest.Options{Owner: "sglang", Fault: func(int64) openaitest.Fault {
		return openaitest.Fault{Status: 400}
	}})
	if _, err := generate(t, connect(t, serve(t, refusing), "api=sglang"), prompt); !errors.Is(err, openai.ErrServer) {
		t.Errorf("%v", err)
	}
}
