package drive_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/drive"
)

// TestProbe finds where more users no longer raise the rate, to the quotient of two neighbours, in few tries.
func TestProbe(t *testing.T) {
	saturates := func(at float64) func(users int) (float64, error) {
		return func(users int) (float64, error) { return 10 * math.Min(float64(users), at), nil }
	}
	fails := func(from int) func(users int) (float64, error) {
		return func(users int) (float64, error) {
			if users >= from {
				return 0, fmt.Errorf("%w: out of memory", drive.ErrTooMany)
			}
			return float64(users), nil
		}
	}
	falls := func(users int) (float64, error) {
		return 1000 - math.Abs(float64(users)-300), nil
	}
	for name, c := range map[string]struct {
		rate      func(users int) (float64, error)
		low, high int
		tries     int
	}{
		"saturates at 512":  {saturates(512), 490, 590, 10},
		"saturates at 1000": {saturates(1000), 960, 1150, 10},
		"never":             {saturates(1e9), 4096, 4096, 11},
		"at once":           {saturates(10), 33, 33, 2},
		"fails from 500":    {fails(500), 434, 499, 10},
		"falls from 300":    {falls, 230, 340, 10},
	} {
		t.Run(name, func(t *testing.T) {
			tried := 0
			p := drive.Probe{Min: 33, Max: 4096, Try: func(_ context.Context, users int) (float64, error) {
				tried++
				return c.rate(users)
			}}
			got, err := p.FindCMax(t.Context())
			if err != nil || got < c.low || got > c.high || tried > c.tries {
				t.Errorf("C_max %d after %d tries, %v, want %d to %d after at most %d", got, tried, err, c.low, c.high, c.tries)
			}
		})
	}
	broken := errors.New("no route")
	p := drive.Probe{Min: 33, Max: 4096, Try: func(context.Context, int) (float64, error) { return 0, broken }}
	if _, err := p.FindCMax(t.Context()); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}
