package live

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

func TestLine(t *testing.T) {
	cases := []struct {
		name string
		s    loadgen.ProgressSnapshot
		want string
	}{
		{"before", loadgen.ProgressSnapshot{}, "starting"},
		{"loading", loadgen.ProgressSnapshot{Phase: loadgen.PhaseLoading, Elapsed: time.Second}, "loading samples"},
		{"warming up", loadgen.ProgressSnapshot{Phase: loadgen.PhaseWarmUp}, "warming up"},
		{"writing", loadgen.ProgressSnapshot{Phase: loadgen.PhaseWriting}, "writing logs"},
		{"done", loadgen.ProgressSnapshot{Phase: loadgen.PhaseDone}, "done"},
		{"server", loadgen.ProgressSnapshot{Phase: loadgen.PhaseIssuing, Mode: loadgen.PerformanceOnly,
			Elapsed: 2 * time.Second, MinDuration: 10 * time.Second,
			Queries: 2000, MinQueries: 100, Planned: 10000, Issued: 2000, Done: 1990, Latency: 12345 * time.Microsecond,
			LatencyLimit: 15 * time.Millisecond},
			"running 2.0 s of 10.0 s  ETA 8.0 s  issued 2,000  done 1,990  outstanding 10  p99 12.3 ms (limit 15 ms)"},
		{"few", loadgen.ProgressSnapshot{Phase: loadgen.PhaseIssuing, Mode: loadgen.PerformanceOnly, Elapsed: time.Second,
			Issued: 99, Done: 99, Latency: time.Second}, "running 1.0 s  issued 99  done 99  outstanding 0  max 1000 ms"},
		{"enough", loadgen.ProgressSnapshot{Phase: loadgen.PhaseIssuing, Mode: loadgen.PerformanceOnly, Elapsed: time.Second,
			Issued: 100, Done: 100, Latency: time.Second}, "running 1.0 s  issued 100  done 100  outstanding 0  p99 1000 ms"},
		{"queries are missing, not time", loadgen.ProgressSnapshot{Phase: loadgen.PhaseIssuing, Mode: loadgen.PerformanceOnly,
			Elapsed: 12 * time.Second, MinDuration: 10 * time.Second,
			Queries: 100, MinQueries: 300, Planned: 1000, Issued: 100, Done: 100},
			"running 12.0 s  ETA 24.0 s  issued 100  done 100  outstanding 0"},
		{"offline", loadgen.ProgressSnapshot{Phase: loadgen.PhaseDraining, Mode: loadgen.PerformanceOnly,
			Elapsed: 10 * time.Second, MinDuration: 60 * time.Second,
			Queries: 1, MinQueries: 1, Planned: 400, Issued: 400, Done: 100},
			"finishing 10.0 s of 1 min  ETA 30.0 s  issued 400  done 100  outstanding 300"},
		{"accuracy", loadgen.ProgressSnapshot{Phase: loadgen.PhaseIssuing, Mode: loadgen.AccuracyOnly,
			Elapsed: 10 * time.Second, MinDuration: 60 * time.Second,
			Queries: 100, Planned: 400, Issued: 100, Done: 100, Latency: time.Second},
			"running 10.0 s  ETA 30.0 s  issued 100  done 100  outstanding 0"},
		{"tokens", loadgen.ProgressSnapshot{Phase: loadgen.PhaseIssuing, Mode: loadgen.PerformanceOnly,
			Elapsed: 12 * time.Second, MinDuration: 10 * time.Second,
			Issued: 100, Done: 90, Latency: time.Second, LatencyLimit: time.Second,
			Tokens: loadgen.TokenProgress{PerSec: 12345.6, TTFT: 12345 * time.Microsecond, TPOT: 2 * time.Millisecond}},
			"running 12.0 s  ETA 1.3 s  issued 100  done 90  outstanding 10  12,345 tokens/s  max TTFT 12.3 ms TPOT 2 ms"},
		{"tokens, offline", loadgen.ProgressSnapshot{Phase: loadgen.PhaseDraining, Mode: loadgen.PerformanceOnly,
			Elapsed: 10 * time.Second,
			Queries: 1, Planned: 400, Issued: 400, Done: 100, Tokens: loadgen.TokenProgress{PerSec: 500}},
			"finishing 10.0 s  ETA 30.0 s  issued 400  done 100  outstanding 300  500 tokens/s"},
		{"nothing done yet", loadgen.ProgressSnapshot{
			Phase: loadgen.PhaseIssuing, Elapsed: time.Second, MinDuration: time.Minute, Issued: 5,
		},
			"running 1.0 s of 1 min  issued 5  done 0  outstanding 5"},
	}
	for _, c := range cases {
		if got := FormatLine(c.s, 0.99); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

func snapshot() loadgen.ProgressSnapshot {
	return loadgen.ProgressSnapshot{Phase: loadgen.PhaseLoading}
}

func TestPlainLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		stop := Watch(Options{Out: &out, Label: "Server performance", Snapshot: snapshot})
		time.Sleep(11 * time.Second)
		stop()
		stop()
		if want := "Server performance  loading samples\n"; out.String() != want {
			t.Errorf("got %q, want %q: once, however long it takes", out.String(), want)
		}
	})
}

