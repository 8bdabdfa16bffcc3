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
	engine   E
	name     string // name of the device
	waitInfo backend.WaitInfo
	width    int           // number of concurrent runs that use it fully; 1 or more
	slots    chan struct{} // semaphore for concurrent runs

	runsInProgress int    // number of runs in progress
	turns          uint64 // number of times it was chosen
	share          backend.WorkShare
}

// devicePool is a group of devices that share the work.
type devicePool[E poolEngine] struct {
	mu      sync.Mutex
	members []*poolMember[E]
}

// openAll opens all devices concurrently, because loading a large model takes long. If one fails, it closes the others.
//
// It divides c's number of concurrent runs among the devices. Each gets one or more.
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
				faults[i] = addDeviceName(device, err)
				return
			}
			most := concurrentRuns(e.Limits().Concurrency, own.Concurrency)
			members[i] = &poolMember[E]{
				engine: e, name: device, waitInfo: backend.WaitInfo{For: "device " + device},
				share: backend.WorkShare{Name: device},
				width: max(1, e.Limits().Concurrency), slots: make(chan struct{}, most),
			}
		})
	}
	opening.Wait()
	w := &devicePool[E]{}
	for _, m := range members {
		if m != nil {
			w.members = append(w.members, m)
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// addDeviceName adds the device's name to an error if the user chose the device.
func addDeviceName(device string, err error) error {
	if device == "" {
		return err
	}
	return fmt.Errorf("device %s: %w", device, err)
}

// unlimitedRuns is the number of concurrent runs without a limit.
const unlimitedRuns = 4096

// concurrentRuns returns the number of concurrent runs of a device: the minimum of its capability and the request. 0
// means no limit.
func concurrentRuns(can, asked int) int {
	if n := minLimit(max(can, 0), max(asked, 0)); n > 0 {
		return n
	}
	return unlimitedRuns
}

// divideRuns returns part i of n concurrent runs among devices. 0 stays 0, so the backend chooses.
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

// beginRun chooses the device for a run and counts the run as in progress.
func (w *devicePool[E]) beginRun() *poolMember[E] {
	w.mu.Lock()
	defer w.mu.Unlock()
	best := w.members[0]
	for _, m := range w.members[1:] {
		if m.lessLoaded(best) {
			best = m
		}
	}
	best.runsInProgress++
	best.turns++
	return best
}

// lessLoaded reports whether m is the better choice. It is if it has fewer runs in progress relative to its width or,
// if these are equal, fewer turns. It compares the fractions by cross-multiplication.
func (m *poolMember[E]) lessLoaded(o *poolMember[E]) bool {
	if load, other := m.runsInProgress*o.width, o.runsInProgress*m.width; load != other {
		return load < other
	}
	return m.turns*uint64(o.width) < o.turns*uint64(m.width)
}

// endRun counts the work of a run that beginRun began.
func (w *devicePool[E]) endRun(m *poolMember[E], batches, samples int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m.runsInProgress--
	m.share.Batches += uint64(batches)
	m.share.Samples += uint64(samples)
}

// Restart clears the counts, because a warm-up does not belong to the work.
func (w *devicePool[E]) Restart() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.members {
		m.share = backend.WorkShare{Name: m.name}
	}
}

// Shares returns the work of each device since the last Restart, in the order of the devices.
func (w *devicePool[E]) Shares() []backend.WorkShare {
	w.mu.Lock()
	defer w.mu.Unlock()
	shares := make([]backend.WorkShare, len(w.members))
	for i, m := range w.members {
		shares[i] = m.share
	}
	return shares
}

// Limits returns the limits of all devices together: the sum of their concurrent runs, or 0 if one has no preference,
// and batches that fit each of them.
func (w *devicePool[E]) Limits() backend.Limits {
	var all backend.Limits
	preferring := true
	for _, m := range w.members {
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

// minLimit returns the smaller of two limits. 0 means no limit.
func minLimit(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// Close closes all devices, even if some fail.
func (w *devicePool[E]) Close() error {
	faults := make([]error, len(w.members))
	var closing sync.WaitGroup
	for i, m := range w.members {
		closing.Go(func() {
			if err := m.engine.Close(); err != nil {
				faults[i] = addDeviceName(m.name, err)
			}
		})
	}
	closing.Wait()
	return errors.Join(faults...)
}
