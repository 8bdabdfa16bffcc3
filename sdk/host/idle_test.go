package host_test

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
	"github.com/plumbline-ml/plumbline/sdk/internal/cputime"
)

// A connection with nothing under way burns no core, in whichever scenario and after whatever was asked. The bound is a
// fifth of the time that passes, on the processor's own clock: a side that looks at the memory without end takes all of it,
// each time. Either process may have something else to do at one time, such as to collect its garbage.
func TestAnIdleConnectionBurnsNoCore(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the processor time of another process is read on Linux alone")
	}
	for _, s := range []loadgen.Scenario{loadgen.SingleStream, loadgen.Server} {
		t.Run(s.String(), func(t *testing.T) {
			p := launch(t)
			askSome(t, p, s)
			runtime.GC() // what the queries left is not the connection's
			const idle, times = 500 * time.Millisecond, 20
			took := idle
			for i := 0; i < times && took > idle/5; i++ {
				before := bothProcesses(t, p)
				time.Sleep(idle)
				took = bothProcesses(t, p) - before
			}
			if took > idle/5 {
				t.Errorf("both processes together took %v of processor time in %v without a query", took, idle)
			}
		})
	}
}

func bothProcesses(t *testing.T, p *host.Plugin) time.Duration {
	t.Helper()
	took, err := cputime.Of(os.Getpid(), p.PID())
	if err != nil {
		t.Fatal(err)
	}
	return took
}

// askSome has a hundred queries answered one after the other.
func askSome(t *testing.T, p *host.Plugin, s loadgen.Scenario) {
	t.Helper()
	w, err := p.Open(t.Context(), sdk.Options{Scenario: s})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.QSL().LoadSamplesToRAM(t.Context(), []loadgen.SampleIndex{0}); err != nil {
		t.Fatal(err)
	}
	c := newCounter(0)
	for i := range 100 {
		c.want.Store(int64(i + 1))
		if err := w.SUT().IssueQuery(t.Context(), loadgen.Query{Samples: []loadgen.QuerySample{{ID: loadgen.ResponseID(i)}}}, c); err != nil {
			t.Fatal(err)
		}
		<-c.done
	}
}
