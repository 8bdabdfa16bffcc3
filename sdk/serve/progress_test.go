package serve

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
)

// later returns the report of a check a second later.
func later(l *progressMonitor) *pluginpb.Work {
	time.Sleep(time.Second)
	return l.reportWork()
}

func TestLookoutTellsWhatDoesNotGetOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newMonitor()
		ctx := l.watch.NewContext(t.Context())
		long := backend.StartWait(ctx, backend.WaitInfo{For: "an answer of a", PID: os.Getpid()})
		if p := l.reportWork().GetPending(); len(p) > 0 {
			t.Errorf("what has just begun is overdue: %v", p)
		}
		backend.StartWait(ctx, backend.WaitInfo{For: "an answer of b"})
		backend.StartWait(ctx, backend.WaitInfo{For: "an answer of b"})
		time.Sleep(time.Second)
		l.reportWork()
		w := later(l)
		if p := w.GetPending(); len(p) != 2 || p[0].GetWhat() != "an answer of a" || p[0].GetNs() != int64(2*time.Second) ||
			p[1].GetMore() != 1 {
			t.Errorf("%v, want a for 2 s, then two of b", p)
		}
		if p := w.GetPending()[0]; p.GetPid() != int64(os.Getpid()) || (p.UsedNs != nil) != (runtime.GOOS == "linux") {
			t.Errorf("%v, want the process, and its processor time on Linux", p)
		}
		long.SignalProgress()
		if next := l.reportWork(); next.GetSigns() == w.GetSigns() || len(next.GetPending()) != 1 {
			t.Errorf("%v after a sign, want another number of signs and b alone", next)
		}
		long.End()
		long.End()
		if p := later(l).GetPending(); len(p) != 1 || p[0].GetWhat() != "an answer of b" {
			t.Errorf("%v, want b alone", p)
		}
	})
}

// stuck is a worker whose Run waits.
type stuck struct{}

func (stuck) Collate([]loadgen.QuerySample) error { return nil }
func (stuck) Run(ctx context.Context) error       { <-ctx.Done(); return ctx.Err() }
func (stuck) Deliver() error                      { return nil }

func TestLookoutNamesBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newMonitor()
		s := batch.New(t.Context(), batch.BatchPolicy{Sessions: 2, Workers: 3, MaxBatch: 2},
			func() batch.Worker { return stuck{} }, func(error) {})
		defer s.Close()
		l.scheduler.Store(s)
		s.Submit([]loadgen.QuerySample{{Index: 7}, {Index: 8}, {Index: 9}, {Index: 10}, {Index: 11}, {Index: 12}}, false)
		synctest.Wait()
		l.reportWork()
		var texts []string
		for _, p := range later(l).GetPending() {
			texts = append(texts, p.GetWhat())
		}
		if text := strings.Join(texts, "; "); len(texts) != 2 || !strings.Contains(text, "Run of 2 samples from sample ") ||
			!strings.Contains(text, "the wait for a session of 2 samples") {
			t.Errorf("%q, want the batches that run, and the one that waits", text)
		}
	})
}
