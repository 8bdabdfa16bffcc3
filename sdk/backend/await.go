package backend

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Wait is what somebody has asked for and waits for.
type Wait struct {
	For string // a phrase: "an answer of server host:8001"
	PID int    // the process of this machine that has to give it; 0: none, or not known
}

// Await says that something is awaited from now on, until End of what it returns is called. Where nothing at all gets
// on for too long (--answer-timeout) the harness ends the run and names what is awaited, with the process.
//
// ctx is that of Open, Run, OpenGenerator or Generate. The sdk says by itself that it waits for these: a backend needs
// Await only to say more, as which server or process, and for signs of a long answer that comes in parts.
func Await(ctx context.Context, w Wait) *Awaited {
	watch, _ := ctx.Value(watchKey{}).(*Watch)
	if watch == nil {
		return nil
	}
	a := &Awaited{wait: w, watch: watch}
	watch.signs.Add(1)
	watch.mu.Lock()
	defer watch.mu.Unlock()
	watch.all[a] = struct{}{}
	return a
}

// Awaited is something that is awaited. Its methods may be called from any goroutine, and on nil.
type Awaited struct {
	wait  Wait
	watch *Watch
	signs atomic.Uint64
}

// Sign says that it gets on: a token has come, or another part of a long answer.
func (a *Awaited) Sign() {
	if a != nil {
		a.signs.Add(1)
		a.watch.signs.Add(1)
	}
}

// End says that it is awaited no more. It may be called more than once.
func (a *Awaited) End() {
	if a == nil {
		return
	}
	a.watch.signs.Add(1)
	a.watch.mu.Lock()
	defer a.watch.mu.Unlock()
	delete(a.watch.all, a)
}

// Wait is what is awaited.
func (a *Awaited) Wait() Wait { return a.wait }

// Signs counts the calls of Sign.
func (a *Awaited) Signs() uint64 { return a.signs.Load() }

// Watch knows what is awaited. The sdk has one; its methods may be called from any goroutine.
type Watch struct {
	signs atomic.Uint64
	mu    sync.Mutex
	all   map[*Awaited]struct{}
}

type watchKey struct{}

// NewWatch returns a watch over nothing yet.
func NewWatch() *Watch { return &Watch{all: map[*Awaited]struct{}{}} }

// Over returns a context whose Await tells w.
func (w *Watch) Over(ctx context.Context) context.Context {
	return context.WithValue(ctx, watchKey{}, w)
}

// Signs counts what began, got on or ended so far.
func (w *Watch) Signs() uint64 { return w.signs.Load() }

// Awaited is what is awaited now, in no order.
func (w *Watch) Awaited() []*Awaited {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.all))
}
