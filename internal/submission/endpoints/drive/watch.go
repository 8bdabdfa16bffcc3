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

// maxOverrun is the factor by which a point without a steady window exceeds the plan's super-passes and minimum time
// before it ends.
const maxOverrun = 1.5

// watchInterval is the interval at which a watch checks for completed super-passes.
const watchInterval = 200 * time.Millisecond

// RunState is the progress of a point's performance run.
type RunState struct {
	Point          string
	Passes         int // completed super-passes
	PlannedPasses  int // super-passes in the plan
	Seconds        float64
	RequiredWindow float64 // required seconds of the window, by the rules and the run's own scatter and latencies
	Window         float64 // duration of the longest plateau so far in seconds; 0: none
	EndsByPasses   bool    // the run ends after the plan's super-passes in any case
	Counts         bool    // if it ended now, the point would count
	GivesUp        bool    // the run ends without a window
	SecondsLeft    float64 // seconds until the earliest end; below 0: unknown
	Why            string  // why there is no window yet; empty: no reason
}

// String returns the progress as a line for a log.
func (s RunState) String() string {
	text := fmt.Sprintf("%s: %d of %d super-passes, %s", s.Point, s.Passes, s.PlannedPasses, formatSeconds(s.Seconds))
	if s.Window > 0 {
		text += fmt.Sprintf("; window %s of %s", formatSeconds(s.Window), formatSeconds(s.RequiredWindow))
	}
	switch {
	case s.EndsByPasses && s.Counts:
		text += "; it counts so far"
	case s.Counts:
		return text + "; it counts, and ends with this super-pass"
	case s.GivesUp:
		return text + "; no steady window is found: it ends, and the whole run counts"
	case s.SecondsLeft > 0 && !s.EndsByPasses:
		text += "; it could end in " + formatSeconds(s.SecondsLeft)
	}
	if s.EndsByPasses && s.SecondsLeft > 0 {
		text += "; it ends in " + formatSeconds(s.SecondsLeft)
	}
	if s.Why != "" {
		text += "; " + s.Why
	}
	return text
}

func formatSeconds(s float64) string { return figure.Seconds(time.Duration(s * float64(time.Second))) }

// pointWatch decides when a point ends. It ends with the super-pass in which the watch detects that the point counts.
type pointWatch struct {
	job  PointJob
	size int // requests of a super-pass
	// units is the number of requests or trajectories that users start per super-pass.
	units    int
	gatherer *formats.PassGatherer

	started    time.Time    // start of a monotonic clock
	beganAfter atomic.Int64 // ns since zero; 0: not begun
	maxUnits   atomic.Int64 // number of units that may be started
	mu         sync.Mutex   // guards ended
	ended      bool
	state      atomic.Pointer[RunState]
}

func newWatch(j PointJob, size int, rules metrics.FigureRules) *pointWatch {
	w := &pointWatch{job: j, size: size, units: size, started: time.Now(), gatherer: formats.NewPassGatherer(size, rules)}
	w.state.Store(&RunState{Point: j.Point.Name(), PlannedPasses: j.Point.Passes, RequiredWindow: j.MinSeconds,
		SecondsLeft: -1})
	return w
}

// begin records the start of the measurement. Only the first call has an effect.
func (w *pointWatch) markBegin() {
	w.beganAfter.CompareAndSwap(0, max(1, int64(time.Since(w.started))))
}

// took returns the seconds since the start of the measurement, which must have begun.
func (w *pointWatch) elapsedSeconds() float64 {
	return (time.Since(w.started) - time.Duration(w.beganAfter.Load())).Seconds()
}

// addRequest records a completed request. Offline runs do not call more, so their measurement begins with the first
// answer.
func (w *pointWatch) addRequest(r *metrics.Request) {
	if !r.WarmUp {
		w.markBegin()
	}
	w.gatherer.Add(r)
}

