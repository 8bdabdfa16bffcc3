package host_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// An idle connection uses no processor, in any scenario and after any calls. The limit is half of the elapsed time in
// which a thread of either process runs or waits for a processor. A side that polls the memory without end always uses
// all of it, however busy the machine is. Each process may do other work at times, such as garbage collection.
func TestAnIdleConnectionBurnsNoCore(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what the threads of another process do is read on Linux alone")
	}
	for _, s := range []loadgen.Scenario{loadgen.SingleStream, loadgen.Server} {
		t.Run(s.String(), func(t *testing.T) {
			p := launch(t)
			askSome(t, p, s)
			runtime.GC() // the garbage of the queries does not belong to the connection
			const idle, times = 500 * time.Millisecond, 20
			for range times {
				start, before := time.Now(), wanted(t, os.Getpid(), p.PID())
				time.Sleep(idle)
				took := wanted(t, os.Getpid(), p.PID()) - before
				if took < time.Since(start)/2 {
					return
				}
				t.Logf("both processes together wanted a processor for %v of %v without a query", took, time.Since(start))
			}
			t.Error("and so at each of all times")
		})
	}
}

// wanted returns how long the threads of processes have run or waited for a processor since their start:
// proc_pid_schedstat.
func wanted(t *testing.T, pids ...int) (sum time.Duration) {
	t.Helper()
	for _, pid := range pids {
		paths, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		if err != nil || len(paths) == 0 {
			t.Skipf("this kernel does not tell how long threads wait for a processor: %v", err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				continue // the thread has ended in the meantime
			}
			var ran, waited int64 // in ns
			if _, err := fmt.Sscan(string(text), &ran, &waited); err != nil {
				t.Fatalf("%s: %q: %v", path, text, err)
			}
			sum += time.Duration(ran + waited)
		}
	}
	return sum
}

// askSome runs a hundred queries one after another.
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
		if err := w.SUT().IssueQuery(t.Context(), loadgen.Query{Samples: []loadgen.QuerySample{{ID: loadgen.ResponseID(i)}}},
			c); err != nil {
			t.Fatal(err)
		}
		<-c.done
	}
}
