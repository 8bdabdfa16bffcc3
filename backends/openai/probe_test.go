package openai_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

func probeHandler(t *testing.T, h http.Handler) openai.ProbeResult {
	t.Helper()
	p, err := askClient(t, serve(t, h)).ProbeServer(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProbe(t *testing.T) {
	p := probeHandler(t, openaitest.New(openaitest.Options{Owner: "vllm", IDs: true}))
	if p.Kind != "vllm" || p.Model != "mock" || !slices.Contains(p.APIs, openai.Chat) || p.Asked != openai.Chat ||
		!p.Streams || p.Counts != "ids" || !p.Agree || p.Tokens != 32 || p.TTFT <= 0 || len(p.Text) == 0 {
		t.Errorf("%+v", p)
	}
	p = probeHandler(t, openaitest.New(openaitest.Options{Owner: "vllm"}))
	if p.Counts != "usage" || p.Tokens != 32 {
		t.Errorf("without ids: %+v", p)
	}
	p = probeHandler(t, openaitest.New(openaitest.Options{NoUsage: true}))
	if p.Counts != "" || p.Tokens != -1 || p.TPOT != 0 || p.Kind != "other" {
		t.Errorf("without any count: %+v", p)
	}
}

func TestProbeOfOneAPI(t *testing.T) {
	only := func(path, body string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && !strings.HasSuffix(r.URL.Path, path) {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			answering("application/json", body).ServeHTTP(w, r)
		})
	}
	p := probeHandler(t, only("/embeddings", `{"data":[{}]}`))
	if p.MaxLength != 4096 || !slices.Equal(p.APIs, []openai.APIPart{openai.Embeddings}) || p.Asked != "" || p.Streams ||
		len(p.Faults) != 0 {
		t.Errorf("%+v", p)
	}
	p = probeHandler(t, only("/v1/completions", `{"choices":[{"text":"a"}],"usage":{"completion_tokens":3}}`))
	if p.Asked != openai.Completions || p.Streams || p.Counts != "usage" || p.TTFT != 0 {
		t.Errorf("%+v", p)
	}
	_, err := askClient(t, serve(t, only("/nothing", ""))).ProbeServer(context.Background())
	if err == nil || !strings.Contains(err.Error(), "no API") || !strings.Contains(err.Error(), "404") {
		t.Errorf("%v", err)
	}
}

// TestProbeOfEmptyAnswers checks that an answer without tokens permits no statement about streams.
func TestProbeOfEmptyAnswers(t *testing.T) {
	s := openaitest.New(openaitest.Options{Fault: func(int64) openaitest.Fault { return openaitest.Fault{Empty: true} }})
	if p, err := askClient(t, serve(t, s)).ProbeServer(context.Background()); err == nil ||
		!strings.Contains(err.Error(), "no token") {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestClientCannotConnect checks the errors for common mistakes in addresses.
func TestClientCannotConnect(t *testing.T) {
	html := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!DOCTYPE html><title>Welcome</title>")
	})
	two := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"data":[{"id":"a"},{"id":"b"}]}`)
	})
	gone := apart(t, html)
	gone.Close()
	for _, c := range []struct {
		name    string
		url     string
		options []string
		is      error
		says    []string
	}{
		{"nothing listens", strings.TrimPrefix(gone.URL, "http://"), nil, nil,
			[]string{"nothing listens at " + strings.TrimPrefix(gone.URL, "http://")}},
		{"a web page", serve(t, html), nil, nil, []string{"text/html", "Welcome"}},
		{"a wrong key", serve(t, openaitest.New(openaitest.Options{Key: "k"})), nil, nil,
			[]string{"401", "was sent the API key", "OPENAI_API_KEY"}},
		{"no key", serve(t, openaitest.New(openaitest.Options{Key: "k"})), []string{"key_env="}, nil,
			[]string{"401", "OPENAI_API_KEY is not set"}},
		{"no list", serve(t, http.NotFoundHandler()), nil, nil, []string{"404", "give the model's name"}},
		{"several models", serve(t, two), nil, backend.ErrModel, []string{"a, b"}},
		{"another model", serve(t, two), []string{"model=c"}, backend.ErrModel, []string{`"c"`, "a, b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			options := asOptions(c.url, c.options)
			env := func(string) (string, bool) { return "secret", true }
			if _, ok := options["key_env"]; ok {
				delete(options, "key_env")
				env = nil
			}
			_, err := openai.Backend{Lookup: env}.Client(context.Background(), options)
			if err == nil || c.is != nil && !errors.Is(err, c.is) {
				t.Fatalf("%v, want %v", err, c.is)
			}
			for _, part := range c.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%v\ndoes not say %q", err, part)
				}
			}
		})
	}
}

// TestClientBelievesAModelsName checks that the given model is used for a server without a list of models.
func TestClientBelievesAModelsName(t *testing.T) {
	c := askClient(t, serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.NotFound(w, r)
			return
		}
		answering("application/json", `{"choices":[{"text":"a"}]}`).ServeHTTP(w, r)
	})), "model=m")
	if a := c.ServerInfo(); a.Model != "m" || a.Kind != "other" {
		t.Errorf("%+v", a)
	}
	if _, _, err := ask(t, c, completion); err != nil {
		t.Error(err)
	}
}

func TestClientReadsVersionAndLength(t *testing.T) {
	for kind, c := range map[string]struct{ path, answer, version string }{
		"vllm":     {"/version", `{"version":"0.11.2"}`, "0.11.2"},
		"sglang":   {"/get_server_info", `{"version":"0.5.5"}`, "0.5.5"},
		"llamacpp": {"/props", `{"build_info":"b1","default_generation_settings":{"n_ctx":2048}}`, "b1"},
		"other":    {"/version", `{"version":"1"}`, ""},
	} {
		s := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/v1/models":
				fmt.Fprintf(w, `{"data":[{"id":"m","owned_by":%q,"meta":{"n_vocab":321}}]}`, kind)
			case c.path:
				fmt.Fprint(w, c.answer)
			default:
				http.NotFound(w, r)
			}
		})
		a := askClient(t, serve(t, s)).ServerInfo()
		if a.Kind != kind || a.Version != c.version || a.Vocabulary != 321 || (a.MaxLength == 2048) != (kind == "llamacpp") {
			t.Errorf("%+v", a)
		}
	}
}

func TestForgetPrompts(t *testing.T) {
	asked := 0
	handler := func(status int) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && r.URL.Path == "/reset_prefix_cache" {
				asked++
				w.WriteHeader(status)
				return
			}
			answering("", "").ServeHTTP(w, r)
		})
	}
	for status, want := range map[int]bool{http.StatusOK: true, http.StatusNotFound: false} {
		asked = 0
		got, err := askClient(t, serve(t, handler(status), handler(status))).ForgetPrompts(context.Background())
		if err != nil || got != want || want && asked != 2 {
			t.Errorf("status %d: %v, %v, asked %d times", status, got, err, asked)
		}
	}
	if got, err := askClient(t, serve(t, handler(200)), "server=llamacpp").ForgetPrompts(context.Background()); got ||
		err != nil {
		t.Errorf("llamacpp: %v, %v", got, err)
	}
}

// TestRealServerIsProbed probes the server that the variable names, through every API.
func TestRealServerIsProbed(t *testing.T) {
	url := os.Getenv(realVariable)
	if url == "" {
		t.Skip(realVariable + " names no server")
	}
	c := askClient(t, url)
	p, err := c.ProbeServer(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", p)
	if p.Asked == "" || !p.Streams || p.TTFT <= 0 || p.Counts == "" || !p.Agree {
		t.Errorf("%+v", p)
	}
	for _, of := range p.APIs {
		if of == openai.Embeddings || of == openai.Rerank {
			continue
		}
		for _, whole := range []bool{false, true} {
			o, response, err := askTimed(t, c, openai.ClientCall{API: of, Text: "one two", MaxTokens: 24, Exact: true,
				Whole: whole})
			if err != nil || len(o.at) == 0 || response.Usage.Completion <= 0 || response.Usage.Prompt <= 0 ||
				response.Whole != whole {
				t.Errorf("%s, whole %v: %d events, %+v, %v", of, whole, len(o.at), response, err)
			}
			t.Logf("%s, whole %v: %d events, %+v, %q", of, whole, len(o.at), response, o.text)
		}
	}
}
