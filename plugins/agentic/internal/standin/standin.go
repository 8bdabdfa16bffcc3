// Package standin is a stand-in for a language-model server. A script answers the embedded questions and turns, and
// some answers contain known faults. Every figure of a run is therefore known in advance. It tests the pipeline from a
// benchmark to its result, not a model.
//
// In scope: the script, as a backend that generates. Out of scope: questions and turns (internal/synthetic/tooluse).
package standin

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/synthetic/tooluse"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

//go:embed model/card.json model/standin.json
var files embed.FS

// ModelFiles returns the script and its card. No model was trained.
func ModelFiles() fs.FS { return files }

// Label is the description of the stand-in in every result.
const Label = "stand-in: scripted server"

// Script selects the faulty answers, by the index of a question within its subset, or of a turn among all turns.
type Script struct {
	Label     string `json:"label"`
	Questions struct {
		WrongValue []int `json:"wrong_value"` // one argument has a wrong value, or a function is called although none applies
		Missing    []int `json:"missing_argument"`
		Text       []int `json:"text"` // the call is written as text, in Python
		Silent     []int `json:"silent"`
	} `json:"questions"`
	Turns struct {
		Other  []int `json:"other_program"`
		Silent []int `json:"silent"`
	} `json:"turns"`
}

// ParseScript parses a script and checks it.
func ParseScript(text []byte) (s Script, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return s, fmt.Errorf("the script of the stand-in: %w", err)
	}
	if s.Label != Label {
		return s, fmt.Errorf("the script of the stand-in has the label %q, want %q", s.Label, Label)
	}
	return s, nil
}

// Name is the name under which the backend is registered.
const Name = "standin"

// ScriptBackend is a backend that opens scripts instead of models.
type ScriptBackend struct{}

var (
	_ backend.GeneratorOpener = ScriptBackend{}
	_ backend.Describer       = ScriptBackend{}
	_ backend.ToolsTaker      = (*scriptGenerator)(nil)
)

// Describe returns the label as the version.
func (ScriptBackend) Describe() backend.Info { return backend.Info{Version: Label} }

// Open returns an error, because a script has no tensors.
func (ScriptBackend) Open(context.Context, backend.Model, backend.Config) (backend.Session, error) {
	return nil, errors.New("a scripted server runs no model: choose another backend")
}

