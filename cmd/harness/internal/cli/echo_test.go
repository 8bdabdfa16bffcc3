package cli

import (
	"os"
	"syscall"
	"testing"
	"time"
)

func TestASignalSentTwiceIsOne(t *testing.T) {
	for _, c := range []struct {
		name        string
		first, next os.Signal
		after       time.Duration
		want        bool
	}{
		{"as timeout sends it", syscall.SIGTERM, syscall.SIGTERM, time.Millisecond, true},
		{"a second wish", syscall.SIGTERM, syscall.SIGTERM, echo, false},
		{"another one", os.Interrupt, syscall.SIGTERM, time.Millisecond, false},
	} {
		if got := echoes(c.first, c.next, c.after); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
