package llm

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/datasets/prompts"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// fill puts a sample into the template.
func (s *settings) fill(t *prompts.Sample) string {
	if t.Whole {
		return t.Input
	}
	return strings.NewReplacer("{system}", t.System, "{instruction}", t.Instruction,
		"{input}", t.Input).Replace(s.template)
}

// prepared are all prompts of a data set, made before the run.
type prepared struct {
	all       []backend.Prompt
	truncated int // that were longer than the model's limit and lost their end
}

// mostFaults bounds how many wrong prompts an error lists.
const mostFaults = 10

// makePrompts fills in and tokenises all samples, on all cores. The error names the samples that cannot be prompts.
func makePrompts(ctx context.Context, s *settings, t tokenizer, items []prompts.Sample) (prepared, error) {
	p := prepared{all: make([]backend.Prompt, len(items))}
	s.pad(t)
	faults := make([]error, len(items))
	var next, truncated atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(items) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				var cut bool
				if p.all[i], cut, faults[i] = s.prompt(t, &items[i]); cut {
					truncated.Add(1)
				}
			}
		})
	}
	workers.Wait()
	p.truncated = int(truncated.Load())
	return p, errors.Join(context.Cause(ctx), listFaults(faults))
}

func listFaults(faults []error) error {
	var kept []error
	n := 0
	for i, err := range faults {
		if err == nil {
			continue
		}
		if n++; n <= mostFaults {
			kept = append(kept, fmt.Errorf("sample %d: %w", i, err))
		}
	}
	if n > mostFaults {
		kept = append(kept, fmt.Errorf("and %d more samples", n-mostFaults))
	}
	if n == 0 {
		return nil
	}
	return sdk.Data(errors.Join(kept...))
}

// pad fills sequences with a token of the tokenizer, an end token where it has one: no model looks at them, but each
// looks them up.
func (s *settings) pad(t tokenizer) {
	if t == nil {
		return
	}
	i := slices.IndexFunc(s.limits.EOS, func(id int32) bool { return int(id) < t.Size() })
	if i >= 0 {
		s.limits.PadToken = s.limits.EOS[i]
	}
}

// prompt makes the prompt of one sample, and says whether it was cut to the model's limit. Without
// a tokenizer it is text.
func (s *settings) prompt(t tokenizer, item *prompts.Sample) (p backend.Prompt, cut bool, err error) {
	p = s.limits
	if t == nil {
		p.Text = s.fill(item)
		p.Messages = messages(item, p.Text)
		p.EOS = nil
		if strings.TrimSpace(item.Input) == "" {
			return p, false, errors.New("it has no text; with tokenizer=server, prompts must be text")
		}
		return p, false, nil
	}
	p.Tokens = item.Tokens
	if p.Tokens == nil || s.tokenizer == embeddedTokenizer && item.Input != "" { // a data set's are the official one's
		p.Text = s.fill(item)
		p.Tokens = t.Encode(nil, p.Text)
	}
	if s.mostInput > 0 && len(p.Tokens) > s.mostInput {
		p.Tokens, p.Text, cut = p.Tokens[:s.mostInput], "", true
	}
	return p, cut, checkIDs(p.Tokens, t.Size())
}

// messages are a prompt as a chat: a data set's own system prompt apart from the rest.
func messages(item *prompts.Sample, whole string) []backend.Message {
	if item.System != "" && !item.Whole {
		return []backend.Message{{Role: "system", Content: item.System}, {Role: "user", Content: item.Input}}
	}
	return []backend.Message{{Role: "user", Content: whole}}
}

func checkIDs(ids []int32, size int) error {
	if len(ids) == 0 {
		return errors.New("its prompt has no tokens")
	}
	for i, id := range ids {
		if id < 0 || int(id) >= size {
			return fmt.Errorf("token %d of its prompt is %d, the tokenizer has %d: they belong to different models", i, id, size)
		}
	}
	return nil
}
