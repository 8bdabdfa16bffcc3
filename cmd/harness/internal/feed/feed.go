package feed

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/record"
)

// Sink receives events, one at a time. It must not block.
type Sink interface{ Event(Event) }

// Feed tracks the runs of a command and reports them to its sinks. It is safe for concurrent use. OpenData, WatchTest
// and Done each refer to the run that ends next.
type Feed struct {
	now   func() time.Time
	sinks []Sink

	mu        sync.Mutex
	runs      []*Run
	ended     int // number of ended runs
	sinkMutex sync.Mutex
}

// New returns a feed with a fixed list of sinks.
func New(now func() time.Time, sinks ...Sink) *Feed { return &Feed{now: now, sinks: sinks} }

func (f *Feed) sendEvent(e Event) {
	f.sinkMutex.Lock()
	defer f.sinkMutex.Unlock()
	e.Time = f.now()
	for _, s := range f.sinks {
		s.Event(e)
	}
}

// BeginData reports the start of the command.
func (f *Feed) Begin(h record.Harness, command []string) {
	f.sendEvent(Event{Name: NameBegin, Begin: &BeginData{
		Schema: Schema, SchemaVersion: SchemaVersion, Harness: h, Command: command,
	}})
}

// PlanData reports the planned runs and the folder out for their results.
func (f *Feed) Plan(out string, of record.Identity, runs []bench.PlannedRun) {
	p := &PlanData{Out: out, Runs: []PlannedInfo{}}
	f.mu.Lock()
	for _, t := range runs {
		planned := PlannedInfo{
			Run: len(f.runs) + 1, Model: t.Model, Scenario: t.Scenario.String(), Mode: t.ModeName(), Test: t.Test,
			Dir: filepath.ToSlash(t.Dir),
		}
		planned.Name = f.runName(of, planned)
		p.Runs = append(p.Runs, planned)
		f.runs = append(f.runs, &Run{PlannedInfo: planned})
	}
	f.mu.Unlock()
	f.sendEvent(Event{Name: NamePlan, Plan: p})
}

// runName returns the name of a planned run. If another run of the command has this name, for example the same model in
// two tests, it appends the run's number.
func (f *Feed) runName(of record.Identity, p PlannedInfo) string {
	name := record.Run{Identity: of, Model: p.Model, Scenario: p.Scenario, Mode: p.Mode, Test: p.Test}.Name()
	if slices.ContainsFunc(f.runs, func(r *Run) bool { return r.Name == name }) {
		name += fmt.Sprintf(" (run %d)", p.Run)
	}
	return name
}

// updateRun applies set to the run that ends next and returns its number. If no run is planned, it does nothing and
// returns 0.
func (f *Feed) updateRun(set func(*Run)) (number int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended >= len(f.runs) {
		return 0
	}
	r := f.runs[f.ended]
	set(r)
	return r.Run
}

// OpenData reports the workload of the run.
func (f *Feed) Open(rec record.Run) {
	n := f.updateRun(func(r *Run) { r.Workload = rec.Workload })
	f.sendEvent(Event{Name: NameOpen, Run: n, Open: &OpenData{Workload: rec.Workload, Settings: rec.Settings}})
}

// Done reports the end of the run. The run may have failed before it began.
func (f *Feed) Done(rec record.Run) {
	n := f.updateRun(func(r *Run) {
		r.Result = &rec
		f.ended++
	})
	f.sendEvent(Event{Name: NameResult, Run: n, Result: &rec})
}

// NoteData reports a note to the user.
func (f *Feed) Note(text string) { f.sendEvent(Event{Name: NameNote, Note: &NoteData{Text: text}}) }

// EndData reports the end of the command.
func (f *Feed) End(e EndData) { f.sendEvent(Event{Name: NameEnd, End: &e}) }

// EachRun calls visit for the runs that have begun or ended, in order. visit must not keep the pointer or call the
// feed.
func (f *Feed) EachRun(visit func(*Run)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.runs {
		if r.Phase != "" || r.Result != nil {
			visit(r)
		}
	}
}

// WatchTest reports the progress of a LoadGen run until stop is called. stop waits for the last report.
func (f *Feed) WatchTest(t bench.PlannedRun, p *loadgen.Progress) (stop func()) {
	judged := runLimits(t)
	n := f.updateRun(func(r *Run) { r.StartData, r.Phase, r.Began = judged, Phases()[0], time.Now() })
	f.sendEvent(Event{Name: NameStart, Run: n, Start: &judged})
	w := &runWatcher{feed: f, run: n, progress: p, reader: p.Reader(), began: time.Now(), limits: judged}
	w.window = windowTally{
		scenario: t.Scenario, latency: time.Duration(judged.LimitNS),
		ttft: time.Duration(judged.TTFTLimitNS), tpot: time.Duration(judged.TPOTLimitNS),
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { w.readLoop(done) })
	return sync.OnceFunc(func() {
		close(done)
		wg.Wait()
	})
}
