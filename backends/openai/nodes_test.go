package openai_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// nodesOf connects to servers and returns them as nodes.
func nodesOf(t *testing.T, options map[string]string) (*openai.Generator, []backend.RemoteNode) {
	t.Helper()
	options["connect_timeout"] = "5m"
	g, err := openai.Backend{}.Connect(t.Context(), backend.Config{Options: options})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	return g, g.Nodes()
}

func TestNodes(t *testing.T) {
	mock := openaitest.New(openaitest.Options{Model: "m", Owner: "vllm", Alias: "node-a"})
	a := httptest.NewServer(mock)
	defer a.Close()
	b := httptest.NewServer(openaitest.New(openaitest.Options{Model: "m", Owner: "vllm"}))
	defer b.Close()
	_, nodes := nodesOf(t, map[string]string{"url": a.URL + "," + b.URL, "model": "m"})
	for i, want := range []struct{ name, address string }{{"node-a", a.URL}, {"vllm", b.URL}} {
		name, peer, err := nodes[i].Name(t.Context())
		if name != want.name || "http://"+peer != want.address ||
			!strings.HasPrefix(nodes[i].Address(), want.address) || err != nil {
			t.Errorf("node %s calls itself %q at %q, error %v; want %q", nodes[i].Address(), name, peer, err, want.name)
		}
		if err := nodes[i].Send(t.Context(), 1<<20); err != nil {
			t.Errorf("node %s: %v", nodes[i].Address(), err)
		}
	}
	if mock.RequestCount() != 0 {
		t.Errorf("measuring a node asked it for %d answers", mock.RequestCount())
	}
}

func TestNodesThatDoNotReadWhatIsSent(t *testing.T) {
	for status, want := range map[int]string{
		http.StatusRequestEntityTooLarge: "raise the limit", http.StatusNotFound: "404", http.StatusBadGateway: "502",
		http.StatusBadRequest: "", http.StatusUnprocessableEntity: "", http.StatusInternalServerError: "",
	} {
		mux := http.NewServeMux()
		mux.Handle("GET /v1/models", openaitest.New(openaitest.Options{Model: "m"}))
		mux.HandleFunc("POST /v1/completions", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", status) })
		s := apart(t, mux)
		_, nodes := nodesOf(t, map[string]string{"url": s.URL})
		err := nodes[0].Send(t.Context(), 1<<10)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("status %d: error %v, want one about %q", status, err, want)
		}
		s.Close()
		if _, _, err := nodes[0].Name(t.Context()); err == nil {
			t.Error("a server that is gone has a name")
		}
	}
}

func TestLocalWork(t *testing.T) {
	s := httptest.NewServer(openaitest.New(openaitest.Options{Model: "m"}))
	defer s.Close()
	for option, want := range map[string]int{
		"api=auto": 0, "api=completions": 0, "api=chat": 1, "prefix_cache=allow": 1, "prefix_cache=report": 0,
	} {
		key, value, _ := strings.Cut(option, "=")
		g, _ := nodesOf(t, map[string]string{"url": s.URL, key: value})
		if work := g.LocalWork(); len(work) != want {
			t.Errorf("%s: work %q, want %d", option, work, want)
		}
	}
}
