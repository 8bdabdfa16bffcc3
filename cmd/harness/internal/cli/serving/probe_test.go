package serving_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
)

// serve is the address of a server without a model.
func serve(t *testing.T, o openaitest.Options) string {
	t.Helper()
	return handle(t, openaitest.New(o))
}

// handle is the address of a server.
func handle(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func TestProbe(t *testing.T) {
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true})
	s := clitest.New(t)
	s.Want(0, s.Run("probe", url), "mock at "+url+"/v1 (vllm", "chat", "completions", "tokens by ids",
		"answers of an exact length can be asked for")
	s.Want(0, s.Run("probe", strings.TrimPrefix(url, "http://")+"/v1/chat/completions"), "mock at "+url)
	s.Want(0, s.Run("probe", url, "--json"), `"schema": "plumbline.probe"`, `"counts": "ids"`, `"streams": true`)
	url = serve(t, openaitest.Options{NoUsage: true})
	s.Want(0, s.Run("probe", url), "no tokens", "--tokenizer FILE")
}

// TestNoServer: each address that is none of a server of language models says what is there instead.
func TestNoServer(t *testing.T) {
	page := func(status int, body string) string {
		return handle(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}))
	}
	s := clitest.New(t)
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	key := serve(t, openaitest.Options{Key: "sesame-right"})
	s.Env["OPENAI_API_KEY"] = "sesame-wrong"
	model := serve(t, openaitest.Options{Model: "llama"})
	for _, command := range []string{"probe", "bench"} {
		s.Want(6, s.Run(command, closed.URL), "nothing listens at 127.0.0.1:")
		s.Want(6, s.Run(command, page(200, "<html>hello</html>")), "<html>")
		s.Want(6, s.Run(command, page(404, "no such page")), "404", "model")
		s.Want(6, s.Run(command, key), "401", "OPENAI_API_KEY")
		s.WantHidden([]string{"sesame-wrong", "sesame-right"})
		s.Want(6, s.Run(command, model, "--model", "lama"), `"lama"`, "llama")
		s.Want(2, s.Run(command, "ftp://host"), "ftp://host")
		s.Want(2, s.Run(command, "http://me:sesame-url@host"))
		s.WantHidden([]string{"sesame-url"})
		s.Want(2, s.Run(command, model, "--backend-opt", "url=x", "--backend-opt", "retries=2"), "use the argument")
		s.Want(2, s.Run(command, model, "--backend-opt", "retries=2"), "sends each request once")
	}
}
