// Package standin is a rule-based stand-in for language models. Rules for the templates of the generated encyclopedia
// reply to the prompts of the embedded retrieval benchmarks. Some replies are broken on purpose. It tests the pipeline
// from a benchmark to its result, not a model.
//
// In scope: prompts in the project's own words, and replies to them as a function, as a generating backend, and over
// HTTP. Out of scope: pages and questions (internal/synthetic/encyclopedia), the loop that sends prompts.
package standin

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Label is the description of the stand-in in every result.
const Label = "stand-in: scripted server"

//go:embed words
var words embed.FS

// PromptFiles returns the prompts of the embedded benchmarks: relevance.txt, sufficiency.txt, queries.txt, answer.txt
// and judge.txt. Placeholders have the syntax of Python's str.format, {name}. Except in answer.txt, doubled braces
// stand for single ones.
func PromptFiles() fs.FS {
	sub, err := fs.Sub(words, "words")
	if err != nil { // impossible for a name without dots
		return words
	}
	return sub
}

// RuleBackend is a backend that opens the rules instead of a model.
type RuleBackend struct{}

var (
	_ backend.GeneratorOpener = RuleBackend{}
	_ backend.Describer       = RuleBackend{}
)

// Describe returns the label as the version.
func (RuleBackend) Describe() backend.Info { return backend.Info{Version: Label} }

// Open returns an error, because rules have no tensors.
func (RuleBackend) Open(context.Context, backend.Model, backend.Config) (backend.Session, error) {
	return nil, errors.New("a scripted server runs no model: choose another backend")
}

// OpenGenerator returns the same generator for every model.
func (RuleBackend) OpenGenerator(_ context.Context, _ backend.Model, c backend.Config) (backend.Generator, error) {
	var faults []error
	for name := range c.Options {
		faults = append(faults, fmt.Errorf("%w: the scripted server has no option %q", backend.ErrOption, name))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return ruleGenerator{}, nil
}

type ruleGenerator struct{}

// Generate replies to the last message.
func (ruleGenerator) Generate(ctx context.Context, p backend.Prompt, sink backend.TokenSink) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if len(p.Messages) == 0 {
		return errors.New("a prompt without a message: the scripted server replies to chats alone")
	}
	r := answerMessage(p.Messages[len(p.Messages)-1].Content)
	sink.FirstToken(backend.Tokens{})
	sink.Complete(backend.Tokens{Text: r.text, Reasoning: r.reasoning, Finish: "stop", N: r.countTokens()})
	return nil
}

// Limits returns no limits.
func (ruleGenerator) Limits() backend.Limits { return backend.Limits{} }

func (ruleGenerator) Close() error { return nil }

// ruleReply is the reply to a prompt.
type ruleReply struct{ text, reasoning string }

// countTokens returns the number of words, plus one for the end token.
func (r ruleReply) countTokens() int {
	return max(1, len(strings.Fields(r.text))+len(strings.Fields(r.reasoning)))
}
