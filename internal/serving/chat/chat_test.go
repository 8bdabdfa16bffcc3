package chat_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/serving/chat"
)

// letters counts each character as a token.
func letters(dst []int32, text string) []int32 {
	for _, c := range text {
		dst = append(dst, c)
	}
	return dst
}

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const plain = `{{ bos_token }}{% for m in messages %}<{{ m.role }}>` +
	`{% if m.reasoning_content %}({{ m.reasoning_content }}){% endif %}{{ m.content }}` +
	`{% for c in m.tool_calls or [] %}{% for k, v in c.function.arguments.items() %}` +
	`{{ k }}={{ v }};{% endfor %}{% endfor %}</>{% endfor %}`

// TestCount: an answer counts without the frame around it.
func TestCount(t *testing.T) {
	config, _ := json.Marshal(map[string]any{"bos_token": map[string]string{"content": "<s>"},
		"chat_template": []any{map[string]string{"name": "tools", "template": "x"},
			map[string]string{"name": "default", "template": plain}}})
	for _, files := range []map[string]string{{"tokenizer_config.json": string(config)},
		{"chat_template.jinja": plain, "tokenizer_config.json": `{"chat_template": "{{"}`}, {"chat_template.jinja": plain}} {
		c, err := chat.Open(write(t, files), letters)
		if err != nil {
			t.Fatal(err)
		}
		call, _ := pyvalue.Decode(`{"function": {"name": "f", "arguments": "{\"a\": 12}"}}`)
		wrong, _ := pyvalue.Decode(`{"function":{"arguments":"no JSON"}}`)
		for _, one := range []struct {
			m    chat.Message
			want int
		}{
			{chat.Message{}, 0}, {chat.Message{Content: "abc"}, 3}, {chat.Message{Content: "é", Reasoning: "xy"}, 5},
			{chat.Message{ToolCalls: []any{call}}, len("a=12;")},
			{chat.Message{Content: "a", ToolCalls: []any{wrong}}, len("a\n" + `[{"function":{"arguments":"no JSON"}}]`)},
		} {
			if got := c.Count(one.m); got != one.want {
				t.Errorf("%v: %d tokens, want %d", one.m, got, one.want)
			}
		}
		if c.Fallbacks != 1 || c.Fallback == nil {
			t.Errorf("%d fallbacks (%v), want 1", c.Fallbacks, c.Fallback)
		}
	}
}

// TestOpenRefuses: folders without a template that can be used.
func TestOpenRefuses(t *testing.T) {
	if _, err := chat.Open(write(t, nil), letters); !errors.Is(err, chat.ErrNoTemplate) {
		t.Errorf("%v", err)
	}
	for _, files := range []map[string]string{{"chat_template.jinja": "{{"}, {"tokenizer_config.json": "{"},
		{"chat_template.jinja": "{{ raise_exception('no') }}"}} {
		if _, err := chat.Open(write(t, files), letters); err == nil || errors.Is(err, chat.ErrNoTemplate) {
			t.Errorf("%v: %v", files, err)
		}
	}
}
