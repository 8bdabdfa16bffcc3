package serve

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
	"github.com/plumbline-ml/plumbline/sdk/internal/osprocess"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
)

// maxPending is the maximum number of groups of pending work in a heartbeat.
const maxPending = 8

// progressMonitor checks the work of the workers and the waits of the backend at each heartbeat. It takes no lock that
// a worker holds during a run, so it detects hanging work even in native code.
type progressMonitor struct {
	watch     *backend.WaitMonitor
	scheduler atomic.Pointer[batch.Scheduler] // nil: no workload is open
	calls     atomic.Int32                    // number of pending unary calls

	mu    sync.Mutex
	known map[any]workSnapshot // pending work at the last check
}

// pendingWork describes pending work.
type pendingWork struct {
	key        any
	kind, text string // work of the same kind and process is reported together
	pid        int
	signs      uint64
	seen       workSnapshot
	unchanged  bool
	more       uint32
}

// workSnapshot is the state of work when its number of progress signals was first seen.
type workSnapshot struct {
	signs uint64
	at    time.Time
	used  time.Duration // processor time of its process since its start; negative: not known
}

func newMonitor() *progressMonitor {
	return &progressMonitor{watch: backend.NewWaitMonitor(), known: map[any]workSnapshot{}}
}

// reportWork reports the work that makes no progress, and counts the progress signals of the other work.
func (l *progressMonitor) reportWork() *pluginpb.Work {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	signs, things := l.listWork()
	next := make(map[any]workSnapshot, len(things))
	for i := range things {
		t := &things[i]
		t.seen, t.unchanged = l.known[t.key]
		if t.unchanged = t.unchanged && t.seen.signs == t.signs; !t.unchanged {
			t.seen = workSnapshot{signs: t.signs, at: now, used: processorTime(t.pid)}
		}
		next[t.key] = t.seen
	}
	l.known = next
	things = slices.DeleteFunc(things, func(t pendingWork) bool { return !t.unchanged })
	calls := uint32(l.calls.Load())
	return &pluginpb.Work{Signs: signs, Pending: pendingMessages(groupWork(things), now), Calls: &calls}
}

// listWork lists all pending work, and counts how often work has begun, made progress or ended so far.
func (l *progressMonitor) listWork() (signs uint64, all []pendingWork) {
	signs = l.watch.ProgressCount()
	for _, a := range l.watch.Pending() {
		w := a.Info()
		all = append(all, pendingWork{key: a, kind: w.For, text: w.For, pid: w.PID, signs: a.ProgressCount()})
	}
	s := l.scheduler.Load()
	if s == nil {
		return signs, all
	}
	for _, j := range s.Jobs() {
		steps := j.Steps()
		signs += steps
		if j.Busy() {
			all = append(all, pendingWork{key: j, kind: j.Stage(), text: j.String(), signs: steps})
		}
	}
	return signs, all
}

// groupWork keeps the oldest work of each kind, with the number of the others. The oldest is first.
func groupWork(things []pendingWork) []pendingWork {
	slices.SortStableFunc(things, func(a, b pendingWork) int { return a.seen.at.Compare(b.seen.at) })
	var groups []pendingWork
	for _, t := range things {
		i := slices.IndexFunc(groups, func(g pendingWork) bool { return g.kind == t.kind && g.pid == t.pid })
		if i >= 0 {
			groups[i].more++
			continue
		}
		groups = append(groups, t)
	}
	return groups[:min(len(groups), maxPending)]
}

func pendingMessages(things []pendingWork, now time.Time) []*pluginpb.Pending {
	var all []*pluginpb.Pending
	for _, t := range things {
		p := &pluginpb.Pending{What: sanitizeText(t.text), More: t.more, Ns: int64(now.Sub(t.seen.at)), Pid: int64(t.pid)}
		if since := processorTime(t.pid); since >= 0 && t.seen.used >= 0 {
			took := int64(since - t.seen.used)
			p.UsedNs = &took
		}
		all = append(all, p)
	}
	return all
}

// processorTime returns the processor time of a process, or a negative value if it is unknown.
func processorTime(pid int) time.Duration {
	if pid <= 0 {
		return -1
	}
	d, err := osprocess.ProcessorTime(pid)
	if err != nil {
		return -1
	}
	return d
}
