package openai_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
)

// TestRefusedUnread checks that the refusal of a long request is read immediately although the server does not read the
// rest of the request.
func TestRefusedUnread(t *testing.T) {
	mock := openaitest.New(openaitest.Options{Owner: "vllm", IDs: true})
	c := askClient(t, serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength < 1<<20 {
			mock.ServeHTTP(w, r)
			return
		}
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		t.Cleanup(func() { _ = conn.Close() }) // it stays open without a reader
		if _, err := io.WriteString(conn, "HTTP/1.1 413 Content Too Large\r\nContent-Length: 8\r\n\r\ntoo long"); err != nil {
			t.Error(err)
		}
	})), "first_timeout=none")
	_, _, err := ask(t, c, openai.ClientCall{API: openai.Completions, Text: strings.Repeat("word ", 64<<20/5),
		MaxTokens: 5})
	f := new(openai.CallFailure)
	if !errors.As(err, &f) || f.Kind != openai.BadStatus || f.Code != http.StatusRequestEntityTooLarge ||
		!strings.Contains(f.Error(), "too long") {
		t.Errorf("%v, want status 413", err)
	}
	long := openai.ClientCall{API: openai.Completions, Text: strings.Repeat("word ", 100<<10/5), MaxTokens: 5, Exact: true}
	for range 3 { // on an idle connection
		if o, _, err := ask(t, c, long); err != nil || len(o.events) == 0 {
			t.Errorf("a request that is read: %v, %v", o.events, err)
		}
	}
}
