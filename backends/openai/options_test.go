package openai_test

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

func TestKeyAndTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(openaitest.New(openaitest.Options{Owner: "vllm", IDs: true, Key: "secret"}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that are to fail
	server.StartTLS()
	defer server.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
		0o600); err != nil {
		t.Fatal(err)
	}
	for _, options := range [][]string{{"ca=" + ca}, {"insecure=true"}, {"insecure=true", "key_env=OTHER"}} {
		g := connect(t, server.URL, options...)
		if _, err := generate(t, g, prompt); err != nil {
			t.Errorf("%v: %v", options, err)
		}
	}
	for _, c := range []struct{ option, says string }{
		{"idle_timeout=1s", "certificate"},
		{"ca=" + filepath.Join(t.TempDir(), "none"), "no such file"},
		{"key_env=ABSENT", "no environment variable ABSENT"},
	} {
		if _, err := open(server.URL, c.option); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want one that says %q", c.option, err, c.says)
		}
	}
	keyless := asOptions(server.URL, []string{"insecure=true"})
	if _, err := (openai.Backend{}).Connect(context.Background(), backend.Config{Options: keyless}); err == nil ||
		!strings.Contains(err.Error(), "wrong API key") || !strings.Contains(err.Error(), "key_env") {
		t.Errorf("no key: %v", err)
	}
}

func TestOptionsThatAreWrong(t *testing.T) {
	_, err := open("ftp://x,http://u@y,http://z?q", "api=soap", "count=chunks", "concurrency=0",
		"idle_timeout=fast", "on_failure=panic",
		"prefix_cache=on", "server=torch", "what=ever")
	if !errors.Is(err, backend.ErrOption) {
		t.Fatal(err)
	}
	for _, part := range []string{`"ftp://x"`, `"...@y"`, `"http://z"`, "api=soap", "auto, chat, completions",
		"count=chunks", "from 1 to", "idle_timeout=fast",
		"continue, end", "prefix_cache=on", "server=torch", "llamacpp", `unknown option "what"`} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v\ndoes not say %q", err, part)
		}
	}
	if _, err := open(""); !errors.Is(err, backend.ErrOption) || !strings.Contains(err.Error(), "http://localhost:8000") {
		t.Errorf("no url: %v", err)
	}
}

// TestSecretsAreNotShown checks that errors contain no secrets, because they appear on screens and in logs.
func TestSecretsAreNotShown(t *testing.T) {
	for url, shown := range map[string]string{
		"http://user:hunter2@h:8000/v1":      "@h:8000/v1",
		"http://hunter2@h":                   "@h",
		"http://user:hunter2/x@h":            "@h",
		"http://user:hunter2?x@h":            "...",
		"user:hunter2@h:8000":                "@h:8000",
		"http://h:8000/v1?key=hunter2":       "http://h:8000/v1",
		"http://h:8000/v1?key=a@hunter2":     "...",
		"http://h:8000/v1#hunter2":           "http://h:8000/v1",
		"http://user:hunter2@h:port":         "@h:port",
		"http://user:hunter2%zz@h:8000":      "@h:8000",
		"http://good:1,http://u:hunter2@h:8": "@h:8",
	} {
		_, err := open(url)
		if !errors.Is(err, backend.ErrOption) || !strings.Contains(err.Error(), shown) ||
			strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want one with %q and without the secret", url, err, shown)
		}
	}
}

func TestModels(t *testing.T) {
	list := func(data string) string {
		return serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, data) }))
	}
	two := list(`{"data":[{"id":"a","owned_by":"vllm"},{"id":"b","owned_by":"vllm"}]}`)
	other := list(`{"data":[{"id":"a","owned_by":"sglang"}]}`)
	for _, c := range []struct {
		urls, option, says string
	}{
		{two, "model=b", ""},
		{two, "retries=1", "2 models: choose one with option model: a, b"},
		{two, "model=c", `no model "c", but a, b`},
		{two + "," + other, "model=a", "another of the kind vllm"},
		{two + "," + other, "model=b", `no model "b", but a`},
		{list("<html>"), "retries=1", "not what the API has"},
		{list(`{"error":"x"}`), "retries=1", "0 models"},
	} {
		_, err := open(c.urls, c.option)
		if c.says == "" && err != nil ||
			c.says != "" && (!errors.Is(err, backend.ErrModel) || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v, want one that says %q", c.option, err, c.says)
		}
	}
	for _, urls := range []string{"http://127.0.0.1:1", two + ",http://127.0.0.1:1"} {
		_, err := open(urls, "model=c")
		if errors.Is(err, backend.ErrModel) || err == nil || !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("%s: %v, want that it is gone, which is not the model's fault", urls, err)
		}
	}
}

