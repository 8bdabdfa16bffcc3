package series

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// maxLengths limits the requests in Lengths, and maxSizes the steps of Sizes.
const (
	maxLengths = 1000
	maxSizes   = 24
)

// Lengths contains the lengths of prompts, in tokens, and the times to the first token, of some of the answered
// requests. These include the longest times and are ordered by the length of the prompt.
type Lengths struct {
	Of int `json:"of"` // number of all answered requests
	// Asked means that the server does not count prompt tokens; the lengths are the requested ones.
	Asked  bool    `json:"asked,omitempty"`
	Prompt []int64 `json:"prompt"`
	TTFT   []int64 `json:"ttft_ns"`
	// Prompts and Answers count all requests by length; empty: the lengths are unknown.
	Prompts Sizes `json:"prompts"`
	Answers Sizes `json:"answers"`
}

// Sizes counts lengths in steps. Step k begins at From + k*Step tokens.
type Sizes struct {
	From  int64   `json:"from"`
	Step  int64   `json:"step"`
	Count []int64 `json:"count"`
}

// lengthsOf returns the lengths of answered requests, or nil if none has a prompt of known length and a first token.
func lengthsOf(all []*metrics.Measured) *Lengths {
	l := &Lengths{Asked: !slices.ContainsFunc(all, func(m *metrics.Measured) bool {
		return m.Usage.Prompt != metrics.Unknown
	})}
	type timed struct{ prompt, ttft int64 }
	var both []timed
	var prompts, answers []int64
	for _, m := range all {
		n := m.Usage.Prompt
		if l.Asked {
			n = m.AskedIn
		}
		if m.Out >= 0 {
			answers = append(answers, m.Out)
		}
		if n < 0 {
			continue
		}
		prompts = append(prompts, n)
		if ttft, ok := m.Value(metrics.TTFT); ok {
			both = append(both, timed{n, max(0, int64(ttft))})
		}
	}
	l.Prompts, l.Answers = countSizes(prompts), countSizes(answers)
	slices.SortStableFunc(both, func(a, b timed) int { return int(min(max(a.prompt-b.prompt, -1), 1)) })
	l.Of = len(both)
	for _, i := range SelectPoints(len(both), maxLengths, func(i int) (x, y float64) {
		return float64(both[i].prompt), float64(both[i].ttft)
	}) {
		l.Prompt, l.TTFT = append(l.Prompt, both[i].prompt), append(l.TTFT, both[i].ttft)
	}
	if len(prompts) == 0 && len(answers) == 0 {
		return nil
	}
	return l
}

// countSizes counts lengths.
func countSizes(lengths []int64) (s Sizes) {
	if len(lengths) == 0 {
		return s
	}
	low, high := slices.Min(lengths), slices.Max(lengths)
	s.From, s.Step = low, (high-low)/maxSizes+1
	s.Count = make([]int64, (high-low)/s.Step+1)
	for _, n := range lengths {
		s.Count[(n-low)/s.Step]++
	}
	return s
}

func (l *Lengths) check() error {
	if l == nil {
		return nil
	}
	switch {
	case len(l.Prompt) != len(l.TTFT):
		return fmt.Errorf("%d lengths of prompts and %d times to the first token", len(l.Prompt), len(l.TTFT))
	case l.Of < len(l.Prompt):
		return fmt.Errorf("lengths of %d requests of %d", len(l.Prompt), l.Of)
	case !slices.IsSorted(l.Prompt):
		return errors.New("lengths of prompts are not in order")
	case len(l.Prompt) > 0 && (l.Prompt[0] < 0 || slices.Min(l.TTFT) < 0):
		return errors.New("a length or a time to the first token below 0")
	}
	return errors.Join(l.Prompts.check(), l.Answers.check())
}

func (s *Sizes) check() error {
	n := int64(len(s.Count))
	switch {
	case n == 0:
		return nil
	case s.From < 0 || s.Step < 1 || s.Step > (math.MaxInt64-s.From)/n:
		return fmt.Errorf("%d steps of %d tokens from %d on", n, s.Step, s.From)
	case slices.Min(s.Count) < 0:
		return errors.New("a number of lengths below 0")
	}
	return nil
}
