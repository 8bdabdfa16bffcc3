package backend

import (
	"errors"
	"fmt"
	"math"
)

// Sampling is how tokens are drawn. What is nil is left to who generates: a server has defaults of its own; package
// generate's are named at each field. It is not changed during a call.
type Sampling struct {
	Temperature *float64 // what logits are divided by, 0 or above; 0: the most probable token. nil: 1
	TopP        *float64 // of the most probable tokens, as few as have this probability together, (0,1]. nil: 1
	TopK        *int     // at most so many of the most probable tokens, 1 or above; -1: all. nil: -1
	// Seed makes the draws of an answer. Prompts with one seed draw alike: whoever wants different answers to one prompt
	// gives each a seed of its own. nil: another one each time.
	Seed *int64
	// What is taken from the logit of a token that the answer holds: once, and for each time that it does. nil: 0
	PresencePenalty, FrequencyPenalty *float64
}

// SamplingTaker is an optional interface of a Generator: whether it draws tokens as prompts ask for. One without it
// does not, and gets no prompt with Sampling.
type SamplingTaker interface {
	TakesSampling() bool
}

// Check lists every value that means nothing. nil is right.
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
