package backend

import (
	"errors"
	"fmt"
	"math"
)

// Sampling determines how tokens are drawn. The generator chooses the value of a nil field. A server has its own
// defaults; the comments below state those of package generate. Sampling does not change during a call.
type Sampling struct {
	Temperature *float64 // divides the logits, 0 or above; 0: the most probable token. nil: 1
	TopP        *float64 // the fewest most probable tokens that reach this total probability, (0,1]. nil: 1
	TopK        *int     // the number of most probable tokens to draw from, 1 or above; -1: all. nil: -1
	// Seed determines the draws of an answer. Prompts with the same seed draw alike; for different answers to one
	// prompt, use different seeds. nil: a new seed each time.
	Seed *int64
	// Penalties subtracted from the logit of a token that the answer already contains: PresencePenalty once, and
	// FrequencyPenalty once per occurrence. nil: 0
	PresencePenalty, FrequencyPenalty *float64
}

// SamplingTaker is an optional interface of a Generator that reports whether it supports Sampling. A Generator without
// it does not, and receives no prompt with Sampling.
type SamplingTaker interface {
	TakesSampling() bool
}

// Check returns an error that lists every invalid value. A nil Sampling is valid.
func (s *Sampling) Check() error {
	if s == nil {
		return nil
	}
	var faults []error
	number := func(name string, v *float64, ok func(float64) bool, want string) {
		if v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0) || !ok(*v)) {
			faults = append(faults, fmt.Errorf("%s = %v, want %s", name, *v, want))
		}
	}
	any := func(float64) bool { return true }
	number("Temperature", s.Temperature, func(v float64) bool { return v >= 0 }, "0 or above")
	number("TopP", s.TopP, func(v float64) bool { return v > 0 && v <= 1 }, "above 0, at most 1")
	number("PresencePenalty", s.PresencePenalty, any, "a number")
	number("FrequencyPenalty", s.FrequencyPenalty, any, "a number")
	if s.TopK != nil && *s.TopK < 1 && *s.TopK != -1 {
		faults = append(faults, fmt.Errorf("TopK = %d, want 1 or above, or -1 for all tokens", *s.TopK))
	}
	return errors.Join(faults...)
}
