package rag

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/pystr"
	"github.com/plumbline-ml/plumbline/plugins/rag/internal/agent"
	"github.com/plumbline-ml/plumbline/plugins/rag/internal/standin"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// connectServer returns a client for a server. parameter is the parameter that contains the server's address, for
// messages.
func connectServer(
	ctx context.Context, servers backend.GeneratorOpener, parameter string, s serverSettings, retries, concurrency int,
) (backend.Generator, error) {
	if s.url == manifest.Embedded {
		return standin.RuleBackend{}.OpenGenerator(ctx, backend.Model{}, backend.Config{})
	}
	options := map[string]string{"api": "chat", "prefix_cache": "allow", "first_timeout": "none", "idle_timeout": "none",
		"retries": strconv.Itoa(retries)}
	maps.Copy(options, s.options)
	options["url"] = s.url
	if s.model != "" {
		options["model"] = s.model
	}
	g, err := servers.OpenGenerator(ctx, backend.Model{}, backend.Config{Concurrency: concurrency, Options: options})
	if err != nil {
		return nil, sdk.Usage(fmt.Errorf("parameter %s: %w", parameter, err))
	}
	return g, nil
}

// modelReply receives the reply of a model.
type modelReply struct{ backend.Tokens }

// FirstToken does nothing, because replies are read as a whole.
func (r *modelReply) FirstToken(backend.Tokens) {}

// Complete stores the reply.
func (r *modelReply) Complete(t backend.Tokens) { r.Tokens = t }

// replyText returns the reply's text without surrounding white space. If it is empty, it returns the outermost JSON
// object in the reasoning.
func (r *modelReply) replyText() string {
	if text := pystr.Trim(r.Text); text != "" {
		return text
	}
	from, to := strings.IndexByte(r.Reasoning, '{'), strings.LastIndexByte(r.Reasoning, '}')
	if from < 0 || to < from {
		return ""
	}
	return r.Reasoning[from : to+1]
}

// errTimeout means that a reply did not arrive in time.
var errTimeout = errors.New("no reply within the timeout")

// askServer sends a message to a server. After a timeout it repeats the request, up to tries requests with a pause that
// doubles. The client g itself retries other errors (429, 502, 503, 504, lost connections).
func askServer(
	ctx context.Context, g backend.Generator, content string, fields map[string]json.RawMessage, maxTokens int,
	timeout time.Duration, tries int,
) (*modelReply, error) {
	p := backend.Prompt{Messages: []backend.ChatMessage{{Role: "user", Content: content}}, Fields: fields,
		MaxNewTokens: maxTokens}
	for try := 0; ; try++ {
		r := &modelReply{}
		limited, cancel := context.WithTimeoutCause(ctx, timeout, errTimeout)
		err := g.Generate(limited, p, r)
		cancel()
		if err == nil {
			return r, nil
		}
		if ctx.Err() != nil {
			return nil, errors.Join(agent.ErrEnd, context.Cause(ctx))
		}
		if !errors.Is(err, errTimeout) || try+1 >= tries {
			return nil, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second << min(try, 10)):
		}
	}
}

// requestFields returns the fields of the reference's requests.
func (f requestSettings) requestFields(maxTokens int) map[string]json.RawMessage {
	effort, err := json.Marshal(f.effort)
	if err != nil { // impossible for strings
		effort = []byte(`""`)
	}
	return map[string]json.RawMessage{
		"temperature": numberJSON(f.temperature), "top_p": json.RawMessage("1.0"), "top_k": json.RawMessage("-1"),
		"max_tokens": json.RawMessage(strconv.Itoa(maxTokens)), "reasoning_effort": effort,
	}
}

// numberJSON formats a number as Python does in a request.
func numberJSON(v float64) json.RawMessage {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return json.RawMessage(text)
}

// stepModels calls the models of all steps.
type stepModels struct {
	*ragSettings
	generators [agent.StepCount]backend.Generator
	cache      cachedReplies
}

// openModels connects to the servers of all steps.
func openModels(ctx context.Context, servers backend.GeneratorOpener, s *ragSettings) (*stepModels, error) {
	m := &stepModels{ragSettings: s}
	var err error
	if m.cache, err = readReplies(s.cachePath); err != nil {
		return nil, err
	}
	queries, err1 := connectServer(ctx, servers, "llm", s.queries, s.tries-1, s.Concurrency)
	relevance, err2 := connectServer(ctx, servers, "relevance_llm", s.relevance, s.tries-1, s.Concurrency)
	copy(m.generators[:], []backend.Generator{queries, relevance, queries, queries})
	if err := errors.Join(err1, err2); err != nil {
		return nil, errors.Join(err, m.closeAll())
	}
	return m, nil
}

func (m *stepModels) closeAll() error {
	var faults []error
	for _, step := range []agent.Step{agent.QueryStep, agent.RelevanceStep} {
		if g := m.generators[step]; g != nil {
			faults = append(faults, g.Close())
		}
	}
	return errors.Join(faults...)
}

// askStep asks the model of a step. If a cached reply of a previous run exists, the model must still reply, but its
// reply is ignored. tokens is the number of tokens in the reply.
func (m *stepModels) askStep(
	ctx context.Context, s agent.Step, row, round int, prompt string,
) (text string, tokens int, err error) {
	most := m.fields.maxTokens
	if s == agent.RelevanceStep {
		most = m.fields.maxMarkingTokens
	}
	r, err := askServer(ctx, m.generators[s], prompt, m.fields.requestFields(most), most, m.Timeout, m.tries)
	cached, has := m.cache[replyKey{row, s.Component(), round}]
	switch {
	case err != nil && has:
		return "", 0, fmt.Errorf("%w: with replies of a run before, the model must reply: %w", agent.ErrEnd, err)
	case err != nil:
		return "", 0, err
	case has:
		return cached, r.N, nil
	}
	return r.replyText(), r.N, nil
}