// permitsUnit reports whether the unit at a place may be started. It permits whole super-passes.
func (w *pointWatch) permitsUnit(place int) bool {
	w.markBegin()
	if int64(place) < w.maxUnits.Load() {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for !w.ended && int64(place) >= w.maxUnits.Load() {
		if w.ended = w.mayEnd(); !w.ended {
			w.maxUnits.Add(int64(w.units))
		}
	}
	return int64(place) < w.maxUnits.Load()
}

// mayEnd reports whether the started super-passes are sufficient. If the whole run counts, this includes super-passes
// in flight, because the run waits for them.
func (w *pointWatch) mayEnd() bool {
	if s := w.state.Load(); w.job.DetectsWindow {
		return s.Counts || s.GivesUp
	}
	return w.maxUnits.Load() >= int64(w.units*w.job.Point.Passes) && w.elapsedSeconds() >= w.job.MinSeconds
}

// watchPasses examines the completed super-passes until ctx ends.
func (w *pointWatch) watchPasses(ctx context.Context) {
	ticks := time.NewTicker(watchInterval)
	defer ticks.Stop()
	passes := 0
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		began := w.beganAfter.Load()
		took := w.elapsedSeconds()
		switch n := w.gatherer.Len() / w.size; {
		case began == 0:
		case !w.job.DetectsWindow:
			s := w.wholeRunState(n, took)
			w.state.Store(&s)
		case n > passes:
			passes = n
			s := w.windowState(w.gatherer.Passes()[:n], took)
			w.state.Store(&s)
		}
		if w.job.Report != nil {
			s := *w.state.Load()
			if began > 0 {
				s.Seconds = took
			}
			w.job.Report(s)
		}
	}
}

// at returns a state with the given super-passes and seconds.
func (w *pointWatch) newState(passes int, took float64) RunState {
	return RunState{Point: w.job.Point.Name(), Passes: passes, PlannedPasses: w.job.Point.Passes,
		RequiredWindow: w.job.MinSeconds,
		Seconds:        took, SecondsLeft: -1}
}

// wholeRunState returns the progress of a run that counts as a whole.
func (w *pointWatch) wholeRunState(passes int, took float64) RunState {
	s := w.newState(passes, took)
	s.Counts = passes >= s.PlannedPasses && took >= w.job.MinSeconds
	s.SecondsLeft = w.secondsLeft(s, s.PlannedPasses, w.job.MinSeconds)
	return s
}

// look returns the progress of a run with window detection, from its completed super-passes.
func (w *pointWatch) windowState(passes []steady.Pass, took float64) RunState {
	j, s := w.job, w.newState(len(passes), took)
	enough := len(passes) >= s.PlannedPasses
	r := steady.Detect(passes, steady.Options{Floor: j.FloorSeconds})
	block := r.Block(len(passes)*w.size, w.size, j.MinSeconds)
	if block.Window != nil {
		s.Window, s.RequiredWindow = block.Window.Duration, max(j.MinSeconds, r.Duration.MinSeconds())
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
	s.GivesUp = !s.Counts && float64(s.Passes) >= maxOverrun*float64(s.PlannedPasses) && took >= maxOverrun*minSeconds(j)
	least := s.RequiredWindow
	if s.Passes > 0 {
		least += cropped * took / float64(s.Passes)
	}
	s.SecondsLeft = w.secondsLeft(s, max(s.PlannedPasses, r.Warmup+steady.MinPasses), least)
	return s
}

// minSeconds returns the minimum duration in seconds of a point with uniform super-passes.
func minSeconds(j PointJob) float64 {
	return j.MinSeconds * float64(j.Point.Passes) / float64(max(1, j.Point.Passes-1))
}

// left returns the seconds until whole super-passes reach both the given number and the time least.
func (w *pointWatch) secondsLeft(s RunState, passes int, least float64) float64 {
	if s.Passes == 0 || s.Counts {
		return -1
	}
	each := s.Seconds / float64(s.Passes)
	n := max(float64(passes), math.Ceil(least/each), float64(s.Passes+1))
	return n*each - s.Seconds
}
