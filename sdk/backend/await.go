package backend

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// WaitInfo describes an event that a call waits for.
type WaitInfo struct {
	For string // the event as a phrase: "an answer of server host:8001"
	PID int    // local process that has to cause it; 0: none or unknown
}

// StartWait records a wait that ends with End of the returned PendingWait. It does not block. If nothing makes progress
// for too long (--answer-timeout), the harness ends the run and reports the pending waits with their processes.
//
// ctx must be the context of Open, Run, OpenGenerator or Generate. The sdk itself registers its waits for these calls.
// A backend needs StartWait only to add details, such as the server or process, and to signal progress of a long answer
// that arrives in parts.
func StartWait(ctx context.Context, w WaitInfo) *PendingWait {
	watch, _ := ctx.Value(watchKey{}).(*WaitMonitor)
	if watch == nil {
		return nil
	}
	a := &PendingWait{wait: w, monitor: watch}
	watch.progress.Add(1)
	watch.mu.Lock()
	defer watch.mu.Unlock()
	watch.all[a] = struct{}{}
	return a
}

// PendingWait is a wait in progress. Its methods may be called from any goroutine, and on nil.
type PendingWait struct {
	wait     WaitInfo
	monitor  *WaitMonitor
	progress atomic.Uint64
}

// SignalProgress reports progress: a token or another part of a long answer has arrived.
func (a *PendingWait) SignalProgress() {
	if a != nil {
		a.progress.Add(1)
		a.monitor.progress.Add(1)
	}
}

// End ends the wait. It may be called more than once.
func (a *PendingWait) End() {
	if a == nil {
		return
	}
	a.monitor.progress.Add(1)
	a.monitor.mu.Lock()
	defer a.monitor.mu.Unlock()
	delete(a.monitor.all, a)
}

// Info returns the description of the wait.
func (a *PendingWait) Info() WaitInfo { return a.wait }

// ProgressCount returns the number of calls of SignalProgress.
func (a *PendingWait) ProgressCount() uint64 { return a.progress.Load() }

// WaitMonitor keeps track of all waits. The sdk creates one. Its methods may be called from any goroutine.
type WaitMonitor struct {
	progress atomic.Uint64
	mu       sync.Mutex
	all      map[*PendingWait]struct{}
}

type watchKey struct{}

// NewWaitMonitor returns a monitor without waits.
func NewWaitMonitor() *WaitMonitor { return &WaitMonitor{all: map[*PendingWait]struct{}{}} }

// NewContext returns a context that makes StartWait register its waits with w.
func (w *WaitMonitor) NewContext(ctx context.Context) context.Context {
	return context.WithValue(ctx, watchKey{}, w)
}

// ProgressCount returns the number of starts, progress signals and ends so far.
func (w *WaitMonitor) ProgressCount() uint64 { return w.progress.Load() }

// Pending returns the current waits in no particular order.
func (w *WaitMonitor) Pending() []*PendingWait {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.all))
}
