package host_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// openSlow opens a workload of ten samples whose batches take 5 ms each, one after another. The context ends with the
// plugin, or after a time that no part of the test needs.
func openSlow(t *testing.T, batch int) (*host.Workload, context.Context) {
	t.Helper()
	p, err := launchFaulty(t, "slow-batches")
	if err != nil {
		t.Fatal(err)
	}
	w, err := p.Open(t.Context(), sdk.Options{Scenario: loadgen.Offline, Count: 10, Batch: batch, Sessions: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*patience)
	t.Cleanup(cancel)
	ctx, cancel = p.Context(ctx)
	t.Cleanup(cancel)
	return w, ctx
}

func samples(n int) []loadgen.QuerySample {
	all := make([]loadgen.QuerySample, n)
	for i := range all {
		all[i] = loadgen.QuerySample{ID: loadgen.ResponseID(i), Index: loadgen.SampleIndex(i % 2)}
	}
	return all
}

// wantOneAnswer runs a test of one query, of a sample that only it loads.
func wantOneAnswer(ctx context.Context, t *testing.T, w *host.Workload) {
	t.Helper()
	if err := w.QSL().LoadSamplesToRAM(ctx, []loadgen.SampleIndex{5}); err != nil {
		t.Fatal(err)
	}
	own := newCounter(1)
	if err := w.SUT().IssueQuery(t.Context(), loadgen.Query{Samples: []loadgen.QuerySample{{ID: 0, Index: 5}}},
		own); err != nil {
		t.Fatal(err)
	}
	select {
	case <-own.done:
	case <-ctx.Done():
		t.Fatal(context.Cause(ctx))
	}
	if err := w.QSL().UnloadSamplesFromRAM(t.Context(), []loadgen.SampleIndex{5}); err != nil {
		t.Fatal(err)
	}
	if n := own.n.Load(); n != 1 {
		t.Errorf("%d answers, want 1", n)
	}
}

// An aborted test leaves samples in progress. They stay loaded, and their answers do not belong to the next test.
func TestAnswersOfAnEndedTestAreNotTheNextOnes(t *testing.T) {
	w, ctx := openSlow(t, 1)
	set := []loadgen.SampleIndex{0, 1}
	if err := w.QSL().LoadSamplesToRAM(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	const n = 60
	ended := newCounter(n)
	if err := w.SUT().IssueQuery(t.Context(), loadgen.Query{Samples: samples(n)}, ended); err != nil {
		t.Fatal(err)
	}
	if err := w.QSL().UnloadSamplesFromRAM(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	wantOneAnswer(ctx, t, w)
	if got := ended.n.Load(); got != n {
		t.Errorf("%d answers of the test before, want %d", got, n)
	}
	if err := w.QSL().UnloadSamplesFromRAM(t.Context(), set[:1]); err == nil {
		t.Error("the samples of the test before are still loaded")
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// ending ends a context with the first answer.
type ending struct {
	n   atomic.Int64
	end context.CancelFunc
}

func (e *ending) QuerySamplesComplete(rs []loadgen.QuerySampleResponse) {
	e.n.Add(int64(len(rs)))
	e.end()
}

func (*ending) FirstTokenComplete([]loadgen.QuerySampleResponse) {}

// After an interrupted query, the plugin holds back samples that do not fill a batch, and others were never sent. The
// next test must not wait for either.
func TestATestAfterAQueryThatWasCutShort(t *testing.T) {
	w, alive := openSlow(t, 50_000)
	set := []loadgen.SampleIndex{0, 1}
	if err := w.QSL().LoadSamplesToRAM(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const n = 8 << 20
	cut := &ending{end: cancel}
	if err := w.SUT().IssueQuery(ctx, loadgen.Query{Samples: samples(n)}, cut); err == nil {
		t.Skip("all of the query was sent before its first answer came")
	}
	if err := w.QSL().UnloadSamplesFromRAM(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	wantOneAnswer(alive, t, w)
	if got := cut.n.Load(); got == 0 || got >= n {
		t.Errorf("%d of %d samples were answered, want a part", got, n)
	}
	gone, end := context.WithCancel(t.Context())
	end()
	if err := w.SUT().IssueQuery(gone, loadgen.Query{Samples: samples(1)}, newCounter(1)); err == nil {
		t.Error("a query is issued whose context has ended")
	}
	wantOneAnswer(alive, t, w)
}
