package generate

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// GeneratorOptions limits the concurrent work of a generator. The zero value of each field means its default.
type GeneratorOptions struct {
	// MaxSequences is the number of rows that are decoded together. Each beam is a row. Default 8.
	MaxSequences int
	// CacheBytes is the maximum memory of keys and values, including both copies of a step and prompts. Default 4 GiB.
	CacheBytes int64
	// PromptTokens is the maximum number of prompt tokens, including padding, that run between two steps. One prompt
	// always runs. Default 128: on a CPU, long prompts that run together take as long as one after the other, and wait for
	// one another.
	PromptTokens int
	// EOS ends the answers of prompts without end tokens.
	EOS []int32
	// Never contains tokens that are never generated.
	Never []int32
	// ForceEnd makes the last token of an answer of MaxNewTokens the first end token, like transformers'
	// forced_eos_token_id.
	ForceEnd bool
	// Renormalize divides probabilities by their sum if some tokens are excluded, like transformers' renormalize_logits.
	// It affects only beam search.
	Renormalize bool
	// Beams is the rule of beam search.
	Beams BeamRule

	// Start contains the first tokens of the decoder of an encoder-decoder: its start token, or a prompt.
	Start []int32
	// Features converts a prompt's audio to the encoder's input for one sequence, with its shape: [BINS,FRAMES]. Generate
	// calls it, concurrently for several prompts.
	Features func(audio []float32) (values []float32, shape []int64, err error)
	// Source is the maximum width of the encoder's output and Answer the maximum length of an answer, if the model does
	// not determine them. New uses them to compute the copied bytes. 0: not known.
	Source, Answer int
	// CopyState allows an encoder-decoder that copies more than MaxCopied bytes at each step because its sessions do not
	// implement backend.OutputCache.
	CopyState bool

	hasLogProbs bool // the model returns log probabilities
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

// ErrPrompt is wrapped by every error about a prompt that cannot be continued.
var ErrPrompt = errors.New("the prompt cannot be continued")

// checkPrompt returns an error that lists all faults of a prompt.
func (g *Generator) checkPrompt(p *backend.Prompt) error {
	faults := g.model.promptFaults(p)
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

// checkSize checks a prepared prompt against the maximum memory.
func (g *Generator) checkSize(s *sequence) error {
	rows := branchCount(&s.prompt)
	if need := g.maxMemory(rows, s.size); need > g.options.CacheBytes {
		return fmt.Errorf("%w: %d rows of %d tokens need %d bytes of cache, the limit is %d",
			ErrPrompt, rows, s.size.tokens, need, g.options.CacheBytes)
	}
	return nil
}

// checkSampling returns the prompt's settings that are incompatible with sampling.
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

// checkRule returns the requirements of the beam-search rule that a prompt does not meet.
func (o *GeneratorOptions) checkRule(p *backend.Prompt) []error {
	if o.Beams == HuggingFace || len(p.EOS) == 1 {
		return nil
	}
	return []error{fmt.Errorf("%d end tokens, want the one that GNMT's rule of beam search knows", len(p.EOS))}
}
