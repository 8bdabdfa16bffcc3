package drive

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/serving/steady"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/plan"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// passes are super-passes of ten requests, each so many seconds long, with TPOT by pass.
func passes(seconds float64, tpot ...float64) (all []steady.Pass) {
	const size = 10
	for i, t := range tpot {
		p := steady.Pass{Issued: size, FirstIssue: int64(float64(i) * seconds * 1e9)}
		p.LastIssue = p.FirstIssue + int64(seconds*1e9*float64(size-1)/float64(size))
		p.LastEvent = p.LastIssue
		for range size {
			p.TTFT, p.TPOT, p.Latency = append(p.TTFT, 1e6), append(p.TPOT, t), append(p.Latency, 1e7)
		}
		all = append(all, p)
	}
	return all
}

// watched is a watch of a point with five super-passes and 600 s.
func watched() *pointWatch {
	return newWatch(PointJob{Point: plan.Point{Concurrency: 24, Passes: 5}, DetectsWindow: true, MinSeconds: 600,
		FloorSeconds: steady.FloorSeconds}, 10, metrics.FigureRules{})
}

// A point ends as soon as it counts, and says what it waits for until then.
func TestLook(t *testing.T) {
	flat := func(n int) []float64 {
		all := make([]float64, n)
		for i := range all {
			all[i] = 20e6
		}
		return all
	}
	rising := []float64{10e6, 12e6, 15e6, 19e6, 24e6, 30e6, 38e6, 48e6, 60e6, 75e6}
	for name, c := range map[string]struct {
		passes          []steady.Pass
		counts, givesUp bool
		said            string
	}{
		"nothing has ended":        {nil, false, false, "r24: 0 of 5 super-passes, 0.0 s"},
		"too few":                  {passes(200, flat(3)...), false, false, "it could end in 6 min 40 s"},
		"short":                    {passes(100, flat(5)...), false, false, "window 6 min 30 s of 10 min; it could"},
		"it counts":                {passes(200, flat(5)...), true, false, "; it counts, and ends with this super-pass"},
		"many short ones":          {passes(10, flat(70)...), true, false, "; it counts"},
		"it rises":                 {passes(100, rising[:6]...), false, false, "no four super-passes in a row"},
		"it has risen long enough": {passes(200, rising...), false, true, "the whole run counts"},
	} {
		t.Run(name, func(t *testing.T) {
			took := 0.0
			if n := len(c.passes); n > 0 {
				took = float64(c.passes[n-1].LastEvent) / 1e9 * 10 * float64(n) / (10*float64(n) - 1)
			}
			s := watched().windowState(c.passes, took)
			if s.Counts != c.counts || s.GivesUp != c.givesUp || !strings.Contains(s.String(), c.said) {
				t.Errorf("%+v\n%s, want %q", s, s, c.said)
			}
		})
	}
}

// Whole super-passes are sent, and no more once the point counts.
func TestMoreSendsWholeSuperPasses(t *testing.T) {
	w := watched()
	for place := range 30 {
		if !w.permitsUnit(place) {
			t.Fatalf("place %d is not sent, though nothing counts yet", place)
		}
	}
	w.state.Store(&RunState{Counts: true})
	if w.permitsUnit(30) || w.permitsUnit(31) || !w.permitsUnit(29) {
		t.Error("want the third super-pass to its end, and nothing of the fourth")
	}
}

// A run that sends all at once begins with its first answer, not with the warm-up.
func TestSeeBeginsARun(t *testing.T) {
	w := newWatch(PointJob{Point: plan.Point{Passes: 1}, MinSeconds: 100}, 1, metrics.FigureRules{})
	w.addRequest(&metrics.Request{WarmUp: true})
	if w.beganAfter.Load() != 0 || w.gatherer.Len() != 0 {
		t.Error("the warm-up counts")
	}
	w.addRequest(&metrics.Request{Status: metrics.OK})
	if w.beganAfter.Load() == 0 || w.gatherer.Len() != 1 {
		t.Errorf("began %d with %d requests, want a beginning and one", w.beganAfter.Load(), w.gatherer.Len())
	}
}

// A run without a window ends after its super-passes and its time.
func TestLookWithoutAWindow(t *testing.T) {
	w := newWatch(PointJob{Point: plan.Point{Passes: 1}, MinSeconds: 100}, 10, metrics.FigureRules{})
	for _, c := range []struct {
		passes int
		took   float64
		counts bool
	}{{0, 200, false}, {1, 50, false}, {1, 101, true}, {2, 100, true}} {
		if s := w.wholeRunState(c.passes, c.took); s.Counts != c.counts {
			t.Errorf("%+v, want counts %t", s, c.counts)
		}
	}
}

// A log that grows is read on from where it ended, within a line, too; the window so far is told, and when the run
// ends.
func TestEventFollower(t *testing.T) {
	job := PointJob{Dir: t.TempDir(), Point: plan.Point{Concurrency: 24, Passes: 6}, DetectsWindow: true, MinSeconds: 600,
		FloorSeconds: steady.FloorSeconds}
	f := &eventFollower{job: job, size: 4, count: func(text string) int { return len(text) }}
	defer f.close()
	if _, begun := f.readState(); begun {
		t.Error("a run begins before it has a log")
	}
	file, err := os.Create(filepath.Join(job.Dir, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text := `{"event_type":"session.start_performance_tracking","timestamp_ns":0}` + "\n"
	for i := range 20 {
		at := 1 + i*50e9
		for kind, line := range []string{"issued", "recv_first", "complete"} {
			text += fmt.Sprintf(`{"event_type":"sample.%s","timestamp_ns":%d,"sample_uuid":"s%d",`+
				`"data":["t",["a","bbbb"]]}`+"\n", line, at+kind*1e9, i)
		}
	}
	said := ""
	for len(text) > 0 {
		n := min(len(text), 977)
		if _, err := file.WriteString(text[:n]); err != nil {
			t.Fatal(err)
		}
		text = text[n:]
		if s, begun := f.readState(); begun {
			said = s.String()
		}
	}
	want := "r24: 5 of 6 super-passes, 15 min 52 s; window 12 min 30 s of 10 min; it ends in 3 min 10 s"
	if said != want {
		t.Errorf("%s, want\n%s", said, want)
	}
}
