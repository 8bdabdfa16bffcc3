package openaitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Script answers requests by what they ask: JSON lines of a prompt, as the request has it (ids, a text, or the messages
// of a chat), with the ids of the answer and the text of each.
type Script struct {
	answers map[string][]int32 // by the prompt as compact JSON
	texts   map[int32]string
}

// ReadScript reads a script.
func ReadScript(r io.Reader) (*Script, error) {
	s := &Script{map[string][]int32{}, map[int32]string{}}
	lines := json.NewDecoder(r)
	for n := 1; ; n++ {
		var line struct {
			Prompt json.RawMessage
			IDs    []int32
			Texts  []string
		}
		err := lines.Decode(&line)
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		textless := len(line.Texts) == 0 || len(line.Texts) == len(line.IDs)
		if err == nil && (len(line.Prompt) == 0 || len(line.IDs) == 0 || !textless) {
			err = errors.New("want prompt, ids, and texts, as many as ids or none")
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

// compact is JSON without white space.
func compact(text []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return string(text)
	}
	return b.String()
}

// Follow makes a server answer by the script; what it does not have is answered as ever.
func (s *Script) Follow(o *Options) {
	o.Answer = func(ask *Request) []int32 {
		for _, asked := range [][]byte{ask.Prompt, ask.Messages, ask.Input} {
			if ids, ok := s.answers[compact(asked)]; ok && len(asked) > 0 {
				return ids
			}
		}
		return o.Says
	}
	if len(s.texts) > 0 {
		o.Spell = func(id int32) string { return s.texts[id] }
	}
}
