package conformance

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// recordingSUT forwards calls between LoadGen and a SUT and records the answers.
type recordingSUT struct {
	sut     loadgen.SUT
	current loadgen.Responder

	mu       sync.Mutex
	open     map[loadgen.ResponseID]loadgen.SampleIndex
	payloads map[loadgen.SampleIndex][]byte // first payload of each sample
	faults   []error
}

// Name implements loadgen.SUT.
func (r *recordingSUT) Name() string { return r.sut.Name() }

// WarmUp implements loadgen.Warmer.
func (r *recordingSUT) WarmUp(ctx context.Context) error {
	if w, ok := r.sut.(loadgen.Warmer); ok {
		return w.WarmUp(ctx)
	}
	return nil
}

// IssueQuery implements loadgen.SUT.
func (r *recordingSUT) IssueQuery(ctx context.Context, q loadgen.Query, to loadgen.Responder) error {
	r.mu.Lock()
	r.current = to
	for _, s := range q.Samples {
		r.open[s.ID] = s.Index
	}
	r.mu.Unlock()
	return r.sut.IssueQuery(ctx, q, r)
}

// FlushQueries implements loadgen.SUT.
func (r *recordingSUT) FlushQueries(ctx context.Context) error { return r.sut.FlushQueries(ctx) }

// QuerySamplesComplete implements loadgen.Responder.
func (r *recordingSUT) QuerySamplesComplete(rs []loadgen.QuerySampleResponse) {
	r.mu.Lock()
	for _, answer := range rs {
		r.keepAnswer(answer)
	}
	to := r.current
	r.mu.Unlock()
	to.QuerySamplesComplete(rs)
}

func (r *recordingSUT) keepAnswer(answer loadgen.QuerySampleResponse) {
	i, ok := r.open[answer.ID]
	if !ok {
		r.faults = append(r.faults, fmt.Errorf("response id %d was answered twice, or never issued", answer.ID))
		return
	}
	delete(r.open, answer.ID)
	if _, ok := r.payloads[i]; !ok {
		r.payloads[i] = slices.Clone(answer.Data)
	}
}

// FirstTokenComplete implements loadgen.Responder.
func (r *recordingSUT) FirstTokenComplete(rs []loadgen.QuerySampleResponse) {
	r.mu.Lock()
	to := r.current
	r.mu.Unlock()
	to.FirstTokenComplete(rs)
}