// OpenGenerator reads the script and returns a generator.
func (ScriptBackend) OpenGenerator(_ context.Context, m backend.Model, c backend.Config) (backend.Generator, error) {
	var faults []error
	for name := range c.Options {
		faults = append(faults, fmt.Errorf("%w: the scripted server has no option %q", backend.ErrOption, name))
	}
	text := m.Bytes
	if m.Path != "" {
		var err error
		if text, err = os.ReadFile(m.Path); err != nil {
			faults = append(faults, err)
		}
	}
	var s Script
	if len(faults) == 0 {
		var err error
		if s, err = ParseScript(text); err != nil {
			faults = append(faults, fmt.Errorf("%w; for a model of your own: --backend openai", err))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return newScriptGenerator(s), nil
}

// scriptedAnswer is the answer to a prompt.
type scriptedAnswer struct {
	text, reasoning string
	calls           []tooluse.Call
}

type scriptGenerator struct{ answers map[string]scriptedAnswer }

func newScriptGenerator(s Script) *scriptGenerator {
	g := &scriptGenerator{answers: map[string]scriptedAnswer{}}
	for i, q := range tooluse.Questions() {
		g.answers[q.Text] = s.answerQuestion(q, i%tooluse.PerSubset)
	}
	set, err := tooluse.Conversations()
	if err != nil { // impossible for generated questions
		return g
	}
	for i, command := range tooluse.RecordedCommands() {
		t := set.Turns[i]
		g.answers[makeTurnKey(t.Conversation, len(t.Messages))] = s.answerTurn(command, i)
	}
	return g
}

// answerQuestion returns the answer to question i of a subset.
func (s *Script) answerQuestion(q tooluse.Question, i int) scriptedAnswer {
	of := s.Questions
	if len(q.Calls) == 0 {
		if slices.Contains(of.WrongValue, i) {
			return scriptedAnswer{calls: []tooluse.Call{{Name: "timer_start", Arguments: map[string]any{"seconds": 1}}}}
		}
		return scriptedAnswer{text: "No function here helps with that."}
	}
	last := &q.Calls[len(q.Calls)-1]
	first := firstKey(last.Arguments)
	switch {
	case slices.Contains(of.WrongValue, i):
		last.Arguments[first] = "something else"
	case slices.Contains(of.Missing, i):
		delete(last.Arguments, first)
	case slices.Contains(of.Text, i):
		return scriptedAnswer{text: formatPython(q.Calls)}
	case slices.Contains(of.Silent, i):
		return scriptedAnswer{}
	}
	return scriptedAnswer{calls: q.Calls}
}

func firstKey(m map[string]any) (first string) {
	for key := range m {
		if first == "" || key < first {
			first = key
		}
	}
	return first
}

// formatPython writes calls in Python's syntax.
func formatPython(calls []tooluse.Call) string {
	var all []string
	for _, c := range calls {
		var arguments []string
		for name, v := range c.Arguments {
			text, err := json.Marshal(v)
			if err != nil { // impossible for generated calls
				continue
			}
			word := strings.NewReplacer("true", "True", "false", "False")
			value := string(text)
			if _, isText := v.(string); !isText {
				value = word.Replace(value)
			}
			arguments = append(arguments, name+"="+value)
		}
		slices.Sort(arguments)
		all = append(all, c.Name+"("+strings.Join(arguments, ", ")+")")
	}
	return strings.Join(all, "; ")
}

// answerTurn returns the answer to turn i.
func (s *Script) answerTurn(command string, i int) scriptedAnswer {
	switch {
	case slices.Contains(s.Turns.Other, i):
		command = "curl http://localhost/"
	case slices.Contains(s.Turns.Silent, i):
		return scriptedAnswer{text: "It is done."}
	}
	return scriptedAnswer{calls: []tooluse.Call{{Name: "bash", Arguments: map[string]any{"command": command}}}}
}

// makeTurnKey returns the key of a turn: its conversation and the number of messages before it.
func makeTurnKey(conversation string, messages int) string {
	return fmt.Sprintf("%s/%d", conversation, messages)
}

// TakesTools returns true: prompts may contain tools.
func (*scriptGenerator) TakesTools() bool { return true }

// Generate generates the script's answer to the prompt. For an unknown prompt, the answer is a message that the script
// does not contain it.
func (g *scriptGenerator) Generate(ctx context.Context, p backend.Prompt, sink backend.TokenSink) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	key := makeTurnKey(p.Session, len(p.Messages))
	if p.Session == "" && len(p.Messages) > 0 {
		key = p.Messages[len(p.Messages)-1].Content
	}
	a, ok := g.answers[key]
	if !ok {
		a.text = "The script has no answer to that."
	}
	t := backend.Tokens{Text: a.text, Reasoning: a.reasoning, Finish: "stop", N: len(strings.Fields(a.text))}
	for i, c := range a.calls {
		arguments, err := json.Marshal(c.Arguments)
		if err != nil {
			return err
		}
		t.Calls = append(t.Calls, backend.ToolCall{ID: fmt.Sprintf("call_%d", i), Name: c.Name, Arguments: string(arguments)})
		t.N += 1 + len(c.Arguments)
		t.Finish = "tool_calls"
	}
	if t.N > 0 {
		sink.FirstToken(backend.Tokens{})
	}
	sink.Complete(t)
	return nil
}

// Limits returns no limits.
func (*scriptGenerator) Limits() backend.Limits { return backend.Limits{} }

func (*scriptGenerator) Close() error { return nil }
