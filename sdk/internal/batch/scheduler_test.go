package batch_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
)

// record contains the actions of a test's workers. A run takes one second of virtual time.
type record struct {
	mu       sync.Mutex
	batches  []int // sizes, in the order in which they ran
	answered []loadgen.ResponseID
	running  int
	most     int // maximum number of concurrent runs
	collated int // number of batches that are collated and not yet run
	ahead    int // maximum of collated during a run
	workers  int
}

func (r *record) lock(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f()
}

type worker struct {
	*record
	samples []loadgen.QuerySample
	fault   string
}

func (w *worker) Collate(samples []loadgen.QuerySample) error {
	w.samples = samples
	w.lock(func() {
		w.collated++
		if w.running > 0 {
			w.ahead = max(w.ahead, w.collated)
		}
	})
	if w.fault == "panic" {
		panic("as asked")
	}
	return nil
}

func (w *worker) Run(ctx context.Context) error {
	w.lock(func() {
		w.batches = append(w.batches, len(w.samples))
		w.collated--
		w.running++
		w.ahead = max(w.ahead, w.collated)
		w.most = max(w.most, w.running)
	})
	defer w.lock(func() { w.running-- })
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
		return ctx.Err()
	}
	if w.fault == "error" {
		return errors.New("as asked")
	}
	return nil
}

func (w *worker) Deliver() error {
	w.lock(func() {
		for _, s := range w.samples {
			w.answered = append(w.answered, s.ID)
		}
	})
	return nil
}

func query(first, n int) []loadgen.QuerySample {
	q := make([]loadgen.QuerySample, n)
	for i := range q {
		q[i] = loadgen.QuerySample{ID: loadgen.ResponseID(first + i), Index: loadgen.SampleIndex(i)}
	}
	return q
}

// schedule runs f on a scheduler in virtual time and returns the workers' actions when all work is done.
func schedule(t *testing.T, p batch.BatchPolicy, fault string, f func(s *batch.Scheduler, r *record)) (*record, error) {
	t.Helper()
	r := &record{}
	var failure error
	synctest.Test(t, func(t *testing.T) {
		s := batch.New(t.Context(), p, func() batch.Worker {
			r.workers++
			return &worker{record: r, fault: fault}
		}, func(err error) { r.lock(func() { failure = errors.Join(failure, err) }) })
		f(s, r)
		time.Sleep(time.Hour)
		s.Close()
	})
	return r, failure
}

func wantAnswers(t *testing.T, r *record, n int) {
	t.Helper()
	slices.Sort(r.answered)
	for i, id := range r.answered {
		if id != loadgen.ResponseID(i) {
			t.Fatalf("answer %d is for id %d", i, id)
		}
	}
	if len(r.answered) != n {
		t.Fatalf("%d answers, want %d", len(r.answered), n)
	}
}

func TestInlineRunsInTheCallersGoroutine(t *testing.T) {
	p := batch.BatchPolicy{Sessions: 1, Workers: 1, MaxBatch: 2, Inline: true}
	r, err := schedule(t, p, "", func(s *batch.Scheduler, _ *record) {
		start := time.Now()
		s.Submit(query(0, 1), false)
		if d := time.Since(start); d != time.Second {
			t.Errorf("Submit took %v, want one run", d)
		}
		s.Submit(query(1, 3), false)
	})
	if err != nil || !slices.Equal(r.batches, []int{1, 2, 1}) {
		t.Errorf("batches %v, error %v, want 1 2 1", r.batches, err)
	}
	wantAnswers(t, r, 4)
}

func TestServerTakesWhatIsQueued(t *testing.T) {
	p := batch.BatchPolicy{Sessions: 1, Workers: 1, MaxBatch: 4}
	r, err := schedule(t, p, "", func(s *batch.Scheduler, _ *record) {
		for i := range 8 { // the first one runs alone at once, and the others are queued in the meantime
			s.Submit(query(i, 1), false)
			synctest.Wait()
		}
	})
	if err != nil || !slices.Equal(r.batches, []int{1, 4, 3}) {
		t.Errorf("batches %v, error %v, want 1 4 3", r.batches, err)
	}
	wantAnswers(t, r, 8)
}

func TestMultiStreamSplitsAQuery(t *testing.T) {
	for _, c := range []struct {
		sessions, most int
		want           []int
	}{
		{1, 8, []int{8}}, {2, 8, []int{4, 4}}, {3, 8, []int{3, 3, 2}}, {4, 1, []int{1, 1, 1, 1, 1, 1, 1, 1}}, {16, 8,
			[]int{1, 1, 1, 1, 1, 1, 1, 1}},
	} {
		p := batch.BatchPolicy{Sessions: c.sessions, Workers: c.sessions, MaxBatch: c.most, Split: true}
		r, err := schedule(t, p, "", func(s *batch.Scheduler, _ *record) { s.Submit(query(0, 8), false) })
		slices.SortFunc(r.batches, func(a, b int) int { return b - a })
		if err != nil || !slices.Equal(r.batches, c.want) || r.most != min(c.sessions, 8) {
			t.Errorf("%d sessions: batches %v, %d at a time, error %v, want %v", c.sessions, r.batches, r.most, err, c.want)
		}
		wantAnswers(t, r, 8)
	}
}

