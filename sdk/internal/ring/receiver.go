package ring

import (
	"sync"
	"time"
)

// Constants for polling before a side sleeps. Waking up takes 25 to 60 µs on a halted core. The plugin polls longer
// than a harness needs to wake up after the inference. After maxVainPolls unsuccessful polls in a row, a side sleeps
// immediately and polls only every retryEvery times. With a model that takes milliseconds, polling is therefore rare.
const (
	pollTime     = 100 * time.Microsecond
	maxVainPolls = 4
	retryEvery   = 64
	// readsPerClock is the number of memory reads between two clock reads.
	readsPerClock = 16
)

// FrameReceiver passes on the frames of a ring in order. The caller's goroutine is that of Run or, between Begin and
// Finish, one that sends and waits for the answer.
type FrameReceiver struct {
	reader *FrameReader
	handle func(frame []byte) error

	mu           sync.Mutex // held while reading
	failure      error      // error of handle or of the memory
	runPolicy    pollPolicy // used by Run
	callerPolicy pollPolicy // used by Begin and Finish
}

// NewReceiver returns a receiver that calls handle with each frame, which is valid during the call.
func NewReceiver(r *FrameReader, handle func(frame []byte) error) *FrameReceiver {
	return &FrameReceiver{reader: r, handle: handle}
}

// Run passes frames on until the reader is closed or handle fails, and returns the reason. While look returns true, it
// polls briefly for the next frame before it sleeps.
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

// handleReady handles available frames and reports whether the caller may sleep.
func (x *FrameReceiver) handleReady(look func() bool) (asleep bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.drainFrames(); err != nil {
		return false, err
	}
	if look() && x.runPolicy.shouldPoll() && x.runPolicy.pollBriefly(x.reader) {
		return false, nil
	}
	return x.reader.Arm(), nil
}

// drainFrames handles all frames that have arrived. The caller must hold x.mu.
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

// Begin makes the caller the reader, so the other side need not ring. The caller is about to send a frame whose answer
// is expected soon. If it returns true, the caller must call Finish. It returns false if Run is handling frames or
// recent polls were unsuccessful.
func (x *FrameReceiver) Begin() bool {
	if !x.mu.TryLock() {
		return false
	}
	if x.failure != nil || x.reader.closed.Load() || !x.callerPolicy.shouldPoll() {
		x.mu.Unlock()
		return false
	}
	x.reader.Disarm()
	return true
}

// Finish handles frames on the caller's goroutine while wanted returns true, but only for a short time.
func (x *FrameReceiver) Finish(wanted func() bool) {
	defer x.mu.Unlock()
	for wanted() && x.callerPolicy.pollBriefly(x.reader) && x.drainFrames() == nil {
	}
	// Run sleeps or is about to, so later frames ring
	for x.failure == nil && !x.reader.Arm() {
		_ = x.drainFrames()
	}
	if x.failure != nil {
		x.reader.Close() // wakes Run, which reports it
	}
}

// Drain handles the frames that have arrived, on the caller's goroutine, after the other side has ended and before the
// reader is closed.
func (x *FrameReceiver) Drain() {
	x.mu.Lock()
	defer x.mu.Unlock()
	_ = x.drainFrames() // Run reports the error
}

// Lock prevents reading until Unlock.
func (x *FrameReceiver) Lock() { x.mu.Lock() }

// Unlock allows reading again after Lock.
func (x *FrameReceiver) Unlock() { x.mu.Unlock() }

// NeverLook returns false. Passed to Run, it prevents polling.
func NeverLook() bool { return false }

// pollPolicy decides whether to poll before sleeping.
type pollPolicy struct {
	vain   int // number of consecutive unsuccessful polls
	pauses int // number of sleeps without a poll since the last one
}

// shouldPoll reports whether to poll this time.
func (l *pollPolicy) shouldPoll() bool {
	if l.vain < maxVainPolls {
		return true
	}
	l.pauses++
	return l.pauses%retryEvery == 0
}

// pollBriefly polls for a short time and reports whether a frame has arrived.
func (l *pollPolicy) pollBriefly(r *FrameReader) bool {
	if r.Ready() {
		return true
	}
	if !pollUntilReady(r) {
		l.vain++
		return false
	}
	l.vain = 0
	return true
}

// pollUntilReady polls until a frame has arrived or the time is over.
func pollUntilReady(r *FrameReader) bool {
	for start := time.Now(); time.Since(start) < pollTime; {
		for range readsPerClock {
			if r.Ready() {
				return true
			}
		}
	}
	return false
}
