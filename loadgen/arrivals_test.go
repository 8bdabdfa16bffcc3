package loadgen_test

import (
	"errors"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

// On virtual time, a test issues its queries exactly when they are due.
func TestServerArrivalsAreThoseOfATest(t *testing.T) {
	for _, c := range []struct {
		qps     float64
		seed    uint64
		queries uint64
		span    time.Duration
	}{
		{5, 1, 2000, 0}, {1000, 3, 10, 3 * time.Second}, {0.5, 12345678901234567, 300, time.Minute},
	} {
		s := quick(loadgen.Server, loadgen.PerformanceOnly)
		s.ServerTargetQPS, s.ScheduleRNGSeed, s.MinQueryCount, s.MinDuration = c.qps, c.seed, c.queries, c.span
		clock := &loadgentest.Clock{}
		sut := &loadgentest.Script{Clock: clock}
		ctx := loadgentest.WithClock(t.Context(), clock)
		logs := loadgen.LogSettings{OutDir: t.TempDir()}
		if _, err := loadgen.StartTest(ctx, sut, loadgentest.QSL{Total: 10, Performance: 10}, s, logs); err != nil {
			t.Fatal(err)
		}
		due, err := loadgen.ServerArrivals(c.qps, c.seed, c.queries, c.span)
		if err != nil {
			t.Fatal(err)
		}
		issued := sut.Queries()
		if len(issued) != len(due) {
			t.Fatalf("%+v: %d queries were issued, %d due times", c, len(issued), len(due))
		}
		for i, q := range issued {
			if at := q.At - issued[0].At; at != time.Duration(due[i]) {
				t.Fatalf("%+v: query %d was issued at %d ns, due at %d", c, i, at, due[i])
			}
		}
	}
}

func TestServerArrivalsRefuseWhatCannotBe(t *testing.T) {
	year := 365 * 24 * time.Hour
	for _, qps := range []float64{0, -1, 1e9} {
		if due, err := loadgen.ServerArrivals(qps, 1, 1, year); !errors.Is(err, loadgen.ErrBadSettings) {
			t.Errorf("%v queries per second for a year: %d times, error %v", qps, len(due), err)
		}
	}
}