func TestOfflineFillsBatchesAcrossFrames(t *testing.T) {
	p := batch.BatchPolicy{Sessions: 2, Workers: 2, MaxBatch: 4, Full: true}
	r, err := schedule(t, p, "", func(s *batch.Scheduler, r *record) {
		s.Submit(query(0, 3), true) // held back, because the query continues
		synctest.Wait()
		if len(r.batches) > 0 {
			t.Errorf("ran %v before a batch was full", r.batches)
		}
		s.Submit(query(3, 3), true)
		s.Submit(query(6, 5), false)
	})
	if err != nil || !slices.Equal(r.batches, []int{4, 4, 3}) {
		t.Errorf("batches %v, error %v, want 4 4 3", r.batches, err)
	}
	wantAnswers(t, r, 11)
}

func TestFlushReleasesWhatIsHeldBack(t *testing.T) {
	p := batch.BatchPolicy{Sessions: 2, Workers: 2, MaxBatch: 4, Full: true}
	r, _ := schedule(t, p, "", func(s *batch.Scheduler, _ *record) {
		s.Submit(query(0, 3), true)
		s.Flush()
	})
	wantAnswers(t, r, 3)
}

func TestCollatingAheadOverlapsARun(t *testing.T) {
	for _, workers := range []int{1, 2} {
		p := batch.BatchPolicy{Sessions: 1, Workers: workers, MaxBatch: 2, Full: true}
		r, err := schedule(t, p, "", func(s *batch.Scheduler, _ *record) { s.Submit(query(0, 20), false) })
		if err != nil || r.most != 1 || r.ahead != workers-1 {
			t.Errorf("%d workers: %d runs at a time, want 1; %d batches collated ahead, want %d; error %v", workers, r.most,
				r.ahead, workers-1, err)
		}
		wantAnswers(t, r, 20)
	}
}

func TestBackPressure(t *testing.T) {
	const n = 3 << 20 // more than the queue holds
	p := batch.BatchPolicy{Sessions: 2, Workers: 2, MaxBatch: 1 << 18, Full: true}
	r, err := schedule(t, p, "", func(s *batch.Scheduler, _ *record) {
		start := time.Now()
		s.Submit(query(0, n), false)
		if time.Since(start) == 0 {
			t.Error("Submit did not wait for room")
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	wantAnswers(t, r, n)
}

func TestAFaultEndsTheWork(t *testing.T) {
	for fault, text := range map[string]string{
		"error": "run 2 samples from sample 0 on: as asked", "panic": "panic in Collate of 2 samples from sample 0 on: as " +
			"asked",
	} {
		for _, inline := range []bool{false, true} {
			p := batch.BatchPolicy{Sessions: 1, Workers: 1, MaxBatch: 2, Inline: inline}
			r, err := schedule(t, p, fault, func(s *batch.Scheduler, _ *record) {
				for i := range 5 { // never blocks
					s.Submit(query(2*i, 2), false)
				}
				s.Flush()
			})
			if err == nil || err.Error() != text {
				t.Errorf("inline %v: error %v, want %q, once", inline, err, text)
			}
			wantAnswers(t, r, 0)
		}
	}
}

func TestPanicKeepsItsPlace(t *testing.T) {
	_, err := schedule(t, batch.BatchPolicy{Sessions: 1, Workers: 1, MaxBatch: 1}, "panic",
		func(s *batch.Scheduler, _ *record) { s.Submit(query(0, 1), false) })
	var p *batch.PanicError
	if !errors.As(err, &p) {
		t.Fatalf("error %v, want a *PanicError", err)
	}
	if stack := string(p.Stack); !strings.HasPrefix(stack, "panic(") || !strings.Contains(stack, "scheduler_test.go") {
		t.Errorf("the stack does not begin at the panic:\n%s", stack)
	}
}

func TestCloseDropsWhatIsQueuedAndStopsRuns(t *testing.T) {
	r := &record{}
	synctest.Test(t, func(t *testing.T) {
		s := batch.New(t.Context(), batch.BatchPolicy{Sessions: 1, Workers: 1, MaxBatch: 1},
			func() batch.Worker { return &worker{record: r} }, func(error) {})
		s.Submit(query(0, 5), false)
		synctest.Wait()
		start := time.Now()
		s.Close()
		if d := time.Since(start); d != 0 {
			t.Errorf("Close took %v: runs end with their context", d)
		}
	})
	if len(r.batches) != 1 || len(r.answered) != 0 {
		t.Errorf("%d batches, %d answers, want 1 and 0", len(r.batches), len(r.answered))
	}
}