func TestBodyOption(t *testing.T) {
	var body string
	g := connect(t, serve(t, script(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		body = string(b)
		writeEvent(w, `{"choices":[{"text":"a","token_ids":[1],"finish_reason":"stop"}]}`)
		writeEvent(w, "[DONE]")
	})), "body.temperature=0.5", "body.stop=END", "body.min_tokens=7")
	p := backend.Prompt{Text: "hé\n", MaxNewTokens: 9, MinNewTokens: 3, EOS: []int32{2, 3}}
	if _, err := generate(t, g, p); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"temperature":0.5`, `"stop":"END"`, `"prompt":"hé\n"`, `"max_tokens":9`,
		`"min_tokens":7`, `"stop_token_ids":[2,3]`,
		`"cache_salt":"`, `"return_token_ids":true`, `"stream_options":{"include_usage":true}`} {
		if strings.Count(body, part) != 1 {
			t.Errorf("%s does not have %s once", body, part)
		}
	}
	if strings.Contains(body, `"min_tokens":3`) {
		t.Error("the prompt's minimum is there beside the option's")
	}
}

// TestFieldsOfServers checks that TensorRT-LLM gets no unknown fields, because it refuses them.
func TestFieldsOfServers(t *testing.T) {
	chat := backend.Prompt{Messages: []backend.ChatMessage{{Role: "user", Content: "q"}}, MaxNewTokens: 3}
	for _, c := range []struct {
		server string
		prompt backend.Prompt
		has    []string
		lacks  []string
	}{
		{"trtllm", prompt, []string{`"top_k":1`}, []string{"cache_salt", "return_token_ids", "cache_prompt"}},
		{"trtllm", chat, []string{`"top_k":1`, "cache_salt", `"max_tokens":3`}, []string{"return_token_ids"}},
		{"sglang", prompt, []string{"cache_salt"}, []string{"return_token_ids", "top_k"}},
		{"llamacpp", prompt, []string{`"cache_prompt":false`}, []string{"cache_salt"}},
		{"openai", chat, []string{`"max_completion_tokens":3`}, []string{"cache_salt", "cache_prompt", "max_tokens\""}},
		{"other", prompt, []string{`"max_tokens":5`}, []string{"cache_salt", "cache_prompt", "top_k"}},
	} {
		body := ""
		g := connect(t, serve(t, script(func(w http.ResponseWriter, r *http.Request) {
			b, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			body = string(b)
			writeEvent(w, `{"choices":[{"text":"a","finish_reason":"stop"}],"usage":{"completion_tokens":1}}`)
			writeEvent(w, "[DONE]")
		})), "server="+c.server)
		if _, err := generate(t, g, c.prompt); err != nil {
			t.Errorf("%s: %v", c.server, err)
		}
		for _, part := range c.has {
			if !strings.Contains(body, part) {
				t.Errorf("%s: %s lacks %s", c.server, body, part)
			}
		}
		for _, part := range c.lacks {
			if strings.Contains(body, part) {
				t.Errorf("%s: %s has %s", c.server, body, part)
			}
		}
	}
}

func TestPrefixCache(t *testing.T) {
	caching := openaitest.Options{Model: "m", Owner: "sglang", Caches: true, First: 20 * time.Millisecond, Fault: nil}
	salted := caching
	salted.Owner = "vllm"
	ask := func(o openaitest.Options, option string, times int) (r openai.GeneratorReport, err error) {
		synctest.Test(t, func(t *testing.T) {
			// The kind "other" has no salt.
			g := inMemory(t, []http.Handler{openaitest.New(o)}, option, "server="+o.Owner)
			for range times {
				if _, err = generate(t, g, prompt); err != nil {
					break
				}
			}
			r = g.Report()
		})
		return r, err
	}
	unsalted := caching
	unsalted.Owner = "other"
	if _, err := ask(unsalted, "prefix_cache=off", 2); !errors.Is(err, openai.ErrPrefixCache) {
		t.Errorf("a cache that is reported: %v", err)
	}
	if r, err := ask(unsalted, "prefix_cache=allow", 2); err != nil || r.CachedTokens != 0 {
		t.Errorf("allowed: %+v, %v", r, err)
	}
	if r, err := ask(unsalted, "prefix_cache=report", 40); err != nil || r.CachedTokens == 0 ||
		!r.Suspicious || r.Repeated != 39 {
		t.Errorf("reported: %+v, %v", r, err)
	}
	if r, err := ask(salted, "prefix_cache=off", 5); err != nil || r.CachedTokens != 0 || r.Soon != 0 || r.Repeated != 4 {
		t.Errorf("salted: %+v, %v", r, err)
	}
}
