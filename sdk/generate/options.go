package generate

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Options bound what a generator does at a time. The zero value of each field means its default.
type Options struct {
	// MaxSequences is how many rows are decoded together; each beam is one. Default 8.
	MaxSequences int
	// CacheBytes bounds the memory of keys and values, both copies of a step and prompts included. Default 4 GiB.
	CacheBytes int64
	// PromptTokens bounds how many tokens of prompts, padding included, run between two steps; one prompt always does.
	// Default 128: on a CPU, long prompts that run together take as long as one after the other, and wait for one another.
	PromptTokens int
	// EOS ends the answers of prompts that have no end token of their own.
	EOS []int32
}

const (
	defaultSequences    = 8
	defaultCacheBytes   = 4 << 30
	defaultPromptTokens = 128
)

func (o Options) complete() (Options, error) {
	var faults []error
	for _, f := range []struct {
		name  string
		value int64
	}{{"MaxSequences", int64(o.MaxSequences)}, {"CacheBytes", o.CacheBytes}, {"PromptTokens", int64(o.PromptTokens)}} {
		if f.value < 0 {
			faults = append(faults, fmt.Errorf("generate: %s = %d, want 0 (the default) or more", f.name, f.value))
		}
	}
	if o.MaxSequences == 0 {
		o.MaxSequences = defaultSequences
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = defaultCacheBytes
	}
	if o.PromptTokens == 0 {
		o.PromptTokens = defaultPromptTokens
	}
	return o, errors.Join(faults...)
}

// ErrPrompt is in the chain of every error about a prompt that cannot be continued.
var ErrPrompt = errors.New("the prompt cannot be continued")

// check lists every fault of a prompt.
func (g *Generator) check(p *backend.Prompt) error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if len(p.Tokens) == 0 {
		fault("it has no tokens; this generator takes nothing else")
	}
	if p.MaxNewTokens <= 0 {
		fault("MaxNewTokens = %d, want 1 or more", p.MaxNewTokens)
	}
	if p.Beams < 0 || branches(p) > g.options.MaxSequences {
		fault("%d beams, want at most the %d sequences that are decoded together", p.Beams, g.options.MaxSequences)
	}
	if err := g.checkTokens(p.Tokens); err != nil {
		faults = append(faults, err)
	}
	if err := g.checkTokens([]int32{p.PadToken}); err != nil {
		faults = append(faults, fmt.Errorf("padding: %w", err))
	}
	if need := g.memory(branches(p), tokensOf(p)); need > g.options.CacheBytes {
		fault("%d rows of %d tokens need %d bytes of cache, the limit is %d", branches(p), tokensOf(p), need, g.options.CacheBytes)
	}
	if len(faults) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrPrompt, errors.Join(faults...))
}

// checkTokens finds the first token that the vocabulary lacks.
func (g *Generator) checkTokens(ids []int32) error {
	for i, id := range ids {
		if id < 0 || g.model.vocab > 0 && int(id) >= g.model.vocab {
			return fmt.Errorf("token %d is %d, want one of [0, %d)", i, id, g.model.vocab)
		}
	}
	return nil
}

// tokensOf is the greatest length that a prompt and its answer can have.
func tokensOf(p *backend.Prompt) int { return len(p.Tokens) + p.MaxNewTokens }
