package client

import (
	"encoding/json"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/internal/testkit/servingtest"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// TestGoldenData compares the requests of files as servers get them.
func TestGoldenData(t *testing.T) {
	c := open(t, openaitest.Options{Owner: "vllm"})
	write := func(t *testing.T, a prompts.Ask) (string, map[string]any) {
		t.Helper()
		p, err := c.Prepare(&a)
		if err != nil {
			t.Fatal(err)
		}
		request := p.(openai.WrittenRequest)
		var body map[string]any
		if err := json.Unmarshal(request.Body(), &body); err != nil {
			t.Fatal(err)
		}
		if _, exact := body["ignore_eos"]; exact != a.Exact {
			t.Errorf("ignore_eos is there: %v, want %v", exact, a.Exact)
		}
		return "/v1" + request.Path(), body
	}
	golden.EachBelow(t, "../../../serving/prompts/testdata/golden", "serving/data/*/case.json",
		func(t *testing.T, path string) { servingtest.RunPrompts(t, path, OpenParquet, write) })
}
