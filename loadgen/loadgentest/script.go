package loadgentest

import (
	"context"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// Script is a SUT that does as told, and remembers what it was asked. The zero value answers at once.
type Script struct {
	// Clock is the virtual clock of the test; nil means real time.
	Clock *Clock
	// Latency is how long after the issue a sample is answered; nil or 0 means inside IssueQuery.
	Latency func(s loadgen.QuerySample) time.Duration
	// FirstToken is how long after the issue a sample's first token comes, before its answer; nil: none is reported.
	FirstToken func(s loadgen.QuerySample) time.Duration
	// Tokens is the number of tokens of a sample's answer; nil means none.
	Tokens func(s loadgen.QuerySample) int64
	// Data is the payload of a sample; nil means none.
	Data func(s loadgen.QuerySample) []byte
	// Answers are the ids answered for a sample: none drops it, two of the same answer it twice. nil means its own.
	Answers func(s loadgen.QuerySample) []loadgen.ResponseID
	// Fail, if not nil, may make the IssueQuery call of a number, counted from 0, fail.
	Fail func(call int) error

	mu      sync.Mutex
	queries []Issued
	flushes int
}

// Issued is one IssueQuery call.
type Issued struct {
	Samples []loadgen.QuerySample
	At      time.Duration // by Clock; 0 without
}

// Name implements loadgen.SUT.
func (s *Script) Name() string { return "scripted SUT" }

// IssueQuery implements loadgen.SUT.
func (s *Script) IssueQuery(_ context.Context, q loadgen.Query, r loadgen.Responder) error {
	if err := s.note(q); err != nil {
		return err
	}
	for _, sample := range q.Samples {
		s.schedule(sample, r)
	}
	return nil
}

func (s *Script) note(q loadgen.Query) error {
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

// schedule answers a sample when its latency has passed, behind its first token where that is to come before.
func (s *Script) schedule(sample loadgen.QuerySample, r loadgen.Responder) {
	var d time.Duration
	if s.Latency != nil {
		d = s.Latency(sample)
	}
	answer := func() { r.QuerySamplesComplete(s.answers(sample)) }
	if s.FirstToken == nil {
		s.after(d, answer)
		return
	}
	first := s.FirstToken(sample)
	token := func() {
		r.FirstTokenComplete([]loadgen.QuerySampleResponse{{ID: sample.ID, Data: s.data(sample)}})
	}
	if first > d {
		s.after(d, answer)
		s.after(first, token)
		return
	}
	s.after(first, func() {
		token()
		s.after(d-first, answer)
	})
}

// after runs f at once or on its time.
func (s *Script) after(d time.Duration, f func()) {
	switch {
	case d <= 0:
		f()
	case s.Clock != nil:
		s.Clock.After(d, f)
	default:
		time.AfterFunc(d, f)
	}
}

func (s *Script) answers(sample loadgen.QuerySample) []loadgen.QuerySampleResponse {
	ids := []loadgen.ResponseID{sample.ID}
	if s.Answers != nil {
		ids = s.Answers(sample)
	}
	out := make([]loadgen.QuerySampleResponse, len(ids))
	for i, id := range ids {
		out[i] = loadgen.QuerySampleResponse{ID: id, Data: s.data(sample)}
		if s.Tokens != nil {
			out[i].NTokens = s.Tokens(sample)
		}
	}
	return out
}

func (s *Script) data(sample loadgen.QuerySample) []byte {
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

// Queries are the IssueQuery calls so far.
func (s *Script) Queries() []Issued {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Issued(nil), s.queries...)
}

// Flushes is the number of FlushQueries calls so far.
func (s *Script) Flushes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.flushes
}
