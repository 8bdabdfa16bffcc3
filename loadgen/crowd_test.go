package loadgen_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

// crowd is a SUT that answers from 64 goroutines at once.
type crowd struct {
	work    chan loadgen.QuerySample
	end     chan struct{} // closed when the test is over
	out     loadgen.Responder
	start   sync.Once
	wg      sync.WaitGroup
	answer  func(r loadgen.Responder, s loadgen.QuerySample)
	answers atomic.Int64
}

func newCrowd(t *testing.T, answer func(r loadgen.Responder, s loadgen.QuerySample)) *crowd {
	c := &crowd{work: make(chan loadgen.QuerySample, 64), end: make(chan struct{}), answer: answer}
	t.Cleanup(func() { close(c.end); c.wg.Wait() })
	return c
}

func (c *crowd) Name() string { return "crowd" }

func (c *crowd) IssueQuery(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
	c.start.Do(func() {
		c.out = r
		for range 64 {
			c.wg.Go(c.serve)
		}
	})
	for _, s := range q.Samples {
		select {
		case c.work <- s:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (c *crowd) serve() {
	for {
		select {
		case s := <-c.work:
			c.answers.Add(1)
			c.answer(c.out, s)
		case <-c.end:
			return
		}
	}
}

func (c *crowd) FlushQueries(context.Context) error { return nil }

func once(r loadgen.Responder, s loadgen.QuerySample) {
	one := []loadgen.QuerySampleResponse{{ID: s.ID, Data: []byte{1, 2}, NTokens: 3}}
	r.FirstTokenComplete(one)
	r.QuerySamplesComplete(one)
}

// Each sample is counted and logged once, even if many goroutines answer.
func TestAnswersFrom64Goroutines(t *testing.T) {
	for _, tokens := range []bool{false, true} {
		for _, scenario := range loadgen.Scenarios() {
			t.Run(fmt.Sprintf("%v/tokens %v", scenario, tokens), func(t *testing.T) {
				s := quick(scenario, loadgen.SubmissionRun)
				s.MinQueryCount, s.UseTokenLatencies, s.AccuracyLogProbability = 5000, tokens, 0.5
				if scenario == loadgen.SingleStream || scenario == loadgen.MultiStream {
					s.MinQueryCount = 700
				}
				c := newCrowd(t, once)
				r, err := loadgen.StartTest(t.Context(), c, loadgentest.QSL{Total: 200}, s,
					loadgen.LogSettings{OutDir: t.TempDir()})
				if err != nil {
					t.Fatal(err)
				}
				issued := c.answers.Load()
				if r.Latency.N != int(r.SampleCount) || int64(r.SampleCount) >= issued || r.AccuracySampleCount < 200 ||
					int64(r.AccuracySampleCount) > issued {
					t.Errorf("%d samples, %d latencies, %d logged of %d issued",
						r.SampleCount, r.Latency.N, r.AccuracySampleCount, issued)
				}
			})
		}
	}
}

// LoadGen detects two goroutines that answer the same sample at the same time.
func TestSimultaneousAnswersAreCaught(t *testing.T) {
	for range 20 {
		s := quick(loadgen.Offline, loadgen.PerformanceOnly)
		s.MinQueryCount = 2000
		caught := make(chan struct{})
		c := newCrowd(t, func(r loadgen.Responder, s loadgen.QuerySample) {
			switch s.ID {
			default:
				once(r, s)
			case 1000:
				var both sync.WaitGroup
				for range 2 {
					both.Go(func() { once(r, s) })
				}
				both.Wait()
				close(caught)
			case 1999: // the test does not end before
				<-caught
				once(r, s)
			}
		})
		_, err := loadgen.StartTest(t.Context(), c, loadgentest.QSL{Total: 200}, s, loadgen.LogSettings{})
		if !errors.Is(err, loadgen.ErrProtocol) {
			t.Fatalf("error %v, want ErrProtocol", err)
		}
	}
}

// If 64 goroutines break the contract at once, the test ends with one error.
func TestFaultsFrom64Goroutines(t *testing.T) {
	for _, scenario := range loadgen.Scenarios() {
		c := newCrowd(t, func(r loadgen.Responder, s loadgen.QuerySample) {
			once(r, s)
			once(r, s)
			once(r, loadgen.QuerySample{ID: s.ID + 1e6})
		})
		aborted(t, t.Context(), c, loadgentest.QSL{Total: 200}, quick(scenario, loadgen.PerformanceOnly), loadgen.ErrProtocol,
			"it answered response id")
	}
}

// LoadGen detects a second answer to a sample while the next series runs.
func TestAnswerOfAnEndedSeries(t *testing.T) {
	sut := &faultySUT{}
	sut.issue = func(ctx context.Context, q loadgen.Query, r loadgen.Responder) error {
		if q.Samples[0].ID == 60 { // in the third loadable set
			r.QuerySamplesComplete([]loadgen.QuerySampleResponse{{ID: 7}})
		}
		return sut.Script.IssueQuery(ctx, q, r)
	}
	aborted(t, t.Context(), sut, loadgentest.QSL{Total: 100, Performance: 25},
		quick(loadgen.SingleStream, loadgen.AccuracyOnly),
		loadgen.ErrProtocol, "response id 7 again, of a series that has ended")
}
