package chat_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/serving/chat"
	"github.com/plumbline-ml/plumbline/preprocess/text/pretrained"
)

// templates are those of trl.
func templates(t *testing.T) map[string]string {
	t.Helper()
	f, err := os.Open("../../jinja/testdata/trl.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	s := bufio.NewScanner(z)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var row struct{ Template, Text string }
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		if row.Text != "" {
			all[row.Template] = row.Text
		}
	}
	return all
}

// TestOfficialCounts: tokens of answers are those that the client of MLPerf Endpoints counts (ea332753), with a small
// tokenizer and templates of several models.
func TestOfficialCounts(t *testing.T) {
	const model = "../../../accuracy/reasoning/testdata/golden/reasoning/tokenizer_harmony"
	tokens, err := pretrained.ReadFolder(func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join(model, name))
	})
	if err != nil {
		t.Fatal(err)
	}
	golden, err := os.ReadFile("testdata/messages.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	sources := templates(t)
	for line := range bytes.Lines(golden) {
		var c struct {
			Template string
			Messages []struct {
				Content, Reasoning string
				ToolCalls          json.RawMessage `json:"tool_calls"`
				Tokens             int
				Fallback           bool
			}
		}
		if err := json.Unmarshal(line, &c); err != nil || len(c.Messages) == 0 {
			t.Fatal(err, len(c.Messages))
		}
		config, _ := json.Marshal(map[string]string{"chat_template": sources[c.Template], "bos_token": "<|startoftext|>",
			"eos_token": "<|return|>"})
		counter, err := chat.Open(write(t, map[string]string{"tokenizer_config.json": string(config)}), tokens.EncodePlain)
		if err != nil {
			t.Fatal(c.Template, err)
		}
		for _, m := range c.Messages {
			v, err := pyvalue.Decode(string(m.ToolCalls))
			if err != nil {
				t.Fatal(err)
			}
			calls, _ := v.([]any)
			before := counter.Fallbacks
			got := counter.Count(chat.Message{Content: m.Content, Reasoning: m.Reasoning, ToolCalls: calls})
			if got != m.Tokens || (counter.Fallbacks > before) != m.Fallback {
				t.Errorf("%s: %q, %q, %s: %d tokens (%v), want %d", c.Template, m.Content, m.Reasoning, m.ToolCalls, got,
					counter.Fallback, m.Tokens)
			}
		}
	}
}
