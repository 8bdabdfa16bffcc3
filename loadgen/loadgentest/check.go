package loadgentest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// maxFaults is the maximum number of listed faults of a checker. A faulty loop could otherwise add a million of them.
const maxFaults = 20

type faultList struct {
	mu      sync.Mutex
	list    []string
	omitted int
}

func (f *faultList) add(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.list) == maxFaults {
		f.omitted++
		return
	}
	f.list = append(f.list, fmt.Sprintf(format, args...))
}

// Err returns nil, or one error that lists the faults found so far. Each names its query or sample.
func (f *faultList) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.list) == 0 {
		return nil
	}
	text := strings.Join(f.list, "\n  ")
	if f.omitted > 0 {
		text += fmt.Sprintf("\n  and %d more", f.omitted)
	}
	return fmt.Errorf("%w: %s", loadgen.ErrProtocol, text)
}

// CheckedSUT passes calls on to a SUT and checks that it keeps loadgen.SUT's contract. The SUT must answer each sample
// once, must not answer other samples, may report a first token only once and before the answer, and must not use a
// query after IssueQuery has returned. CheckedSUT overwrites the query's samples then.
type CheckedSUT struct {
	SUT loadgen.SUT
	faultList

	state         sync.Mutex
	pending       map[loadgen.ResponseID]loadgen.SampleIndex // issued and not answered samples
	hasFirstToken map[loadgen.ResponseID]bool                // pending samples whose first token was reported
	issued        loadgen.ResponseID                         // the next id
}

// CheckSUT returns a CheckedSUT around sut.
func CheckSUT(sut loadgen.SUT) *CheckedSUT {
	return &CheckedSUT{
		SUT: sut, pending: map[loadgen.ResponseID]loadgen.SampleIndex{}, hasFirstToken: map[loadgen.ResponseID]bool{},
	}
}

// Name implements loadgen.SUT.
func (c *CheckedSUT) Name() string { return c.SUT.Name() }

// WarmUp implements loadgen.Warmer.
func (c *CheckedSUT) WarmUp(ctx context.Context) error {
	if w, ok := c.SUT.(loadgen.Warmer); ok {
		return w.WarmUp(ctx)
	}
	return nil
}

// IssueQuery implements loadgen.SUT.
func (c *CheckedSUT) IssueQuery(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
	c.state.Lock()
	for _, s := range q.Samples {
		c.pending[s.ID] = s.Index
		c.issued = max(c.issued, s.ID+1)
	}
	c.state.Unlock()
	lent := append([]loadgen.QuerySample(nil), q.Samples...)
	err := c.SUT.IssueQuery(ctx, loadgen.Query{Samples: lent}, checkedResponder{c, r})
	for i := range lent {
		lent[i] = loadgen.QuerySample{ID: ^loadgen.ResponseID(0), Index: ^loadgen.SampleIndex(0)}
	}
	return err
}

// FlushQueries implements loadgen.SUT.
func (c *CheckedSUT) FlushQueries(ctx context.Context) error { return c.SUT.FlushQueries(ctx) }

// Unanswered returns the number of issued samples without an answer.
func (c *CheckedSUT) Unanswered() int {
	c.state.Lock()
	defer c.state.Unlock()
	return len(c.pending)
}

// takeAnswer removes an answered sample. It records a fault and returns false if the sample was not pending.
func (c *CheckedSUT) takeAnswer(id loadgen.ResponseID) bool {
	c.state.Lock()
	defer c.state.Unlock()
	if _, ok := c.pending[id]; ok {
		delete(c.pending, id)
		delete(c.hasFirstToken, id)
		return true
	}
	switch {
	case id == ^loadgen.ResponseID(0):
		c.add("a sample of a query was read after IssueQuery had returned: copy what is kept")
	case id < c.issued:
		c.add("response id %d was answered twice", id)
	default:
		c.add("response id %d was answered, but %d is the next to be issued", id, c.issued)
	}
	return false
}

