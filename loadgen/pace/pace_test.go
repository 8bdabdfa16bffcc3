package pace

import (
	"context"
	"strings"
	"testing"
	"time"
)

// A query is never issued before it is due, whatever the length of the wait.
func TestUntilIsNeverEarly(t *testing.T) {
	for _, spin := range []bool{false, true} {
		c := Start(t.Context())
		s := NewSleeper(t.Context(), c, spin)
		for i := range 200 {
			due := c.Now() + int64(time.Duration(i*i)*time.Microsecond/4)
			if now := s.Until(due); now < due {
				t.Fatalf("spin %v: woken at %d, due at %d", spin, now, due)
			}
		}
		s.Close()
	}
}

// The clock's start contains a reading of the monotonic clock, which time.Since uses, so steps of the wall clock have
// no effect. (A test that steps the wall clock would step the machine's clock.)
func TestStepsOfTheWallClockDoNotShow(t *testing.T) {
	if start := Start(t.Context()).Wall().String(); !strings.Contains(start, " m=") {
		t.Errorf("the start, %s, has no monotonic reading", start)
	}
}

func TestUntilThePastReturnsAtOnce(t *testing.T) {
	c := Start(t.Context())
	s := NewSleeper(t.Context(), c, false)
	defer s.Close()
	if now := s.Until(-1); now < 0 {
		t.Errorf("time %d before the start", now)
	}
}

func TestUntilEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := Start(ctx)
	s := NewSleeper(ctx, c, false)
	defer s.Close()
	time.AfterFunc(time.Millisecond, cancel)
	if due := int64(time.Hour); s.Until(due) >= due {
		t.Error("an hour has passed")
	}
}

// The margin follows the lateness of the machine's sleeps and stays within its limits.
func TestMarginFollowsLateness(t *testing.T) {
	for _, c := range []struct{ late, want time.Duration }{
		{30 * time.Microsecond, 30 * time.Microsecond},
		{time.Second, largestMargin},
		{-time.Second, 0},
	} {
		s := &Sleeper{margin: firstMargin, spin: spinShort}
		for range 1000 {
			s.learnMargin(c.late)
		}
		if d := s.margin - c.want; d < -marginStep || d > marginStep {
			t.Errorf("lateness %v: margin %v, want about %v", c.late, s.margin, c.want)
		}
	}
}

type fake struct{ now time.Duration }

func (f *fake) Now() time.Duration          { return f.now }
func (f *fake) SleepUntil(at time.Duration) { f.now = max(f.now, at) }
func (f *fake) Step() bool                  { f.now++; return true }

func TestVirtualTime(t *testing.T) {
	v := &fake{now: time.Hour}
	c := Start(WithVirtual(t.Context(), v))
	s := NewSleeper(t.Context(), c, false)
	defer s.Close()
	if c.Now() != 0 || s.Until(5000) != 5000 || s.Until(4000) != 5000 || v.now != time.Hour+5000 {
		t.Errorf("at %d, virtual %v", c.Now(), v.now)
	}
	if !c.Step() || c.Now() != 5001 {
		t.Errorf("at %d after a step", c.Now())
	}
	if Start(t.Context()).Step() {
		t.Error("the machine's clock takes steps")
	}
}
