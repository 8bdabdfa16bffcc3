package bounded_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/bounded"
)

func TestJSONFault(t *testing.T) {
	type entry struct {
		Text  string            `json:"text"`
		Whole *int              `json:"whole"`
		Share float64           `json:"share"`
		On    bool              `json:"on"`
		List  []struct{ A int } `json:"list"`
		Named map[string]string `json:"named"`
		Small uint8             `json:"small"`
	}
	for text, want := range map[string]string{
		`{"text": 5}`:            "text is a number, want a text",
		`{"text": {}}`:           "text is an object, want a text",
		`{"whole": "x"}`:         "whole is a text, want a whole number",
		`{"whole": 1.5}`:         "whole is 1.5, want a whole number",
		`{"share": true}`:        "share is true or false, want a number",
		`{"on": "yes"}`:          "on is a text, want true or false",
		`{"list": {}}`:           "list is an object, want a list",
		`{"list": [5]}`:          "list is a number, want an object",
		`{"list": [{"A": "x"}]}`: "list.A is a text, want a whole number",
		`{"named": []}`:          "named is a list, want an object",
		`{"small": 256}`:         "small is 256, want a whole number",
		`[]`:                     "it is a list, want an object",
		`{`:                      "unexpected end of JSON input",
	} {
		err := json.Unmarshal([]byte(text), &entry{})
		if got := bounded.ExplainJSONError("", err); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	err := json.Unmarshal([]byte(`{"text": 5}`), &entry{})
	if got := bounded.ExplainJSONError("outer", err); got != "outer.text is a number, want a text" {
		t.Errorf("got %q", got)
	}
	if got := bounded.ExplainJSONError("outer", errors.New("no file")); got != "no file" {
		t.Errorf("got %q", got)
	}
}
