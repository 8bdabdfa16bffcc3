package loadgentest

import (
	"context"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// Script is a SUT that follows a script and records its queries. The zero value answers at once.
type Script struct {
	// Clock is the virtual clock of the test; nil means real time.
	Clock *Clock
	// Latency returns the time from the issue of a sample to its answer. nil or 0 means inside IssueQuery.
	Latency func(s loadgen.QuerySample) time.Duration
	// FirstToken returns the time from the issue of a sample to its first token, which must come before the answer. nil
	// means that no first tokens are reported.
	FirstToken func(s loadgen.QuerySample) time.Duration
	// Tokens returns the number of tokens of a sample's answer. nil means none.
	Tokens func(s loadgen.QuerySample) int64
	// Data returns the payload of a sample. nil means none.
	Data func(s loadgen.QuerySample) []byte
	// Answers returns the ids that a sample is answered with. An empty list drops the sample, and an id that is listed
	// twice is answered twice. nil means the sample's own id.
	Answers func(s loadgen.QuerySample) []loadgen.ResponseID
	// Fail returns the error of an IssueQuery call; call counts from 0. nil means that all calls succeed.
	Fail func(call int) error

	mu      sync.Mutex
	queries []Issued
	flushes int
}

// Issued is one IssueQuery call.
type Issued struct {
	Samples []loadgen.QuerySample
	At      time.Duration // by Clock; 0 without a clock
}

// Name implements loadgen.SUT.
func (s *Script) Name() string { return "scripted SUT" }

// IssueQuery implements loadgen.SUT.
func (s *Script) IssueQuery(_ context.Context, q loadgen.Query, r loadgen.Responder) error {
	if err := s.recordQuery(q); err != nil {
		return err
	}
	for _, sample := range q.Samples {
		s.scheduleAnswer(sample, r)
	}
	return nil
}

func (s *Script) recordQuery(q loadgen.Query) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	call := Issued{Samples: append([]loadgen.QuerySample(nil), q.Samples...)}
	if s.Clock != nil {
		call.At = s.Clock.Now()
	}
	s.queries = append(s.queries, call)
	if s.Fail != nil {
		return s.Fail(len(s.queries) - 1)
	}
	return nil
}

// scheduleAnswer answers a sample after its latency. If the sample has an earlier first token, it reports that first.
func (s *Script) scheduleAnswer(sample loadgen.QuerySample, r loadgen.Responder) {
	var d time.Duration
	if s.Latency != nil {
		d = s.Latency(sample)
	}
	answer := func() { r.QuerySamplesComplete(s.responses(sample)) }
	if s.FirstToken == nil {
		s.runAfter(d, answer)
		return
	}
	first := s.FirstToken(sample)
	token := func() {
		r.FirstTokenComplete([]loadgen.QuerySampleResponse{{ID: sample.ID, Data: s.payload(sample)}})
	}
	if first > d {
		s.runAfter(d, answer)
		s.runAfter(first, token)
		return
	}
	s.runAfter(first, func() {
		token()
		s.runAfter(d-first, answer)
	})
}

// runAfter runs f after d, or at once if d is 0.
func (s *Script) runAfter(d time.Duration, f func()) {
	switch {
	case d <= 0:
		f()
	case s.Clock != nil:
		s.Clock.After(d, f)
	default:
		time.AfterFunc(d, f)
	}
}

func (s *Script) responses(sample loadgen.QuerySample) []loadgen.QuerySampleResponse {
	ids := []loadgen.ResponseID{sample.ID}
	if s.Answers != nil {
		ids = s.Answers(sample)
	}
	out := make([]loadgen.QuerySampleResponse, len(ids))
	for i, id := range ids {
		out[i] = loadgen.QuerySampleResponse{ID: id, Data: s.payload(sample)}
		if s.Tokens != nil {
			out[i].NTokens = s.Tokens(sample)
		}
	}
	return out
}

func (s *Script) payload(sample loadgen.QuerySample) []byte {
	if s.Data == nil {
		return nil
	}
	return s.Data(sample)
}

// FlushQueries implements loadgen.SUT.
func (s *Script) FlushQueries(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flushes++
	return nil
}

// Queries returns the IssueQuery calls so far.
func (s *Script) Queries() []Issued {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Issued(nil), s.queries...)
}

// Flushes returns the number of FlushQueries calls so far.
func (s *Script) Flushes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.flushes
}
