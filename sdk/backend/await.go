package backend

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// WaitInfo describes what is awaited.
type WaitInfo struct {
	For string // a phrase: "an answer of server host:8001"
	PID int    // the process of this machine that has to give it; 0: none, or not known
}

// StartWait notes that something is awaited from now on, until End of what it returns is called. It does not block.
// Where nothing at all gets on for too long (--answer-timeout) the harness ends the run and names what is awaited, with
// the process.
//
// ctx is that of Open, Run, OpenGenerator or Generate. The sdk says by itself that it waits for these: a backend needs
// StartWait only to say more, as which server or process, and for signs of a long answer that comes in parts.
func StartWait(ctx context.Context, w WaitInfo) *PendingWait {
	watch, _ := ctx.Value(watchKey{}).(*WaitMonitor)
	if watch == nil {
		return nil
	}
	a := &PendingWait{wait: w, watch: watch}
	watch.signs.Add(1)
	watch.mu.Lock()
	defer watch.mu.Unlock()
	watch.all[a] = struct{}{}
	return a
}

// PendingWait is something that is awaited. Its methods may be called from any goroutine, and on nil.
type PendingWait struct {
	wait  WaitInfo
	watch *WaitMonitor
	signs atomic.Uint64
}

// SignalProgress notes that it gets on: a token has come, or another part of a long answer.
func (a *PendingWait) SignalProgress() {
	if a != nil {
		a.signs.Add(1)
		a.watch.signs.Add(1)
	}
}

// End notes that it is awaited no more. It may be called more than once.
func (a *PendingWait) End() {
	if a == nil {
		return
	}
	a.watch.signs.Add(1)
	a.watch.mu.Lock()
	defer a.watch.mu.Unlock()
	delete(a.watch.all, a)
}

// Info is what is awaited.
func (a *PendingWait) Info() WaitInfo { return a.wait }

// ProgressCount counts the calls of SignalProgress.
func (a *PendingWait) ProgressCount() uint64 { return a.signs.Load() }

// WaitMonitor knows what is awaited. The sdk has one; its methods may be called from any goroutine.
type WaitMonitor struct {
	signs atomic.Uint64
	mu    sync.Mutex
	all   map[*PendingWait]struct{}
}

type watchKey struct{}

// NewWaitMonitor returns a monitor without waits.
func NewWaitMonitor() *WaitMonitor { return &WaitMonitor{all: map[*PendingWait]struct{}{}} }

// NewContext returns a context whose waits w knows: those that StartWait begins.
func (w *WaitMonitor) NewContext(ctx context.Context) context.Context {
	return context.WithValue(ctx, watchKey{}, w)
}

// ProgressCount counts what began, got on or ended so far.
func (w *WaitMonitor) ProgressCount() uint64 { return w.signs.Load() }

// Pending is what is awaited now, in no order.
func (w *WaitMonitor) Pending() []*PendingWait {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.all))
}
