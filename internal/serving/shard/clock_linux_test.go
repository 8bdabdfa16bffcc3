package shard

import (
	"syscall"
	"testing"
	"time"
)

func TestErrorOfClock(t *testing.T) {
	for _, c := range []struct {
		state  int
		micros int64
		err    error
		want   time.Duration
	}{
		{0, 1500, nil, 1500 * time.Microsecond}, {0, 0, nil, 0}, {timeError, 16_000_000, nil, unknownError},
		{0, 1500, syscall.EPERM, unknownError}, {0, -1, nil, unknownError},
	} {
		if got := clockError(c.state, c.micros, c.err); got != c.want {
			t.Errorf("state %d, %d us, %v: %v, want %v", c.state, c.micros, c.err, got, c.want)
		}
	}
}

// One machine has one clock, whoever asks; what its error is depends on the machine.
func TestClockHasOneName(t *testing.T) {
	first, _ := WallClock()
	second, mayBeWrong := WallClock()
	if first != second || mayBeWrong < unknownError {
		t.Errorf("%q, then %q, wrong by %v", first, second, mayBeWrong)
	}
}
