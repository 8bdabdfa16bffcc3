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
	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// toolWorkload is the benchmark opened on one of its two data sets.
type toolWorkload struct {
	requestSettings
	file    backend.Model
	prompts []backend.Prompt
	// all are the conversations that the prompts are turns of; nil: they are questions.
	all      []sdk.Conversation
	other    bool // a recording of the user's own
	scripted bool // the plugin's script answers

	reasons, uncounted atomic.Uint64 // answers that think, and whose tokens nobody counted
}

var (
	_ sdk.GenerativeOf[*backend.Prompt] = (*toolWorkload)(nil)
	_ sdk.ToolsPrompter                 = (*toolWorkload)(nil)
	_ sdk.Replayer                      = (*toolWorkload)(nil)
	_ sdk.Noter                         = (*toolWorkload)(nil)
	_ sdk.WorkloadInfoAdder             = (*toolWorkload)(nil)
	_ sdk.ClientWorker                  = (*toolWorkload)(nil)
)

// questionPrompts makes the prompts of questions.
func (s *requestSettings) questionPrompts(all []bfcl.FunctionSample) (prompts []backend.Prompt) {
	for _, q := range all {
		p := s.basePrompt()
		p.Tools, p.ToolChoice = json.RawMessage(q.Tools), "auto"
		p.Messages = lists.Map(q.Messages, func(m bfcl.ChatMessage) backend.ChatMessage {
			return backend.ChatMessage{Role: m.Role, Content: m.Content}
		})
		p.ChatJSON = backend.AppendChat(nil, p)
		prompts = append(prompts, p)
	}
	return prompts
}

// basePrompt returns what all prompts have in common.
func (s *requestSettings) basePrompt() backend.Prompt {
	return backend.Prompt{Fields: s.fields, MaxNewTokens: s.MaxTokens}
}

// turnPrompts makes the prompts of turns. The error names what a row asks for that the harness does not send.
func (s *requestSettings) turnPrompts(set *conversations.ConversationSet) (prompts []backend.Prompt,
	all []sdk.Conversation,
	err error) {
	for _, t := range set.Turns {
		p := s.basePrompt()
		if t.Tools != "" {
			p.Tools = json.RawMessage(t.Tools)
		}
		p.Messages = lists.Map(t.Messages, messageOf)
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

func messageOf(m conversations.ChatMessage) backend.ChatMessage {
	to := backend.ChatMessage{Role: m.Role, Content: m.Content, NoContent: m.NoContent, Name: m.Name,
		Reasoning: m.Reasoning,
		CallID:    m.CallID}
	for _, call := range m.Calls {
		to.Calls = append(to.Calls, backend.ToolCall{Raw: json.RawMessage(call)})
	}
	return to
}

// overrideFields replaces fields of a request by those that a row has itself.
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
		case "max_new_tokens": // the harness's name of max_completion_tokens, which it wins over
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

// Load returns prompt i, which is made: the sample.
func (w *toolWorkload) Load(_ context.Context, i int) (*backend.Prompt, error) {
	return &w.prompts[i], nil
}

func (w *toolWorkload) Close() error { return nil }

// Prompt is the sample itself.
func (w *toolWorkload) Prompt(p *backend.Prompt) (backend.Prompt, error) { return *p, nil }

// WarmSample is a short question that no data set holds, without tools.
func (w *toolWorkload) WarmSample() *backend.Prompt {
	p := w.requestSettings.basePrompt()
	p.Messages = []backend.ChatMessage{{Role: "user", Content: "One two three"}}
	p.Fields, p.MaxNewTokens = maps.Clone(p.Fields), 4
	p.Fields["max_completion_tokens"] = numberJSON(4)
	p.ChatJSON = backend.AppendChat(nil, p)
	return &p
}

// ToolsPrompts says that prompts have tools.
func (w *toolWorkload) ToolsPrompts() bool { return true }

// Conversations are those that the samples are turns of.
func (w *toolWorkload) Conversations() []sdk.Conversation { return w.all }

// TurnTimeout is how long an answer to a turn may take.
func (w *toolWorkload) TurnTimeout() time.Duration { return w.Timeout }

// AppendTokens appends what is scored: of a question the calls in JSON, or what was thought and said where there are
// none; of a turn all of it.
func (w *toolWorkload) AppendTokens(dst []byte, _ *backend.Prompt, t backend.Tokens) ([]byte, int, error) {
	if t.Reasoning != "" {
		w.reasons.Add(1)
	}
	if t.N == backend.Uncounted {
		w.uncounted.Add(1)
		t.N = 0
	}
	if w.all == nil {
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

// AddInfo says what keeps a run out of the closed division, and takes the script back where a server has a model.
func (w *toolWorkload) AddInfo(info *sdk.WorkloadInfo) {
	if !w.scripted {
		info.AtServer()
	}
	if w.other {
		info.OpenReasons = append(info.OpenReasons, "the conversations are not those of "+conversations.OfficialName+
			", by their SHA-256")
	}
}

// ClientWork lists nothing: requests are written before the run, and answers are handed on.
func (w *toolWorkload) ClientWork(_, _ []backend.TensorInfo, _ int) []string { return nil }

// RunNotes say what the answers have shown.
func (w *toolWorkload) RunNotes() (r sdk.RunNotes) {
	if n := w.reasons.Load(); n > 0 {
		r.Notes = append(r.Notes, strconv.FormatUint(n, 10)+" answers hold thoughts: the rules want reasoning to be off "+
			"at the server")
	}
	if n := w.uncounted.Load(); n > 0 {
		r.Notes = append(r.Notes, "the server counted no tokens, as nobody asked it to (--param usage=on asks)")
	}
	return r
}
