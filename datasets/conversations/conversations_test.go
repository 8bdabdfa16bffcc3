package conversations

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// write makes a file of rows.
func write(t *testing.T, rows []json.RawMessage) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), OfficialName)
	var b strings.Builder
	for _, r := range rows {
		b.Write(r)
		b.WriteByte('\n')
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// value is a message as the API has it.
func (m ChatMessage) value(t *testing.T) *pyvalue.Dict {
	t.Helper()
	d := pyvalue.NewDict()
	d.Set("role", m.Role)
	if !m.NoContent {
		d.Set("content", m.Content)
	}
	for name, text := range map[string]string{"name": m.Name, "reasoning_content": m.Reasoning, "tool_call_id": m.CallID} {
		if text != "" {
			d.Set(name, text)
		}
	}
	var calls []any
	for _, call := range m.Calls {
		calls = append(calls, decoded(t, call))
	}
	if calls != nil {
		d.Set("tool_calls", calls)
	}
	return d
}

func decoded(t *testing.T, text string) any {
	t.Helper()
	v, err := pyvalue.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestGoldenBad(t *testing.T) {
	type testCase struct {
		Name      string
		Rows      []json.RawMessage
		Exception string
		Message   string
	}
	golden.Each(t, "agentic/agentic/bad_conversations.jsonl", func(t *testing.T, path string) {
		for _, c := range golden.ReadLines[testCase](t, path) {
			_, err := Open(write(t, c.Rows))
			if (err != nil) != (c.Exception != "") || err != nil && !errors.Is(err, ErrDataset) {
				t.Errorf("%s: error %v, want %q", c.Name, err, c.Message)
			}
		}
	})
}

// TestGoldenTurns wants the messages and tools of all requests that the official harness sent.
func TestGoldenTurns(t *testing.T) {
	type testCase struct {
		Name   string
		Rows   []json.RawMessage
		Config struct {
			Salt bool `json:"enable_salt"`
		}
		Log []struct {
			Event        string
			Conversation string `json:"conversation_id"`
			Turn         int
			Body         struct{ Messages, Tools json.RawMessage }
		}
	}
	golden.Each(t, "agentic/agentic/conversations.jsonl", func(t *testing.T, path string) {
		for _, c := range golden.ReadLines[testCase](t, path) {
			set, err := Open(write(t, c.Rows))
			if err != nil {
				t.Errorf("%s: %v", c.Name, err)
				continue
			}
			for _, e := range c.Log {
				if e.Event != "request" || c.Config.Salt {
					continue
				}
				name, _, _ := strings.Cut(e.Conversation, "__repeat_")
				turn := find(set, name, e.Turn)
				if turn == nil {
					t.Errorf("%s: no turn %d of %s", c.Name, e.Turn, name)
					continue
				}
				var messages []any
				for _, m := range turn.Messages {
					messages = append(messages, m.value(t))
				}
				if !pyvalue.Same(messages, decoded(t, string(e.Body.Messages))) {
					t.Errorf("%s: %s\nwant %s", c.Name, pyvalue.JSON(messages), e.Body.Messages)
				}
				if string(e.Body.Tools) == "" {
					e.Body.Tools = json.RawMessage(`""`)
				}
				if want := decoded(t, string(e.Body.Tools)); turn.Tools == "" && want != "" ||
					turn.Tools != "" && !pyvalue.Same(decoded(t, turn.Tools), want) {
					t.Errorf("%s: tools %s\nwant %s", c.Name, turn.Tools, e.Body.Tools)
				}
			}
		}
	})
}

func find(s *ConversationSet, conversation string, turn int) *ClientTurn {
	for i, t := range s.Turns {
		if t.Conversation == conversation && t.Turn == turn {
			return &s.Turns[i]
		}
	}
	return nil
}

// TestGoldenReplay wants the 1007 requests of the official file, where PLUMBLINE_CONVERSATIONS names it.
func TestGoldenReplay(t *testing.T) {
	path := os.Getenv("PLUMBLINE_CONVERSATIONS")
	if path == "" {
		t.Skip("PLUMBLINE_CONVERSATIONS does not name " + OfficialName)
	}
	set, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(golden.Root(t), "agentic/agentic/replay_digests.txt"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != len(set.Turns) || set.SHA256 != OfficialSHA256 {
		t.Fatalf("%d turns of %s, want %d", len(set.Turns), set.SHA256, len(lines))
	}
	delays := 0.0
	for i, turn := range set.Turns {
		id, number, digest := turn.Conversation, turn.Turn, turn.digest(t)
		if want := lines[i]; want != pyvalue.Text(id)+" "+pyvalue.Text(int64(number))+" "+digest {
			t.Errorf("%s %d %s, want %s", id, number, digest, want)
		}
		delays += turn.Delay
	}
	if delays < 636.3 || delays > 636.5 {
		t.Errorf("tools took %v s, want 636.4", delays)
	}
}

// digest is that of a request with sorted keys, without blanks and in UTF-8.
func (turn *ClientTurn) digest(t *testing.T) string {
	t.Helper()
	messages := []any{}
	for _, m := range turn.Messages {
		messages = append(messages, plain(m.value(t)))
	}
	body := map[string]any{
		"model": "Qwen3.6-27B-Q4_K_M", "messages": messages, "temperature": json.Number("0.0"), "seed": 42,
		"stream": true, "max_completion_tokens": 1024, "tools": plain(decoded(t, turn.Tools)),
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(body); err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(strings.TrimSuffix(b.String(), "\n"))
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// plain is a value as encoding/json writes it with sorted keys.
func plain(v any) any {
	switch v := v.(type) {
	case []any:
		list := []any{}
		for _, item := range v {
			list = append(list, plain(item))
		}
		return list
	case *pyvalue.Dict:
		m := map[string]any{}
		for _, key := range v.Keys() {
			inner, _ := v.Get(key)
			m[key] = plain(inner)
		}
		return m
	case float64:
		return json.Number(pyvalue.JSON(v))
	}
	return v
}

const (
	user      = `{"conversation_id":"a","turn":1,"role":"user","content":"do it","tools":[{"a":1}],"max_new_tokens":7}`
	assistant = `{"conversation_id":"a","turn":2,"role":"assistant","tool_calls":[{"id":"i","type":"function",` +
		`"function":{"name":"bash","arguments":"{}"}}]}`
	tool = `{"conversation_id":"a","turn":3,"role":"tool","tool_results":[{"tool_call_id":"i","content":"x"}],` +
		`"temperature":0.5,"delay_seconds":1.5}`
)

func TestOpen(t *testing.T) {
	path := write(t, []json.RawMessage{
		json.RawMessage(`{"_type":"dataset_metadata"}`), json.RawMessage(tool), json.RawMessage(user),
		json.RawMessage(assistant),
	})
	set, err := Open(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Turns) != 2 || len(set.Rows) != 3 || set.Turns[1].Delay != 1.5 || len(set.Turns[1].Messages) != 3 ||
		set.Turns[1].Fields["temperature"] != 0.5 || set.Turns[1].Fields["max_new_tokens"] != int64(7) ||
		set.Turns[1].Tools != `[{"a": 1}]` || set.Turns[1].Messages[2].CallID != "i" {
		t.Errorf("%+v", set)
	}
}

func TestFaults(t *testing.T) {
	replace := func(old, with string) []json.RawMessage {
		var rows []json.RawMessage
		for _, r := range []string{user, assistant, tool} {
			rows = append(rows, json.RawMessage(strings.Replace(r, old, with, 1)))
		}
		return rows
	}
	for want, rows := range map[string][]json.RawMessage{
		"row 1: want":                          replace(`{"conversation_id"`, `{{"conversation_id"`),
		"row 1: it has no conversation_id":     replace(`"a"`, "null"),
		"beyond printable ASCII":               replace(`"a"`, `"é"`),
		"turn is \"2\", want a whole number":   replace(`"turn":2`, `"turn":"2"`),
		"want turn 2 here":                     replace(`"turn":2`, `"turn":1`),
		`role is "system", and the first must`: replace(`"role":"user"`, `"role":"system"`),
		"a user's row has no content":          replace("do it", ""),
		"tool_calls[0] has no type":            replace(`"type":"function"`, `"type":"f"`),
		"tool_calls is no list of calls":       replace(`"tool_calls":[`, `"tool_calls":{},"x":[`),
		"tool_results[0] lacks":                replace(`"content":"x"`, `"content":null`),
		"the content of a result":              replace(`"content":"x"`, `"content":[1]`),
		"tools are an object, want a list":     replace(`"tools":[{"a":1}]`, `"tools":{}`),
		"and the assistant before called none": replace(`"tool_calls":[`, `"content":"x","x":[`),
	} {
		_, err := Open(write(t, rows))
		if !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	_, err := Open(write(t, append(replace("do it", ""), replace(`"content":"x"`, `"content":null`)...)))
	var all *FaultError
	if !errors.As(err, &all) || len(all.Faults) < 3 {
		t.Errorf("error %v, want all faults", err)
	}
	if _, err := Open(t.TempDir()); !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), OfficialName) {
		t.Errorf("error %v", err)
	}
	if _, err := Open(write(t, nil)); !errors.Is(err, ErrDataset) {
		t.Errorf("error %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(user + "\n" + assistant + "\n" + tool)
	f.Add(`{"conversation_id":1,"turn":1.0,"role":"user","content":"é"}`)
	f.Fuzz(func(t *testing.T, text string) {
		set, err := Open(write(t, []json.RawMessage{json.RawMessage(text)}))
		if (err == nil) != (set != nil) || err != nil && !errors.Is(err, ErrDataset) {
			t.Fatalf("%q: %v", text, err)
		}
		if err == nil && len(set.Turns) == 0 {
			t.Errorf("%q: no turns and no error", text)
		}
	})
}
