// Package loadgentest helps to test programs that use LoadGen. It contains a SUT that answers at once, a SUT that
// follows a script, a sample library of numbers, a virtual clock, and checks of the contracts of loadgen.SUT and
// loadgen.QSL.
//
// In scope: stand-ins and checks. Out of scope: parts of real runs.
package loadgentest

import (
	"cmp"
	"context"
	"slices"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// NullSUT answers every query inside IssueQuery with Data. It allocates no memory after its largest query. Its fields
// must not change after the first query.
type NullSUT struct {
	Data []byte // the payload of every answer; may be nil
	// Tokens is the number of tokens of every answer. If it is above 0, the SUT also reports first tokens.
	Tokens int64

	answers []loadgen.QuerySampleResponse
}

// Name implements loadgen.SUT.
func (s *NullSUT) Name() string { return "null SUT" }

// IssueQuery implements loadgen.SUT. It answers in pieces of up to 256 samples.
func (s *NullSUT) IssueQuery(_ context.Context, q loadgen.Query, r loadgen.Responder) error {
	const most = 256 // the answers to 256 samples fit in the first-level cache
	for rest := q.Samples; len(rest) > 0; {
		n := min(len(rest), most)
		s.answerSamples(rest[:n], r)
		rest = rest[n:]
	}
	return nil
}

func (s *NullSUT) answerSamples(samples []loadgen.QuerySample, r loadgen.Responder) {
	if len(s.answers) < len(samples) {
		s.answers = slices.Repeat([]loadgen.QuerySampleResponse{{Data: s.Data, NTokens: s.Tokens}}, len(samples))
	}
	out := s.answers[:len(samples)]
	for i := range samples {
		out[i].ID = samples[i].ID
	}
	if s.Tokens > 0 {
		r.FirstTokenComplete(out)
	}
	r.QuerySamplesComplete(out)
}

// FlushQueries implements loadgen.SUT.
func (s *NullSUT) FlushQueries(context.Context) error { return nil }

// QSL is a library that has counts of samples but no data. Loading does nothing.
type QSL struct {
	Total       int
	Performance int // 0 means Total
}

// Name implements loadgen.QSL.
func (q QSL) Name() string { return "null QSL" }

// TotalSampleCount implements loadgen.QSL.
func (q QSL) TotalSampleCount() int { return q.Total }

// PerformanceSampleCount implements loadgen.QSL.
func (q QSL) PerformanceSampleCount() int { return cmp.Or(q.Performance, q.Total) }

// LoadSamplesToRAM implements loadgen.QSL.
func (q QSL) LoadSamplesToRAM(context.Context, []loadgen.SampleIndex) error { return nil }

// UnloadSamplesFromRAM implements loadgen.QSL.
func (q QSL) UnloadSamplesFromRAM(context.Context, []loadgen.SampleIndex) error { return nil }
