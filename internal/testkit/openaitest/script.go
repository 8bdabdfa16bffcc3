package openaitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Script determines the answers to requests. It consists of JSON lines. A line may contain a prompt as in the request
// (ids, a text, or the messages of a chat), with the ids of the answer and the text of each. Or it contains a text that
// a chat's last message must contain, with the reply: text, reasoning, calls (id, name, arguments as JSON), finish,
// status, cut (number of events before the connection breaks). The first line that matches applies.
type Script struct {
	answers map[string][]int32 // by the prompt as compact JSON
	texts   map[int32]string
	rules   []replyRule
}

// replyRule is the reply to chats whose last message contains a text.
type replyRule struct {
	contains string
	reply    Reply
}

// scriptLine is a line of a script.
type scriptLine struct {
	Prompt json.RawMessage
	IDs    []int32
	Texts  []string

	Contains          *string
	Text              string
	Reasoning, Finish string
	Calls             []Call
	Status            int
	Cut               *int
}

// reply returns the line's reply to a chat.
func (l *scriptLine) reply() Reply {
	r := Reply{Reasoning: l.Reasoning, Text: l.Text, Calls: l.Calls, Finish: l.Finish, Fault: Fault{Status: l.Status}}
	if l.Cut != nil {
		r.Fault.Cut, r.Fault.After = true, *l.Cut
	}
	return r
}

// ReadScript parses a script.
func ReadScript(r io.Reader) (*Script, error) {
	s := &Script{answers: map[string][]int32{}, texts: map[int32]string{}}
	lines := json.NewDecoder(r)
	for n := 1; ; n++ {
		var line scriptLine
		err := lines.Decode(&line)
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err == nil && line.Contains != nil {
			s.rules = append(s.rules, replyRule{*line.Contains, line.reply()})
			continue
		}
		textless := len(line.Texts) == 0 || len(line.Texts) == len(line.IDs)
		if err == nil && (len(line.Prompt) == 0 || len(line.IDs) == 0 || !textless) {
			err = errors.New("want prompt, ids, and texts, as many as ids or none; or contains with text or calls")
		}
		if err != nil {
			return nil, fmt.Errorf("answer %d: %w", n, err)
		}
		s.answers[compact(line.Prompt)] = line.IDs
		for i, text := range line.Texts {
			s.texts[line.IDs[i]] = text
		}
	}
}

// compact returns JSON without white space.
func compact(text []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return string(text)
	}
	return b.String()
}

// Configure makes a server answer by the script. Requests that do not match get the usual answers.
func (s *Script) Configure(o *Options) {
	o.Answer = func(ask *Request) []int32 {
		for _, asked := range [][]byte{ask.Prompt, ask.Messages, ask.Input} {
			if ids, ok := s.answers[compact(asked)]; ok && len(asked) > 0 {
				return ids
			}
		}
		return o.AnswerTokens
	}
	if len(s.rules) > 0 {
		o.Reply = s.reply
	}
	if len(s.texts) > 0 {
		o.Spell = func(id int32) string { return s.texts[id] }
	}
}

// reply returns the reply of the first rule that matches a chat's last message, or nil.
func (s *Script) reply(ask *Request) *Reply {
	var messages []any
	if json.Unmarshal(ask.Messages, &messages) != nil || len(messages) == 0 {
		return nil
	}
	text := strings.Join(appendTexts(nil, messages[len(messages)-1]), "\n")
	for _, r := range s.rules {
		if strings.Contains(text, r.contains) {
			return &r.reply
		}
	}
	return nil
}

// appendTexts appends the texts of a message.
func appendTexts(texts []string, value any) []string {
	switch v := value.(type) {
	case string:
		return append(texts, v)
	case []any:
		for _, each := range v {
			texts = appendTexts(texts, each)
		}
	case map[string]any:
		texts = appendTexts(appendTexts(texts, v["content"]), v["text"])
	}
	return texts
}
