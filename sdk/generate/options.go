package generate

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// GeneratorOptions bound what a generator does at a time. The zero value of each field means its default.
type GeneratorOptions struct {
	// MaxSequences is how many rows are decoded together; each beam is one. Default 8.
	MaxSequences int
	// CacheBytes bounds the memory of keys and values, both copies of a step and prompts included. Default 4 GiB.
	CacheBytes int64
	// PromptTokens bounds how many tokens of prompts, padding included, run between two steps; one prompt always
	// does. Default 128: on a CPU, long prompts that run together take as long as one after the other, and wait for
	// one another.
	PromptTokens int
	// EOS ends the answers of prompts that have no end token of their own.
	EOS []int32
	// Never are tokens that no answer holds.
	Never []int32
	// ForceEnd has the first end token as the last one of an answer of MaxNewTokens, as transformers' forced_eos_token_id.
	ForceEnd bool
	// Renormalize divides probabilities by their sum where tokens are left out of them, as transformers'
	// renormalize_logits. Beams alone have a use for it.
	Renormalize bool
	// Beams is the rule of beam search.
	Beams BeamRule

	// Start is what the decoder of an encoder-decoder is given first: its start token, or a prompt.
	Start []int32
	// Features makes of a prompt's audio what the encoder takes of one sequence, with its shape: [BINS,FRAMES]. It is
	// called by Generate, for several prompts at a time.
	Features func(audio []float32) (values []float32, shape []int64, err error)
	// Source and Answer are how wide what the encoder gives, and how long an answer, can come to where the model does
	// not say: what New counts copied bytes with. 0: not known.
	Source, Answer int
	// CopyState admits an encoder-decoder of which more than MaxCopied bytes are copied at each step, because its
	// sessions are no backend.OutputCache.
	CopyState bool

	normal bool // the model gives log probabilities
}

const (
	defaultSequences    = 8
	defaultCacheBytes   = 4 << 30
	defaultPromptTokens = 128
)

func (o GeneratorOptions) withDefaults() (GeneratorOptions, error) {
	var faults []error
	for _, f := range []struct {
		name  string
		value int64
	}{{"MaxSequences", int64(o.MaxSequences)}, {"CacheBytes", o.CacheBytes}, {"PromptTokens", int64(o.PromptTokens)}} {
		if f.value < 0 {
			faults = append(faults, fmt.Errorf("generate: %s = %d, want 0 (the default) or more", f.name, f.value))
		}
	}
	o.MaxSequences = cmp.Or(o.MaxSequences, defaultSequences)
	o.CacheBytes = cmp.Or(o.CacheBytes, defaultCacheBytes)
	o.PromptTokens = cmp.Or(o.PromptTokens, defaultPromptTokens)
	return o, errors.Join(faults...)
}

// ErrPrompt is in the chain of every error about a prompt that cannot be continued.
var ErrPrompt = errors.New("the prompt cannot be continued")

// checkPrompt lists every fault of a prompt.
func (g *Generator) checkPrompt(p *backend.Prompt) error {
	faults := g.model.faults(p)
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if p.MaxNewTokens <= 0 {
		fault("MaxNewTokens = %d, want 1 or more", p.MaxNewTokens)
	}
	if p.Beams < 0 || branchCount(p) > g.options.MaxSequences {
		fault("%d beams, want at most the %d sequences that are decoded together", p.Beams, g.options.MaxSequences)
	}
	faults = append(faults, g.options.checkSampling(p)...)
	if faults = append(faults, g.options.checkRule(p)...); len(faults) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrPrompt, errors.Join(faults...))
}

// checkSize holds a prompt that has begun to what the memory can take.
func (g *Generator) checkSize(s *sequence) error {
	rows := branchCount(&s.prompt)
	if need := g.maxMemory(rows, s.size); need > g.options.CacheBytes {
		return fmt.Errorf("%w: %d rows of %d tokens need %d bytes of cache, the limit is %d",
			ErrPrompt, rows, s.size.tokens, need, g.options.CacheBytes)
	}
	return nil
}

// checkSampling lists what a prompt cannot draw by.
func (o *GeneratorOptions) checkSampling(p *backend.Prompt) []error {
	if p.Sampling == nil {
		return nil
	}
	var faults []error
	if err := p.Sampling.Check(); err != nil {
		faults = append(faults, fmt.Errorf("its Sampling: %w", err))
	}
	if p.Beams > 1 || o.Beams != HuggingFace {
		faults = append(faults, errors.New("it has Sampling, with which there is no beam search"))
	}
	return faults
}

// checkRule lists what a rule of beam search lacks in a prompt.
func (o *GeneratorOptions) checkRule(p *backend.Prompt) []error {
	if o.Beams == HuggingFace || len(p.EOS) == 1 {
		return nil
	}
	return []error{fmt.Errorf("%d end tokens, want the one that GNMT's rule of beam search knows", len(p.EOS))}
}
