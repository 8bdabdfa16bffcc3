package serving_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
)

// TestVocabularyOfServer: a server that tells how many ids its model has gets ids where prompts are made, of lengths
// and of traces, and no others where the data have prompts, or chats have pictures.
func TestVocabularyOfServer(t *testing.T) {
	mock := openaitest.New(openaitest.Options{Owner: "llamacpp", Model: "mock"})
	url := handle(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			_, _ = w.Write([]byte(`{"data": [{"id": "mock", "owned_by": "llamacpp", "meta": {"n_vocab": 32000}}]}`))
			return
		}
		mock.ServeHTTP(w, r)
	}))
	s := clitest.New(t)
	t.Chdir(s.Dir)
	trace := write(t, "trace.jsonl", `{"timestamp": 0, "input_length": 9, "output_length": 2}`)
	own := write(t, "own.jsonl", `{"prompt": "x"}`)
	run := func(more ...string) int {
		return s.Run(append([]string{"bench", url, "--requests", "2", "--concurrency", "1", "--warmup", "0", "--quiet"},
			more...)...)
	}
	s.Want(0, run("--isl", "16", "--osl", "2"), "completions, 16 in")
	s.Want(0, run("--data", trace), "completions, "+filepath.Base(trace))
	s.Want(0, run("--data", own), "chat, "+filepath.Base(own))
	s.Want(0, run("--isl", "16", "--osl", "2", "--image", "4x4"), "chat, 16 in")
}

// write writes a file into the current folder.
func write(t *testing.T, name, content string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
