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

// patience is how many times as many super-passes, and as long, as the plan asks for a point goes on that has no steady
// window.
const patience = 1.5

// looks is how often a watch looks whether a super-pass has ended.
const looks = 200 * time.Millisecond

// State is the progress of a point's performance run.
type State struct {
	Point       string
	Passes      int // super-passes that have ended
	Least       int // that the plan asks for
	Seconds     float64
	LeastWindow float64 // seconds, by the rules and by the run's own scatter and latencies
	Window      float64 // seconds of the longest plateau so far; 0: there is none, or none is looked for
	Fixed       bool    // it ends after as many super-passes as the plan asks for, whatever they show
	Counts      bool    // ended here, the point would count
	GivesUp     bool    // no window was found, and the point does not go on for one
	Left        float64 // seconds until it may end at the earliest; below 0: not known
	Why         string  // why there is no window yet; empty: nothing is wrong
}

// String is a line of a log.
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

// watch decides when a point ends: with the super-pass in which it is seen to count.
type watch struct {
	job  Job
	size int // requests of a super-pass
	// units are as many as a super-pass has of what users are dealt: requests, or trajectories.
	units int
	all   *formats.Gathering

	zero  time.Time    // of a clock that nobody sets
	began atomic.Int64 // ns since zero; 0: nothing has begun
	limit atomic.Int64 // requests that may be sent
	mu    sync.Mutex   // of ended
	ended bool
	state atomic.Pointer[State]
}

func newWatch(j Job, size int, rules metrics.FigureRules) *watch {
	w := &watch{job: j, size: size, units: size, zero: time.Now(), all: formats.NewGathering(size, rules)}
	w.state.Store(&State{Point: j.Point.Name(), Least: j.Point.Passes, LeastWindow: j.Seconds, Left: -1})
	return w
}

// begin notes that the measurement has begun; the first call counts.
func (w *watch) begin() { w.began.CompareAndSwap(0, max(1, int64(time.Since(w.zero)))) }

// took is how many seconds the measurement has taken; began is not 0.
func (w *watch) took() float64 { return (time.Since(w.zero) - time.Duration(w.began.Load())).Seconds() }

// see takes a request that has ended. A run that does not ask more, Offline, begins with its first answer.
func (w *watch) see(r *metrics.Request) {
	if !r.WarmUp {
		w.begin()
	}
	w.all.Add(r)
}

// more says whether the request at a place is sent: whole super-passes are.
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

// mayEnd says whether the super-passes that were dealt are enough. Where the whole run counts, those under way do, too:
// they are waited for.
func (w *watch) mayEnd() bool {
	if s := w.state.Load(); w.job.Windows {
		return s.Counts || s.GivesUp
	}
	return w.limit.Load() >= int64(w.units*w.job.Point.Passes) && w.took() >= w.job.Seconds
}

// run looks at what has ended until ctx ends.
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

// at is the state after so many super-passes and seconds.
func (w *watch) at(passes int, took float64) State {
	return State{Point: w.job.Point.Name(), Passes: passes, Least: w.job.Point.Passes, LeastWindow: w.job.Seconds,
		Seconds: took, Left: -1}
}

// lookAtWhole says how far a run is that counts as a whole.
func (w *watch) lookAtWhole(passes int, took float64) State {
	s := w.at(passes, took)
	s.Counts = passes >= s.Least && took >= w.job.Seconds
	s.Left = w.left(s, s.Least, w.job.Seconds)
	return s
}

// look says how far a run is by its super-passes that have ended, in which a window is looked for.
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

// minTime is how long a point takes at least whose super-passes are alike.
func minTime(j Job) float64 {
	return j.Seconds * float64(j.Point.Passes) / float64(max(1, j.Point.Passes-1))
}

// left is how many seconds so many super-passes, and so long a time, still take: whole super-passes.
func (w *watch) left(s State, passes int, least float64) float64 {
	if s.Passes == 0 || s.Counts {
		return -1
	}
	each := s.Seconds / float64(s.Passes)
	n := max(float64(passes), math.Ceil(least/each), float64(s.Passes+1))
	return n*each - s.Seconds
}
