package batch_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
)

// sleeper takes virtual time for each batch.
type sleeper struct{ took func(n int) time.Duration }

func (s sleeper) worker() batch.Worker { return &sleeping{sleeper: s} }

type sleeping struct {
	sleeper
	n int
}

func (s *sleeping) Collate(samples []loadgen.QuerySample) error { s.n = len(samples); return nil }
func (s *sleeping) Run(context.Context) error                   { time.Sleep(s.took(s.n)); return nil }
func (s *sleeping) Deliver() error                              { return nil }

// work runs queries of one sample each at the given times, and returns the statistics.
func work(t *testing.T, p batch.BatchPolicy, took func(n int) time.Duration,
	at ...time.Duration) (out batch.WorkTotals) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := batch.New(t.Context(), p, sleeper{took}.worker, func(err error) { t.Error(err) })
		last := time.Duration(0)
		for i, due := range at {
			time.Sleep(due - last)
			last = due
			s.Submit(query(i, 1), false)
		}
		time.Sleep(time.Hour)
		s.Close()
		out = s.Work()
	})
	return out
}

const ms = time.Millisecond

// near allows for the width of a bucket.
func near(got, want time.Duration) bool { return math.Abs(float64(got-want)) <= float64(want)/100 }

// The statistics distinguish waiting for the only session from running.
func TestWorkTellsWaitingFromRunning(t *testing.T) {
	for name, p := range map[string]batch.BatchPolicy{
		"plain": {Sessions: 1, Workers: 1, MaxBatch: 1},
		"sized": {Sessions: 1, Workers: 1, MaxBatch: 1, Sizing: sizing(make([]int, 9), 0, true)},
		"ahead": {Sessions: 1, Workers: 2, MaxBatch: 1}, // the second one waits for the session
	} {
		w := work(t, p, func(int) time.Duration { return 10 * ms }, 0, 0, 5*ms, 100*ms)
		if !slices.Equal(w.Batches, []uint64{0, 4}) {
			t.Errorf("%s: batches %v", name, w.Batches)
		}
		q, m := w.Waiting, w.Model
		if q.Count != 4 || q.Min != 0 || q.Max != 15*ms || q.Mean != 25*ms/4 || !near(q.At(.5), 10*ms) || q.At(0) != 0 {
			t.Errorf("%s: waiting %v to %v, mean %v, median %v", name, q.Min, q.Max, q.Mean, q.At(.5))
		}
		if m.Count != 4 || m.Min != 10*ms || m.Max != 10*ms || m.Mean != 10*ms || m.At(.99) != 10*ms {
			t.Errorf("%s: model %v to %v, mean %v", name, m.Min, m.Max, m.Mean)
		}
	}
}

// Batches are counted by size, and each sample has the times of its batch.
func TestWorkCountsBatches(t *testing.T) {
	p := batch.BatchPolicy{Sessions: 1, Workers: 1, MaxBatch: 8}
	w := work(t, p, func(n int) time.Duration { return time.Duration(n) * ms }, 0, 0, 0, 0, 0, 0)
	var batches, samples uint64
	for size, n := range w.Batches {
		batches, samples = batches+n, samples+uint64(size)*n
	}
	if samples != 6 || batches < 1 || w.Waiting.Count != 6 || w.Model.Count != 6 {
		t.Errorf("batches %v, waiting of %d, model of %d", w.Batches, w.Waiting.Count, w.Model.Count)
	}
	most := len(w.Batches) - 1
	if w.Model.Max != time.Duration(most)*ms {
		t.Errorf("the largest batch has %d samples and took %v", most, w.Model.Max)
	}
}

// With one sample at a time, samples do not wait, and nothing is timed.
func TestWorkOfAnInlinePolicy(t *testing.T) {
	p := batch.BatchPolicy{Sessions: 1, Workers: 1, MaxBatch: 1, Inline: true}
	w := work(t, p, func(int) time.Duration { return 3 * ms }, 0, 50*ms)
	if w.Waiting.Count != 0 || w.Waiting.At(.5) != 0 || w.Model.Count != 0 || !slices.Equal(w.Batches, []uint64{0, 2}) {
		t.Errorf("%+v", w)
	}
	if w := work(t, p, nil); len(w.Batches) != 0 || w.Model.Count != 0 {
		t.Errorf("of no samples: %+v", w)
	}
}

// Percentiles are those of the sorted times, precise to 1 %, and the extremes are exact.
func TestTimes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var took, at []time.Duration
	for i := range 3000 {
		took = append(took, time.Duration(1e6*math.Exp(2*r.NormFloat64())))
		at = append(at, time.Duration(i)*time.Hour)
	}
	next := -1
	p := batch.BatchPolicy{Sessions: 1, Workers: 1, MaxBatch: 1}
	m := work(t, p, func(int) time.Duration { next++; return took[next] }, at...).Model
	slices.Sort(took)
	if m.Min != took[0] || m.Max != took[2999] || m.At(1) != took[2999] {
		t.Errorf("%v to %v, want %v to %v", m.Min, m.Max, took[0], took[2999])
	}
	for _, f := range []float64{0, .1, .5, .9, .99, .999} {
		if want := took[int(f*3000)]; !near(m.At(f), want) {
			t.Errorf("percentile %g is %v, want %v", f, m.At(f), want)
		}
	}
}