// Where lines stay, those that say something new are all written.
func TestPlainLinesOfARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		begun := time.Now()
		stop := Watch(Options{Out: &out, Label: "Server performance", Snapshot: func() loadgen.ProgressSnapshot {
			if at := time.Since(begun); at > 11*time.Second {
				return loadgen.ProgressSnapshot{Phase: loadgen.PhaseIssuing, Elapsed: at}
			}
			return snapshot()
		}})
		time.Sleep(26 * time.Second)
		stop()
		if got := strings.Count(out.String(), "loading samples"); got != 1 || strings.Count(out.String(), "\n") != 4 {
			t.Errorf("got %q, want one line of loading and three of the run", out.String())
		}
	})
}

func TestTerminalLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		stop := Watch(Options{
			Out: &out, Terminal: true, Width: func() int { return 12 }, Label: "Server", Snapshot: snapshot,
		})
		time.Sleep(1100 * time.Millisecond)
		stop()
		if want := strings.Repeat("\r\x1b[KServer  loa", 2) + "\r\x1b[K"; out.String() != want {
			t.Errorf("got %q, want %q", out.String(), want)
		}
	})
}

func TestHopelessRunIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		hopeless := func() loadgen.ProgressSnapshot {
			return loadgen.ProgressSnapshot{Phase: loadgen.PhaseLoading, Hopeless: "50 queries are late"}
		}
		stop := Watch(Options{Out: &out, Terminal: true, Label: "Server", Snapshot: hopeless})
		time.Sleep(1100 * time.Millisecond)
		stop()
		line := "\r\x1b[KServer  loading samples"
		want := "\r\x1b[KServer  can only end INVALID: 50 queries are late (Ctrl-C ends it now, --abort-early by itself)\n" +
			line + line + "\r\x1b[K"
		if out.String() != want {
			t.Errorf("got %q, want %q", out.String(), want)
		}
	})
}

func TestStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		s := NewStatusLine(&out, true, nil)
		for range 10 {
			s.Set("a")
			time.Sleep(100 * time.Millisecond)
		}
		s.Clear()
		s.Set("b")
		if want := "\r\x1b[Ka\r\x1b[Ka\r\x1b[K\r\x1b[Kb"; out.String() != want {
			t.Errorf("got %q, want %q", out.String(), want)
		}
	})
}

func TestPlainStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		s := NewStatusLine(&out, false, nil)
		for range 60 {
			s.Set("a")
			time.Sleep(100 * time.Millisecond)
		}
		s.Clear()
		if out.String() != "a\na\n" {
			t.Errorf("got %q, want two lines in six seconds", out.String())
		}
	})
}

func FuzzRemaining(f *testing.F) {
	f.Add(int64(1e9), int64(1e9), uint64(1), uint64(2), uint64(3), uint64(3), uint64(1), int32(3), true)
	f.Fuzz(func(t *testing.T, elapsed, minimum int64, queries, least, planned, issued, done uint64,
		phase int32, accuracy bool) {
		s := loadgen.ProgressSnapshot{Phase: loadgen.Phase(phase), Mode: loadgen.PerformanceOnly,
			Elapsed:     time.Duration(elapsed),
			MinDuration: time.Duration(minimum), Queries: queries, MinQueries: least, Planned: planned,
			Issued: issued, Done: done}
		if accuracy {
			s.Mode = loadgen.AccuracyOnly
		}
		if left, ok := EstimateRemaining(s); ok && left < 0 {
			t.Errorf("%+v: %v left", s, left)
		}
		FormatLine(s, 0.9)
	})
}