// takeFirstToken records the first token of a sample. It records a fault and returns false if it came twice or too
// late.
func (c *CheckedSUT) takeFirstToken(id loadgen.ResponseID) bool {
	c.state.Lock()
	defer c.state.Unlock()
	_, pending := c.pending[id]
	switch {
	case pending && !c.hasFirstToken[id]:
		c.hasFirstToken[id] = true
		return true
	case pending:
		c.add("the first token of response id %d was reported twice", id)
	case id < c.issued:
		c.add("the first token of response id %d was reported after its answer", id)
	default:
		c.add("the first token of response id %d was reported, but %d is the next to be issued", id, c.issued)
	}
	return false
}

// checkedResponder passes on only correct answers.
type checkedResponder struct {
	c *CheckedSUT
	r loadgen.Responder
}

func (r checkedResponder) QuerySamplesComplete(rs []loadgen.QuerySampleResponse) {
	good := make([]loadgen.QuerySampleResponse, 0, len(rs))
	for _, a := range rs {
		if r.c.takeAnswer(a.ID) {
			good = append(good, a)
		}
	}
	r.r.QuerySamplesComplete(good)
}

func (r checkedResponder) FirstTokenComplete(rs []loadgen.QuerySampleResponse) {
	good := make([]loadgen.QuerySampleResponse, 0, len(rs))
	for _, a := range rs {
		if r.c.takeFirstToken(a.ID) {
			good = append(good, a)
		}
	}
	r.r.FirstTokenComplete(good)
}

// CheckedQSL passes calls on to a QSL and checks that its counts are positive and do not change. It also checks that
// LoadGen unloads the samples that it has loaded, with the same list.
type CheckedQSL struct {
	QSL loadgen.QSL
	faultList

	state              sync.Mutex
	loaded             []loadgen.SampleIndex
	total, performance int // as first reported
}

// CheckQSL returns a CheckedQSL around qsl.
func CheckQSL(qsl loadgen.QSL) *CheckedQSL {
	c := &CheckedQSL{QSL: qsl, total: qsl.TotalSampleCount(), performance: qsl.PerformanceSampleCount()}
	if c.total < 1 {
		c.add("TotalSampleCount() = %d, want 1 or more", c.total)
	}
	if c.performance < 1 {
		c.add("PerformanceSampleCount() = %d, want 1 or more", c.performance)
	}
	return c
}

// Name implements loadgen.QSL.
func (c *CheckedQSL) Name() string { return c.QSL.Name() }

// TotalSampleCount implements loadgen.QSL.
func (c *CheckedQSL) TotalSampleCount() int {
	return c.checkCount("TotalSampleCount", c.total, c.QSL.TotalSampleCount())
}

// PerformanceSampleCount implements loadgen.QSL.
func (c *CheckedQSL) PerformanceSampleCount() int {
	return c.checkCount("PerformanceSampleCount", c.performance, c.QSL.PerformanceSampleCount())
}

func (c *CheckedQSL) checkCount(name string, was, is int) int {
	if was != is {
		c.add("%s() = %d, was %d before", name, is, was)
	}
	return is
}

// LoadSamplesToRAM implements loadgen.QSL.
func (c *CheckedQSL) LoadSamplesToRAM(ctx context.Context, indices []loadgen.SampleIndex) error {
	c.state.Lock()
	if c.loaded != nil {
		c.add("samples are loaded while others are")
	}
	c.loaded = append([]loadgen.SampleIndex(nil), indices...)
	c.state.Unlock()
	return c.QSL.LoadSamplesToRAM(ctx, indices)
}

// UnloadSamplesFromRAM implements loadgen.QSL.
func (c *CheckedQSL) UnloadSamplesFromRAM(ctx context.Context, indices []loadgen.SampleIndex) error {
	c.state.Lock()
	if !slices.Equal(c.loaded, indices) {
		c.add("%d samples are unloaded that are not the %d loaded ones", len(indices), len(c.loaded))
	}
	c.loaded = nil
	c.state.Unlock()
	return c.QSL.UnloadSamplesFromRAM(ctx, indices)
}
