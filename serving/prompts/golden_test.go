package prompts_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/internal/testkit/servingtest"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// TestGoldenData compares the meaning of requests; internal/serving/client compares their encoding.
func TestGoldenData(t *testing.T) {
	golden.Each(t, "serving/data/*/case.json", func(t *testing.T, path string) {
		servingtest.RunPrompts(t, path, nil, meaning)
	})
}

// meaning returns the meaning of a request as fields of a body.
func meaning(t *testing.T, a prompts.Ask) (string, map[string]any) {
	t.Helper()
	body := map[string]any{}
	put := func(key string, raw json.RawMessage) {
		if raw == nil {
			return
		}
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatalf("%s: %v", key, err)
		}
		body[key] = v
	}
	switch {
	case a.IDs != nil:
		raw, err := json.Marshal(a.IDs)
		if err != nil {
			t.Fatal(err)
		}
		put("prompt", raw)
	case a.Text != "" && a.API == prompts.Completions:
		body["prompt"] = a.Text
	case a.Text != "":
		body["messages"] = []any{map[string]any{"role": "user", "content": a.Text}}
	}
	put("messages", messages(a))
	put("input", a.Input)
	put("documents", a.Documents)
	put("tools", a.Tools)
	if a.Query != "" {
		body["query"] = a.Query
	}
	if a.Model != "" {
		body["model"] = a.Model
	}
	if a.MaxTokens > 0 {
		body["max_tokens"] = float64(a.MaxTokens)
	}
	for key, raw := range a.Fields {
		put(key, raw)
	}
	return a.API.EndpointPath(), body
}

// messages returns all messages of a request in one list.
func messages(a prompts.Ask) json.RawMessage {
	if len(a.Before) == 0 {
		return a.Messages
	}
	return slices.Concat([]byte("["), a.Before, a.Messages[1:])
}
