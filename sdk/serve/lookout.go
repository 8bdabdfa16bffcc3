package serve

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/batch"
	"github.com/plumbline-ml/plumbline/sdk/internal/osprocess"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
)

// mostPending is how many groups of things in work a heartbeat names.
const mostPending = 8

// lookout looks, at each heartbeat, at what the workers do and what the backend waits for. It takes no lock that a
// worker holds while it runs: what hangs is seen, also in native code.
type lookout struct {
	watch     *backend.Watch
	scheduler atomic.Pointer[batch.Scheduler] // nil: no workload is open
	calls     atomic.Int32                    // unary ones in hand

	mu    sync.Mutex
	known map[any]glance // the things of the last look
}

// thing is something in work.
type thing struct {
	key        any
	kind, text string // things of one kind and process are told as one
	pid        int
	signs      uint64
	seen       glance
	unchanged  bool
	more       uint32
}

// glance is what a thing was like when it was first seen with so many signs.
type glance struct {
	signs uint64
	at    time.Time
	used  time.Duration // processor time of its process since that began; below 0: not known
}

func newLookout() *lookout { return &lookout{watch: backend.NewWatch(), known: map[any]glance{}} }

// look says what gets on and what does not.
func (l *lookout) look() *pluginpb.Work {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	signs, things := l.things()
	next := make(map[any]glance, len(things))
	for i := range things {
		t := &things[i]
		t.seen, t.unchanged = l.known[t.key]
		if t.unchanged = t.unchanged && t.seen.signs == t.signs; !t.unchanged {
			t.seen = glance{signs: t.signs, at: now, used: used(t.pid)}
		}
		next[t.key] = t.seen
	}
	l.known = next
	things = slices.DeleteFunc(things, func(t thing) bool { return !t.unchanged })
	calls := uint32(l.calls.Load())
	return &pluginpb.Work{Signs: signs, Pending: pending(grouped(things), now), Calls: &calls}
}

// things are all that is in work, and how much was begun, got on or ended so far.
func (l *lookout) things() (signs uint64, all []thing) {
	signs = l.watch.Signs()
	for _, a := range l.watch.Awaited() {
		w := a.Wait()
		all = append(all, thing{key: a, kind: w.For, text: w.For, pid: w.PID, signs: a.Signs()})
	}
	s := l.scheduler.Load()
	if s == nil {
		return signs, all
	}
	for _, j := range s.Jobs() {
		steps := j.Steps()
		signs += steps
		if j.Busy() {
			all = append(all, thing{key: j, kind: j.Stage(), text: j.String(), signs: steps})
		}
	}
	return signs, all
}

// grouped keeps the oldest thing of each kind, which counts the others, oldest first.
func grouped(things []thing) []thing {
	slices.SortStableFunc(things, func(a, b thing) int { return a.seen.at.Compare(b.seen.at) })
	var groups []thing
	for _, t := range things {
		i := slices.IndexFunc(groups, func(g thing) bool { return g.kind == t.kind && g.pid == t.pid })
		if i >= 0 {
			groups[i].more++
			continue
		}
		groups = append(groups, t)
	}
	return groups[:min(len(groups), mostPending)]
}

func pending(things []thing, now time.Time) []*pluginpb.Pending {
	var all []*pluginpb.Pending
	for _, t := range things {
		p := &pluginpb.Pending{What: sendable(t.text), More: t.more, Ns: int64(now.Sub(t.seen.at)), Pid: int64(t.pid)}
		if since := used(t.pid); since >= 0 && t.seen.used >= 0 {
			took := int64(since - t.seen.used)
			p.UsedNs = &took
		}
		all = append(all, p)
	}
	return all
}

// used is the processor time of a process, below 0 where it cannot be told.
func used(pid int) time.Duration {
	if pid <= 0 {
		return -1
	}
	d, err := osprocess.ProcessorTime(pid)
	if err != nil {
		return -1
	}
	return d
}
