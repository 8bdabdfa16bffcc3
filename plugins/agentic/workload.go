package agentic

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/plumbline-ml/plumbline/datasets/bfcl"
	"github.com/plumbline-ml/plumbline/datasets/conversations"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// toolWorkload is the benchmark with one of its two data sets.
type toolWorkload struct {
	requestSettings
	file    backend.Model
	prompts []backend.Prompt
	// conversations whose turns are the prompts; nil: the prompts are questions
	conversations []sdk.Conversation
	userRecording bool // conversations are a recording that the user provides
	scripted      bool // the plugin's script answers

	// numbers of answers with reasoning, and of answers without a token count
	reasoningAnswers, uncountedAnswers atomic.Uint64
}

var (
	_ sdk.GenerativeOf[*backend.Prompt] = (*toolWorkload)(nil)
	_ sdk.ToolsPrompter                 = (*toolWorkload)(nil)
	_ sdk.Replayer                      = (*toolWorkload)(nil)
	_ sdk.Noter                         = (*toolWorkload)(nil)
	_ sdk.WorkloadInfoAdder             = (*toolWorkload)(nil)
	_ sdk.ClientWorker                  = (*toolWorkload)(nil)
)

// questionPrompts makes the prompts of the questions.
func (s *requestSettings) questionPrompts(all []bfcl.FunctionSample) (prompts []backend.Prompt) {
	for _, q := range all {
		p := s.basePrompt()
		p.Tools, p.ToolChoice = json.RawMessage(q.Tools), "auto"
		p.Messages = make([]backend.ChatMessage, len(q.Messages))
		for i, m := range q.Messages {
			p.Messages[i] = backend.ChatMessage{Role: m.Role, Content: m.Content}
		}
		p.ChatJSON = backend.AppendChat(nil, p)
		prompts = append(prompts, p)
	}
	return prompts
}

// basePrompt returns a prompt with the settings that all prompts share.
func (s *requestSettings) basePrompt() backend.Prompt {
	return backend.Prompt{Fields: s.requestFields, MaxNewTokens: s.MaxTokens}
}

// turnPrompts makes the prompts of the turns. The error lists fields of rows that the harness cannot send.
func (s *requestSettings) turnPrompts(set *conversations.ConversationSet) (prompts []backend.Prompt,
	all []sdk.Conversation,
	err error) {
	for _, t := range set.Turns {
		p := s.basePrompt()
		if t.Tools != "" {
			p.Tools = json.RawMessage(t.Tools)
		}
		p.Messages = make([]backend.ChatMessage, len(t.Messages))
		for i, message := range t.Messages {
			p.Messages[i] = toMessage(message)
		}
		if err := s.overrideFields(&p, &t); err != nil {
			return nil, nil, sdk.Data(fmt.Errorf("conversation %s, turn %d: %w", t.Conversation, t.Turn, err))
		}
		p.Session = t.Conversation
		p.ChatJSON = backend.AppendChat(nil, p)
		prompts = append(prompts, p)
		if n := len(all); n == 0 || all[n-1].ID != t.Conversation {
			all = append(all, sdk.Conversation{ID: t.Conversation})
		}
		c := &all[len(all)-1]
		c.Turns = append(c.Turns, int64(t.Turn))
	}
	return prompts, all, nil
}

func toMessage(m conversations.ChatMessage) backend.ChatMessage {
	to := backend.ChatMessage{Role: m.Role, Content: m.Content, NoContent: m.NoContent, Name: m.Name,
		Reasoning: m.Reasoning,
		CallID:    m.CallID}
	for _, call := range m.Calls {
		to.Calls = append(to.Calls, backend.ToolCall{Raw: json.RawMessage(call)})
	}
	return to
}

