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

// Files of a model's folder, and the maximum size of each in bytes.
const (
	templateFile = "chat_template.jinja"
	configFile   = "tokenizer_config.json"
	maxFileSize  = 16 << 20
)

// ErrNoTemplate reports that a folder has no chat template.
var ErrNoTemplate = errors.New("no chat template")

// Encode appends the token ids of a text to dst, without the special tokens that can surround it.
type Encode func(dst []int32, text string) []int32

// Message is a model's answer. ToolCalls contains dicts of package pyvalue.
type Message struct {
	Content, Reasoning string
	ToolCalls          []any
}

// Counter counts the tokens of messages. It is not safe for concurrent use.
type Counter struct {
	template    *jinja.Template
	special     map[string]any // bos_token and others
	encode      Encode
	frameTokens int // tokens of an empty question with an empty answer
	ids         []int32

	// Fallbacks is the number of messages that the template could not render and that were counted as plain text. Fallback
	// is the error of the first of them.
	Fallbacks int
	Fallback  error
}

// Open reads the chat template of a model's folder: chat_template.jinja, or chat_template of tokenizer_config.json. If
// the latter lists several templates, Open uses the one named default. The error wraps ErrNoTemplate if the folder has
// no template.
func Open(folder string, encode Encode) (*Counter, error) {
	c := &Counter{encode: encode, special: map[string]any{}}
	source, err := c.readTemplate(folder)
	if err != nil {
		return nil, err
	}
	if c.template, err = jinja.Parse(source); err != nil {
		return nil, fmt.Errorf("the chat template of %s: %w", folder, err)
	}
	empty, err := c.countRendered(Message{})
	if err != nil {
		return nil, fmt.Errorf("the chat template of %s does not render an empty question and answer: %w", folder, err)
	}
	c.frameTokens = empty
	return c, nil
}

// OpenForTokenizer opens the chat template in a tokenizer's folder. tokenizer is that folder, or a file in it.
// OpenForTokenizer returns nil if the folder has no chat template.
func OpenForTokenizer(tokenizer string, encode Encode) (*Counter, error) {
	if info, err := os.Stat(tokenizer); err != nil || !info.IsDir() {
		tokenizer = filepath.Dir(tokenizer)
	}
	c, err := Open(tokenizer, encode)
	if errors.Is(err, ErrNoTemplate) {
		return nil, nil
	}
	return c, err
}

// PartsCounter returns Count as a function of a message's parts. It returns nil if c is nil.
func (c *Counter) PartsCounter() func(content, reasoning string, calls []any) int {
	if c == nil {
		return nil
	}
	return func(content, reasoning string, calls []any) int { return c.Count(Message{content, reasoning, calls}) }
}

// CountWarning returns a warning if some of the messages were not counted in the way of the client of MLPerf Endpoints.
// It returns an empty string if all were.
func (c *Counter) CountWarning(messages int) string {
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

// readTemplate returns the template's text and reads the special tokens.
func (c *Counter) readTemplate(folder string) (source string, err error) {
	config := pyvalue.NewDict()
	text, err := bounded.ReadFile(filepath.Join(folder, configFile), maxFileSize)
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
	c.readSpecialTokens(config)
	text, err = bounded.ReadFile(filepath.Join(folder, templateFile), maxFileSize)
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
	return "", fmt.Errorf("%w in %s: want %s, or chat_template in %s", ErrNoTemplate, folder, templateFile, configFile)
}

// readSpecialTokens reads the texts of the special tokens.
func (c *Counter) readSpecialTokens(config *pyvalue.Dict) {
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

// Count returns the number of an answer's tokens: the tokens of an empty question with the answer, minus the tokens of
// an empty question with an empty answer. If the template cannot render the answer, Count tokenizes its plain text,
// like the client of MLPerf Endpoints.
func (c *Counter) Count(m Message) int {
	n, err := c.countRendered(m)
	if err == nil {
		return max(0, n-c.frameTokens)
	}
	if c.Fallbacks++; c.Fallback == nil {
		c.Fallback = err
	}
	text := m.Content
	for _, more := range []string{m.Reasoning, compactJSON(m.ToolCalls)} {
		if more != "" && text != "" {
			text += "\n"
		}
		text += more
	}
	c.ids = c.encode(c.ids[:0], text)
	return len(c.ids)
}

// compactJSON returns calls as JSON without blanks; empty: no calls.
func compactJSON(calls []any) string {
	if len(calls) == 0 {
		return ""
	}
	text, err := json.Marshal(json.RawMessage(pyvalue.JSON(calls)))
	if err != nil {
		return pyvalue.JSON(calls)
	}
	return string(text)
}

// countRendered returns the number of tokens of an empty question with an answer.
func (c *Counter) countRendered(m Message) (int, error) {
	question, answer := pyvalue.NewDict(), pyvalue.NewDict()
	question.Set("role", "user")
	question.Set("content", "")
	answer.Set("role", "assistant")
	answer.Set("content", m.Content)
	if m.Reasoning != "" {
		answer.Set("reasoning_content", m.Reasoning)
	}
	if len(m.ToolCalls) > 0 {
		answer.Set("tool_calls", decodeArguments(m.ToolCalls))
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

// decodeArguments returns the calls with their arguments decoded from JSON text to dicts, as templates iterate over
// them. Arguments that are not a JSON object stay texts.
func decodeArguments(calls []any) []any {
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
			out[i] = withValue(d, "function", withValue(function, "arguments", arguments))
		}
	}
	return out
}

// withValue returns a copy of a dict with a new value of one key.
func withValue(d *pyvalue.Dict, key string, v any) *pyvalue.Dict {
	out := pyvalue.NewDict()
	for _, k := range d.Keys() {
		one, _ := d.Get(k)
		out.Set(k, one)
	}
	out.Set(key, v)
	return out
}
