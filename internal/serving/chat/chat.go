// Package chat counts the tokens of messages like the client of MLPerf Endpoints. It renders a message with the
// reference chat template and tokenizes it with the reference tokenizer.
//
// In scope: a model's folder with a chat template, and its tokenizer. Out of scope: the template language
// (internal/jinja), and a run's messages (internal/serving/steady).
package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/jinja"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// Files of a model's folder, and the most bytes of each.
const (
	templateFile = "chat_template.jinja"
	configFile   = "tokenizer_config.json"
	maxFile      = 16 << 20
)

// ErrNone is the error of a folder without a chat template.
var ErrNone = errors.New("no chat template")

// Encode appends the ids of a text to dst, without special tokens around it.
type Encode func(dst []int32, text string) []int32

// Message is an answer of a model. ToolCalls contains dicts of package pyvalue.
type Message struct {
	Content, Reasoning string
	ToolCalls          []any
}

// Counter counts the tokens of messages. It is not safe for concurrent use.
type Counter struct {
	template *jinja.Template
	special  map[string]any // bos_token and others
	encode   Encode
	frame    int // tokens of an empty answer behind an empty question
	ids      []int32

	// Fallbacks is how many messages the template could not render; Fallback is why, of the first. Their texts were
	// counted without it.
	Fallbacks int
	Fallback  error
}

// Open reads the chat template of a model's folder: chat_template.jinja, or chat_template of tokenizer_config.json, of
// several the one that is named default. The error wraps ErrNone where there is none.
func Open(folder string, encode Encode) (*Counter, error) {
	c := &Counter{encode: encode, special: map[string]any{}}
	source, err := c.read(folder)
	if err != nil {
		return nil, err
	}
	if c.template, err = jinja.Parse(source); err != nil {
		return nil, fmt.Errorf("the chat template of %s: %w", folder, err)
	}
	empty, err := c.count(Message{})
	if err != nil {
		return nil, fmt.Errorf("the chat template of %s does not render an empty question and answer: %w", folder, err)
	}
	c.frame = empty
	return c, nil
}

// OpenBeside is Open of a tokenizer's folder: the tokenizer itself, or the folder of its file. It is nil where the
// folder has no chat template.
func OpenBeside(tokenizer string, encode Encode) (*Counter, error) {
	if info, err := os.Stat(tokenizer); err != nil || !info.IsDir() {
		tokenizer = filepath.Dir(tokenizer)
	}
	c, err := Open(tokenizer, encode)
	if errors.Is(err, ErrNone) {
		return nil, nil
	}
	return c, err
}

// Parts is Count of a message in parts; nil of no counter.
func (c *Counter) Parts() func(content, reasoning string, calls []any) int {
	if c == nil {
		return nil
	}
	return func(content, reasoning string, calls []any) int { return c.Count(Message{content, reasoning, calls}) }
}

// Doubt says what a person must know of messages, so many of which were counted, where it is not as the client counts
// them; empty: nothing.
func (c *Counter) Doubt(messages int) string {
	switch {
	case c == nil && messages > 0:
		return fmt.Sprintf("%d answers with reasoning or calls of tools were counted as texts: there is no chat template "+
			"beside the tokenizer", messages)
	case c != nil && c.Fallbacks > 0:
		return fmt.Sprintf("%d answers were counted as texts, as the chat template does not render them: %v", c.Fallbacks,
			c.Fallback)
	}
	return ""
}

