package openai_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
)

// inMemory returns a generator with in-memory connections to servers, for virtual time, so that times and shares do not
// depend on the machine. Their model is m.
func inMemory(t *testing.T, handlers []http.Handler, options ...string) *openai.Generator {
	t.Helper()
	var m openaitest.Memory
	var urls []string
	for i, h := range handlers {
		host := fmt.Sprintf("server%d:80", i)
		t.Cleanup(m.Serve(host, h))
		urls = append(urls, "http://"+host)
	}
	given := asOptions(strings.Join(urls, ","), options)
	given["model"] = "m"
	return openai.ForTest(m.Dial, given)
}
