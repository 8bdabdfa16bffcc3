package pool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// poolEngine is a session or a generator.
type poolEngine interface {
	io.Closer
	Limits() backend.Limits
}

// poolMember is one device of a pool. The pool's lock guards its counts.
type poolMember[E poolEngine] struct {
	engine E
	name   string // of the device
	busy   backend.WaitInfo
	width  int           // runs at a time that fill it: at least 1
	turn   chan struct{} // has room for the runs at a time: whoever put a value in may run

	working int    // runs in work
	turns   uint64 // how often it was chosen
	share   backend.WorkShare
}

// devicePool is several devices that do one job.
type devicePool[E poolEngine] struct {
	mu  sync.Mutex
	all []*poolMember[E]
}

// openAll opens every device, at the same time: a large model takes its time on each. If one fails, the others are
// closed.
//
// The runs at a time of c are divided among the devices; each gets one at least.
func openAll[E poolEngine](
	ctx context.Context, c backend.Config, devices []string, open func(context.Context, backend.Config) (E, error),
) (*devicePool[E], error) {
	members, faults := make([]*poolMember[E], len(devices)), make([]error, len(devices))
	var opening sync.WaitGroup
	for i, device := range devices {
		own := c
		own.Device, own.Concurrency = device, divideRuns(c.Concurrency, len(devices), i)
		opening.Go(func() {
			e, err := open(ctx, own)
			if err != nil {
				faults[i] = onDevice(device, err)
				return
			}
			most := atATime(e.Limits().Concurrency, own.Concurrency)
			members[i] = &poolMember[E]{
				engine: e, name: device, busy: backend.WaitInfo{For: "device " + device}, share: backend.WorkShare{Name: device},
				width: max(1, e.Limits().Concurrency), turn: make(chan struct{}, most),
			}
		})
	}
	opening.Wait()
	w := &devicePool[E]{}
	for _, m := range members {
		if m != nil {
			w.all = append(w.all, m)
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// onDevice names the device that an error is of, where the user chose it.
func onDevice(device string, err error) error {
	if device == "" {
		return err
	}
	return fmt.Errorf("device %s: %w", device, err)
}

// maxAtATime stands for no limit of the runs at a time.
const maxAtATime = 4096

// atATime is how many runs a device gets at a time: as many as it can, and no more than were asked for. 0 is no limit.
func atATime(can, asked int) int {
	if n := minLimit(max(can, 0), max(asked, 0)); n > 0 {
		return n
	}
	return maxAtATime
}

// divideRuns is part i of n runs at a time among so many devices; 0 stays 0, which leaves it to the backend.
func divideRuns(n, devices, i int) int {
	if n <= 0 {
		return 0
	}
	part := n / devices
	if i < n%devices {
		part++
	}
	return max(1, part)
}

// beginRun chooses the device for a run and counts it as in work.
func (w *devicePool[E]) beginRun() *poolMember[E] {
	w.mu.Lock()
	defer w.mu.Unlock()
	best := w.all[0]
	for _, m := range w.all[1:] {
		if m.lessLoaded(best) {
			best = m
		}
	}
	best.working++
	best.turns++
	return best
}

// lessLoaded reports whether m is the better choice: it has fewer runs in work for its width or, where that is equal,
// has had fewer turns for it. The fractions are compared by products.
func (m *poolMember[E]) lessLoaded(o *poolMember[E]) bool {
	if load, other := m.working*o.width, o.working*m.width; load != other {
		return load < other
	}
	return m.turns*uint64(o.width) < o.turns*uint64(m.width)
}

// endRun counts what the device has done since begin.
func (w *devicePool[E]) endRun(m *poolMember[E], batches, samples int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m.working--
	m.share.Batches += uint64(batches)
	m.share.Samples += uint64(samples)
}

// Restart forgets what the devices have done so far: a warm-up is no share of the work.
func (w *devicePool[E]) Restart() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.all {
		m.share = backend.WorkShare{Name: m.name}
	}
}

// Shares is what each device has done since the last Restart, in the order in which they were named.
func (w *devicePool[E]) Shares() []backend.WorkShare {
	w.mu.Lock()
	defer w.mu.Unlock()
	shares := make([]backend.WorkShare, len(w.all))
	for i, m := range w.all {
		shares[i] = m.share
	}
	return shares
}

// Limits are those of all devices together: the sum of their runs at a time, 0 where one has no preference; and batches
// that suit each of them.
func (w *devicePool[E]) Limits() backend.Limits {
	var all backend.Limits
	preferring := true
	for _, m := range w.all {
		l := m.engine.Limits()
		preferring = preferring && l.Concurrency > 0
		all.Concurrency += l.Concurrency
		all.PreferredBatch = minLimit(all.PreferredBatch, l.PreferredBatch)
		all.MaxBatch = minLimit(all.MaxBatch, l.MaxBatch)
		all.Native = all.Native || l.Native
	}
	if !preferring {
		all.Concurrency = 0
	}
	return all
}

// minLimit is the smaller of two limits, of which 0 is none.
func minLimit(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// Close closes every device, whatever fails.
func (w *devicePool[E]) Close() error {
	faults := make([]error, len(w.all))
	var closing sync.WaitGroup
	for i, m := range w.all {
		closing.Go(func() {
			if err := m.engine.Close(); err != nil {
				faults[i] = onDevice(m.name, err)
			}
		})
	}
	closing.Wait()
	return errors.Join(faults...)
}