// read finds the template's text, and the special tokens.
func (c *Counter) read(folder string) (source string, err error) {
	config := pyvalue.NewDict()
	text, err := bounded.ReadFile(filepath.Join(folder, configFile), maxFile)
	if err == nil {
		v, err := pyvalue.Decode(string(text))
		if err != nil {
			return "", fmt.Errorf("%s: %w", filepath.Join(folder, configFile), err)
		}
		if d, ok := v.(*pyvalue.Dict); ok {
			config = d
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	c.readSpecial(config)
	text, err = bounded.ReadFile(filepath.Join(folder, templateFile), maxFile)
	if err == nil {
		return string(text), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	switch v, _ := config.Get("chat_template"); v := v.(type) {
	case string:
		return v, nil
	case []any:
		for _, one := range v {
			d, _ := one.(*pyvalue.Dict)
			if name, _ := pyvalue.Field[string](d, "name"); name == "default" {
				source, ok := pyvalue.Field[string](d, "template")
				if ok {
					return source, nil
				}
			}
		}
	}
	return "", fmt.Errorf("%w in %s: want %s, or chat_template in %s", ErrNone, folder, templateFile, configFile)
}

// readSpecial takes over the names of special tokens.
func (c *Counter) readSpecial(config *pyvalue.Dict) {
	for _, name := range []string{"bos_token", "eos_token", "unk_token", "pad_token", "sep_token", "cls_token",
		"mask_token"} {
		v, _ := config.Get(name)
		if d, ok := v.(*pyvalue.Dict); ok {
			v, _ = d.Get("content")
		}
		if text, ok := v.(string); ok {
			c.special[name] = text
		}
	}
}

// Count is how many tokens an answer has: those of an empty question and the answer, without those of an empty question
// and an empty answer. What the template cannot render is counted as text, as the client does.
func (c *Counter) Count(m Message) int {
	n, err := c.count(m)
	if err == nil {
		return max(0, n-c.frame)
	}
	if c.Fallbacks++; c.Fallback == nil {
		c.Fallback = err
	}
	text := m.Content
	for _, more := range []string{m.Reasoning, compact(m.ToolCalls)} {
		if more != "" && text != "" {
			text += "\n"
		}
		text += more
	}
	c.ids = c.encode(c.ids[:0], text)
	return len(c.ids)
}

// compact is JSON without blanks; nothing of no calls.
func compact(calls []any) string {
	if len(calls) == 0 {
		return ""
	}
	text, err := json.Marshal(json.RawMessage(pyvalue.JSON(calls)))
	if err != nil {
		return pyvalue.JSON(calls)
	}
	return string(text)
}

// count is the tokens of an empty question and an answer.
func (c *Counter) count(m Message) (int, error) {
	question, answer := pyvalue.NewDict(), pyvalue.NewDict()
	question.Set("role", "user")
	question.Set("content", "")
	answer.Set("role", "assistant")
	answer.Set("content", m.Content)
	if m.Reasoning != "" {
		answer.Set("reasoning_content", m.Reasoning)
	}
	if len(m.ToolCalls) > 0 {
		answer.Set("tool_calls", readCalls(m.ToolCalls))
	}
	values := map[string]any{"messages": []any{question, answer}, "tools": nil, "documents": nil,
		"add_generation_prompt": false}
	for name, text := range c.special {
		values[name] = text
	}
	text, err := c.template.Render(values, time.Now())
	if err != nil {
		return 0, err
	}
	c.ids = c.encode(c.ids[:0], text)
	return len(c.ids), nil
}

// readCalls are calls whose arguments are objects, where their texts are such: templates go through them.
func readCalls(calls []any) []any {
	out := make([]any, len(calls))
	for i, call := range calls {
		out[i] = call
		d, _ := call.(*pyvalue.Dict)
		function, _ := pyvalue.Field[*pyvalue.Dict](d, "function")
		text, ok := pyvalue.Field[string](function, "arguments")
		if !ok {
			continue
		}
		v, err := pyvalue.Decode(text)
		if arguments, ok := v.(*pyvalue.Dict); ok && err == nil {
			out[i] = with(d, "function", with(function, "arguments", arguments))
		}
	}
	return out
}

// with is a copy of a dict with another value of a key.
func with(d *pyvalue.Dict, key string, v any) *pyvalue.Dict {
	out := pyvalue.NewDict()
	for _, k := range d.Keys() {
		one, _ := d.Get(k)
		out.Set(k, one)
	}
	out.Set(key, v)
	return out
}
