package drive

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
	formats "github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
	"github.com/plumbline-ml/plumbline/internal/serving/steady"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// patience is the factor by which a point without a steady window exceeds the plan's super-passes and minimum time
// before it ends.
const patience = 1.5

// looks is the interval at which a watch checks for completed super-passes.
const looks = 200 * time.Millisecond

// State is the progress of a point's performance run.
type State struct {
	Point       string
	Passes      int // completed super-passes
	Least       int // super-passes in the plan
	Seconds     float64
	LeastWindow float64 // required duration of the window in seconds, by the rules and the run's own scatter and latencies
	Window      float64 // duration of the longest plateau so far in seconds; 0: none
	Fixed       bool    // the run ends after the plan's super-passes in any case
	Counts      bool    // if it ended now, the point would count
	GivesUp     bool    // the run ends without a window
	Left        float64 // seconds until the earliest end; below 0: unknown
	Why         string  // why there is no window yet; empty: no reason
}

// String returns the progress as a line for a log.
func (s State) String() string {
	text := fmt.Sprintf("%s: %d of %d super-passes, %s", s.Point, s.Passes, s.Least, seconds(s.Seconds))
	if s.Window > 0 {
		text += fmt.Sprintf("; window %s of %s", seconds(s.Window), seconds(s.LeastWindow))
	}
	switch {
	case s.Fixed && s.Counts:
		text += "; it counts so far"
	case s.Counts:
		return text + "; it counts, and ends with this super-pass"
	case s.GivesUp:
		return text + "; no steady window is found: it ends, and the whole run counts"
	case s.Left > 0 && !s.Fixed:
		text += "; it could end in " + seconds(s.Left)
	}
	if s.Fixed && s.Left > 0 {
		text += "; it ends in " + seconds(s.Left)
	}
	if s.Why != "" {
		text += "; " + s.Why
	}
	return text
}

func seconds(s float64) string { return figure.Seconds(time.Duration(s * float64(time.Second))) }

// watch decides when a point ends. It ends with the super-pass in which the watch detects that the point counts.
type watch struct {
	job  Job
	size int // requests of a super-pass
	// units is the number of requests or trajectories that users start per super-pass.
	units int
	all   *formats.Gathering

	zero  time.Time    // start of a monotonic clock
	began atomic.Int64 // ns since zero; 0: not begun
	limit atomic.Int64 // number of units that may be started
	mu    sync.Mutex   // guards ended
	ended bool
	state atomic.Pointer[State]
}

func newWatch(j Job, size int, rules metrics.FigureRules) *watch {
	w := &watch{job: j, size: size, units: size, zero: time.Now(), all: formats.NewGathering(size, rules)}
	w.state.Store(&State{Point: j.Point.Name(), Least: j.Point.Passes, LeastWindow: j.Seconds, Left: -1})
	return w
}

// begin records the start of the measurement. Only the first call has an effect.
func (w *watch) begin() { w.began.CompareAndSwap(0, max(1, int64(time.Since(w.zero)))) }

// took returns the seconds since the start of the measurement, which must have begun.
func (w *watch) took() float64 { return (time.Since(w.zero) - time.Duration(w.began.Load())).Seconds() }

// see records a completed request. Offline runs do not call more, so their measurement begins with the first answer.
func (w *watch) see(r *metrics.Request) {
	if !r.WarmUp {
		w.begin()
	}
	w.all.Add(r)
}

// more reports whether the unit at a place may be started. It permits whole super-passes.
func (w *watch) more(place int) bool {
	w.begin()
	if int64(place) < w.limit.Load() {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for !w.ended && int64(place) >= w.limit.Load() {
		if w.ended = w.mayEnd(); !w.ended {
			w.limit.Add(int64(w.units))
		}
	}
	return int64(place) < w.limit.Load()
}

// mayEnd reports whether the started super-passes are sufficient. If the whole run counts, this includes super-passes
// in flight, because the run waits for them.
func (w *watch) mayEnd() bool {
	if s := w.state.Load(); w.job.Windows {
		return s.Counts || s.GivesUp
	}
	return w.limit.Load() >= int64(w.units*w.job.Point.Passes) && w.took() >= w.job.Seconds
}

// run examines the completed super-passes until ctx ends.
func (w *watch) run(ctx context.Context) {
	ticks := time.NewTicker(looks)
	defer ticks.Stop()
	passes := 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		began := w.began.Load()
		took := w.took()
		switch n := w.all.Len() / w.size; {
		case began == 0:
		case !w.job.Windows:
			s := w.lookAtWhole(n, took)
			w.state.Store(&s)
		case n > passes:
			passes = n
			s := w.look(w.all.Passes()[:n], took)
			w.state.Store(&s)
		}
		if w.job.Tell != nil {
			s := *w.state.Load()
			if began > 0 {
				s.Seconds = took
			}
			w.job.Tell(s)
		}
	}
}

// at returns a state with the given super-passes and seconds.
func (w *watch) at(passes int, took float64) State {
	return State{Point: w.job.Point.Name(), Passes: passes, Least: w.job.Point.Passes, LeastWindow: w.job.Seconds,
		Seconds: took, Left: -1}
}

// lookAtWhole returns the progress of a run that counts as a whole.
func (w *watch) lookAtWhole(passes int, took float64) State {
	s := w.at(passes, took)
	s.Counts = passes >= s.Least && took >= w.job.Seconds
	s.Left = w.left(s, s.Least, w.job.Seconds)
	return s
}

// look returns the progress of a run with window detection, from its completed super-passes.
func (w *watch) look(passes []steady.Pass, took float64) State {
	j, s := w.job, w.at(len(passes), took)
	enough := len(passes) >= s.Least
	r := steady.Detect(passes, steady.Options{Floor: j.Floor})
	block := r.Block(len(passes)*w.size, w.size, j.Seconds)
	if block.Window != nil {
		s.Window, s.LeastWindow = block.Window.Duration, max(j.Seconds, r.Duration.Min())
	}
	s.Counts = enough && block.Status == steady.Windowable && block.Verdict == steady.SteadyState
	switch {
	case s.Counts:
	case block.Status == steady.Windowable && block.Verdict != steady.SteadyState:
		s.Why = "the verdict is " + string(block.Verdict)
	case enough && block.Window == nil:
		s.Why = "no four super-passes in a row are without trend and scatter"
	}
	cropped := float64(r.Warmup)
	s.GivesUp = !s.Counts && float64(s.Passes) >= patience*float64(s.Least) && took >= patience*minTime(j)
	least := s.LeastWindow
	if s.Passes > 0 {
		least += cropped * took / float64(s.Passes)
	}
	s.Left = w.left(s, max(s.Least, r.Warmup+steady.MinPasses), least)
	return s
}

// minTime returns the minimum duration in seconds of a point with uniform super-passes.
func minTime(j Job) float64 {
	return j.Seconds * float64(j.Point.Passes) / float64(max(1, j.Point.Passes-1))
}

// left returns the seconds until whole super-passes reach both the given number and the time least.
func (w *watch) left(s State, passes int, least float64) float64 {
	if s.Passes == 0 || s.Counts {
		return -1
	}
	each := s.Seconds / float64(s.Passes)
	n := max(float64(passes), math.Ceil(least/each), float64(s.Passes+1))
	return n*each - s.Seconds
}