// overrideFields replaces fields of a request with those of the row.
func (s *requestSettings) overrideFields(p *backend.Prompt, t *conversations.ClientTurn) error {
	if len(t.Fields) == 0 {
		return nil
	}
	p.Fields = maps.Clone(p.Fields)
	for _, name := range slices.Sorted(maps.Keys(t.Fields)) {
		v := t.Fields[name]
		switch name {
		case "model":
			return fmt.Errorf("it asks for the model %s: one server with one model is measured", pyvalue.Name(v))
		case "tool_choice":
			p.ToolChoice, _ = v.(string)
			continue
		case "max_new_tokens": // the endpoints harness's name of max_completion_tokens; it takes precedence
			name = "max_completion_tokens"
		case "max_completion_tokens":
			if t.Fields["max_new_tokens"] != nil {
				continue
			}
		}
		p.Fields[name] = json.RawMessage(pyvalue.JSON(v))
	}
	return nil
}

func (w *toolWorkload) Len() int { return len(w.prompts) }

func (w *toolWorkload) Parts() []sdk.Part { return []sdk.Part{{Model: w.file}} }

// Load returns prompt i, which is the sample.
func (w *toolWorkload) Load(_ context.Context, i int) (*backend.Prompt, error) {
	return &w.prompts[i], nil
}

func (w *toolWorkload) Close() error { return nil }

// Prompt returns the sample, which is a prompt.
func (w *toolWorkload) Prompt(p *backend.Prompt) (backend.Prompt, error) { return *p, nil }

// WarmSample returns a short question without tools that occurs in no data set.
func (w *toolWorkload) WarmSample() *backend.Prompt {
	p := w.requestSettings.basePrompt()
	p.Messages = []backend.ChatMessage{{Role: "user", Content: "One two three"}}
	p.Fields, p.MaxNewTokens = maps.Clone(p.Fields), 4
	p.Fields["max_completion_tokens"] = numberJSON(4)
	p.ChatJSON = backend.AppendChat(nil, p)
	return &p
}

// ToolsPrompts returns true: prompts may contain tools.
func (w *toolWorkload) ToolsPrompts() bool { return true }

// Conversations returns the conversations whose turns are the samples.
func (w *toolWorkload) Conversations() []sdk.Conversation { return w.conversations }

// TurnTimeout returns the time limit of an answer to a turn.
func (w *toolWorkload) TurnTimeout() time.Duration { return w.Timeout }

// AppendTokens appends the scored part of an answer. For a question this is the calls in JSON or, without calls, the
// reasoning and the text. For a turn it is the whole answer.
func (w *toolWorkload) AppendTokens(dst []byte, _ *backend.Prompt, t backend.Tokens) ([]byte, int, error) {
	if t.Reasoning != "" {
		w.reasoningAnswers.Add(1)
	}
	if t.N == backend.Uncounted {
		w.uncountedAnswers.Add(1)
		t.N = 0
	}
	if w.conversations == nil {
		if len(t.Calls) > 0 {
			return backend.AppendCalls(dst, t.Calls), t.N, nil
		}
		return append(append(dst, t.Reasoning...), t.Text...), t.N, nil
	}
	a := sdk.TurnAnswer{Output: t.Text, Reasoning: t.Reasoning, FinishReason: t.Finish}
	if len(t.Calls) > 0 {
		a.ToolCalls = backend.AppendCalls(nil, t.Calls)
	}
	text, err := json.Marshal(a)
	return append(dst, text...), t.N, err
}

// AddInfo adds the reasons why a run does not belong to the closed division, and removes the stand-in's label if a
// server answers.
func (w *toolWorkload) AddInfo(info *sdk.WorkloadInfo) {
	if !w.scripted {
		info.AtServer()
	}
	if w.userRecording {
		info.OpenReasons = append(info.OpenReasons, "the conversations are not those of "+conversations.OfficialName+
			", by their SHA-256")
	}
}

// ClientWork returns nil: requests are written before the run, and answers are logged unchanged.
func (w *toolWorkload) ClientWork(_, _ []backend.TensorInfo, _ int) []string { return nil }

// RunNotes returns notes about the answers.
func (w *toolWorkload) RunNotes() (r sdk.RunNotes) {
	if n := w.reasoningAnswers.Load(); n > 0 {
		r.Notes = append(r.Notes, strconv.FormatUint(n, 10)+" answers hold thoughts: the rules want reasoning to be off "+
			"at the server")
	}
	if n := w.uncountedAnswers.Load(); n > 0 {
		r.Notes = append(r.Notes, "the server counted no tokens, as nobody asked it to (--param usage=on asks)")
	}
	return r
}
