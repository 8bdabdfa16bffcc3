package language

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/internal/parallel"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// PreparedPrompts contains all prompts of a data set, made before the run.
type PreparedPrompts struct {
	All       []backend.Prompt
	Truncated int // number of prompts that exceeded the model's limit and were truncated at the end
}

// maxFaults limits the number of invalid prompts in an error.
const maxFaults = 10

// MakePrompts makes n prompts on all cores. makePrompt makes prompt i and reports whether it was truncated to the
// model's limit. The error lists the samples from which no prompt can be made.
func MakePrompts(
	ctx context.Context, n int, makePrompt func(i int) (p backend.Prompt, cut bool, err error),
) (PreparedPrompts, error) {
	p := PreparedPrompts{All: make([]backend.Prompt, n)}
	faults := make([]error, n)
	var truncated atomic.Int64
	parallel.Each(ctx, n, func(i int) {
		var cut bool
		if p.All[i], cut, faults[i] = makePrompt(i); cut {
			truncated.Add(1)
		}
	})
	p.Truncated = int(truncated.Load())
	return p, errors.Join(context.Cause(ctx), listFaults(faults))
}

func listFaults(faults []error) error {
	var kept []error
	n := 0
	for i, err := range faults {
		if err == nil {
			continue
		}
		if n++; n <= maxFaults {
			kept = append(kept, fmt.Errorf("sample %d: %w", i, err))
		}
	}
	if n > maxFaults {
		kept = append(kept, fmt.Errorf("and %d more samples", n-maxFaults))
	}
	if n == 0 {
		return nil
	}
	return sdk.Data(errors.Join(kept...))
}

// CheckIDs requires one or more token IDs, all less than vocabularySize.
func CheckIDs(ids []int32, vocabularySize int) error {
	if len(ids) == 0 {
		return errors.New("its prompt has no tokens")
	}
	for i, id := range ids {
		if id < 0 || int(id) >= vocabularySize {
			return fmt.Errorf("token %d of its prompt is %d, the tokenizer has %d: they belong to different models", i, id,
				vocabularySize)
		}
	}
	return nil
}
