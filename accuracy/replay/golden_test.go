package replay

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// eachLine calls check with each line of a JSON lines file.
func eachLine(t *testing.T, path string, check func(line *pyvalue.Dict)) {
	t.Helper()
	for _, line := range golden.ReadLines[json.RawMessage](t, path) {
		v, err := pyvalue.Decode(string(line))
		if err != nil {
			t.Fatal(err)
		}
		check(v.(*pyvalue.Dict))
	}
}

// get returns a field of an object, or nil if it is absent.
func get[T any](d *pyvalue.Dict, name string) (v T) {
	inner, _ := d.Get(name)
	v, _ = inner.(T)
	return v
}

func TestGoldenActions(t *testing.T) {
	golden.Each(t, "agentic/agentic/actions.jsonl", func(t *testing.T, path string) {
		eachLine(t, path, func(c *pyvalue.Dict) {
			got := Actions(get[any](c, "tool_calls"))
			if command, ok := c.Get("command"); ok {
				got = Executables(command.(string))
			}
			var want []string
			for _, v := range get[[]any](c, "actions") {
				want = append(want, v.(string))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", pyvalue.JSON(c), got, want)
			}
		})
	})
}

func TestGoldenConversations(t *testing.T) {
	golden.Each(t, "agentic/agentic/inline.jsonl", func(t *testing.T, path string) {
		eachLine(t, path, func(c *pyvalue.Dict) {
			var rows []*pyvalue.Dict
			for _, row := range get[[]any](c, "rows") {
				rows = append(rows, row.(*pyvalue.Dict))
			}
			s := New(RecordedTurns(rows))
			for _, e := range get[[]any](c, "events") {
				take(s, e.(*pyvalue.Dict))
			}
			got, err := json.Marshal(s.Result())
			if err != nil {
				t.Fatal(err)
			}
			v, err := pyvalue.Decode(string(got))
			want := get[*pyvalue.Dict](c, "scores_json")
			if err != nil || !pyvalue.Same(v, want) {
				t.Errorf("%s:\n%s\nwant\n%s", get[string](c, "name"), pyvalue.JSON(v), pyvalue.JSON(want))
			}
		})
	})
}

// take passes an event of a case to a scorer.
func take(s *TurnScorer, e *pyvalue.Dict) {
	request := get[string](e, "uuid")
	if get[string](e, "event") == "issued" {
		s.IssueTurn(request, get[string](e, "conversation_id"), turnNumber(e))
		return
	}
	output := get[*pyvalue.Dict](e, "output")
	if output == nil {
		s.CompleteRequest(request, nil)
		return
	}
	a := &ModelAnswer{Content: joined(get[any](output, "output")), Reasoning: joined(get[any](output, "reasoning"))}
	a.Calls = merged(get[[]any](output, "tool_calls"))
	s.CompleteRequest(request, a)
}

func joined(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	var out strings.Builder
	list, _ := v.([]any)
	for _, part := range list {
		out.WriteString(part.(string))
	}
	return out.String()
}

// merged returns the calls of a stream whose parts contain one call at a time.
func merged(chunks []any) (calls []any) {
	if len(chunks) == 0 {
		return nil
	}
	var out bytes.Buffer
	out.WriteByte('[')
	for _, chunk := range chunks {
		parts, whole := chunk.([]any)
		if !whole {
			parts = []any{chunk}
		}
		for _, part := range parts {
			if out.Len() > 1 {
				out.WriteByte(',')
			}
			out.WriteString(pyvalue.JSON(part))
		}
	}
	out.WriteByte(']')
	v, err := pyvalue.Decode(out.String())
	if err != nil {
		return nil
	}
	return v.([]any)
}

func FuzzExecutables(f *testing.F) {
	for _, text := range []string{
		"A=1 sudo /usr/bin/python3.11 -m x | grep 'a;b' && ls", "echo \"a\\\"|\" ; `cat` || wc", "intent: I042",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range Executables(text) {
			if executables[name] == "" && name != "sphinx" {
				t.Errorf("%q runs %q", text, name)
			}
		}
		if intent := Intent(text, text); intent != "" && len([]rune(intent)) != 4 {
			t.Errorf("%q has the intent %q", text, intent)
		}
	})
}
