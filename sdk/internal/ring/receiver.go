package ring

import (
	"sync"
	"time"
)

// How long a side looks for the next frame before it sleeps. To be woken costs 25 to 60 µs where the core was halted:
// the plugin's look outlasts the wake-up of a harness that slept through the inference. Whoever has looked in vain
// several times sleeps at once, but tries again now and then: a model of milliseconds costs no more looks than one in
// 64.
const (
	lookFor    = 100 * time.Microsecond
	vainLooks  = 4
	retryEvery = 64
	// looksPerClock is how often the memory is looked at between two looks at the clock.
	looksPerClock = 16
)

// FrameReceiver hands the frames of a ring on, one after the other, from the goroutine in Run or from one
// that sends and waits for the answer, between Begin and Finish.
type FrameReceiver struct {
	reader *FrameReader
	handle func(frame []byte) error

	mu      sync.Mutex // held by whoever reads
	failure error      // of handle or of the memory
	looks   lookPolicy // of Run
	polls   lookPolicy // of Begin and Finish
}

// NewReceiver returns a receiver that calls handle with each frame, which is valid during the call.
func NewReceiver(r *FrameReader, handle func(frame []byte) error) *FrameReceiver {
	return &FrameReceiver{reader: r, handle: handle}
}

// Run hands frames on until the reader is closed or handle fails, and returns why. While look reports true
// it looks for the next frame for a moment before it sleeps.
func (x *FrameReceiver) Run(look func() bool) error {
	for {
		asleep, err := x.handleReady(look)
		if err != nil {
			return err
		}
		if !asleep {
			continue
		}
		if err := x.reader.Sleep(); err != nil {
			x.mu.Lock()
			defer x.mu.Unlock()
			if x.failure != nil {
				return x.failure
			}
			return err
		}
	}
}

// handleReady handles what is there, and reports whether the caller may sleep.
func (x *FrameReceiver) handleReady(look func() bool) (asleep bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.drainFrames(); err != nil {
		return false, err
	}
	if look() && x.looks.shouldLook() && x.looks.lookBriefly(x.reader) {
		return false, nil
	}
	return x.reader.Arm(), nil
}

// drainFrames handles every frame that has come. x.mu is held.
func (x *FrameReceiver) drainFrames() error {
	for x.failure == nil {
		frame, ok, err := x.reader.TryRead()
		if err != nil {
			x.failure = err
			break
		}
		if !ok {
			return nil
		}
		x.failure = x.handle(frame)
	}
	return x.failure
}

// Begin makes the caller, who is about to send what will be answered soon, the one who reads: the other side need not
// ring. Where it reports true, Finish must follow. It reports false where Run is at work, or where the caller has
// looked in vain before.
func (x *FrameReceiver) Begin() bool {
	if !x.mu.TryLock() {
		return false
	}
	if x.failure != nil || x.reader.closed.Load() || !x.polls.shouldLook() {
		x.mu.Unlock()
		return false
	}
	x.reader.Disarm()
	return true
}

// Finish handles frames in the caller's goroutine while wanted reports true, for a moment at most.
func (x *FrameReceiver) Finish(wanted func() bool) {
	defer x.mu.Unlock()
	for wanted() && x.polls.lookBriefly(x.reader) && x.drainFrames() == nil {
	}
	// Run sleeps, or is about to: what comes from now on rings.
	for x.failure == nil && !x.reader.Arm() {
		_ = x.drainFrames()
	}
	if x.failure != nil {
		x.reader.Close() // wakes Run, which reports it
	}
}

// Drain handles what has come, in the caller's goroutine, before the reader is closed: the other side has ended.
func (x *FrameReceiver) Drain() {
	x.mu.Lock()
	defer x.mu.Unlock()
	_ = x.drainFrames() // Run reports why it fails
}

// Lock and Unlock keep everybody from reading.
func (x *FrameReceiver) Lock() { x.mu.Lock() }

// Unlock follows Lock.
func (x *FrameReceiver) Unlock() { x.mu.Unlock() }

// NeverLook is a look that Run never takes.
func NeverLook() bool { return false }

// lookPolicy decides whether to look before sleeping.
type lookPolicy struct {
	vain   int // looks in vain, in a row
	pauses int // since the last one
}

// shouldLook reports whether to look this time.
func (l *lookPolicy) shouldLook() bool {
	if l.vain < vainLooks {
		return true
	}
	l.pauses++
	return l.pauses%retryEvery == 0
}

// lookBriefly looks for a moment and reports whether something has come.
func (l *lookPolicy) lookBriefly(r *FrameReader) bool {
	if r.Ready() {
		return true
	}
	if !lookUntilReady(r) {
		l.vain++
		return false
	}
	l.vain = 0
	return true
}

// lookUntilReady looks until something has come or the time is over.
func lookUntilReady(r *FrameReader) bool {
	for start := time.Now(); time.Since(start) < lookFor; {
		for range looksPerClock {
			if r.Ready() {
				return true
			}
		}
	}
	return false
}
