package loadgen

import (
	"fmt"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/schedule"
)

// ServerArrivals returns the due times of a Server test's queries, in nanoseconds from the start, at qps queries per
// second with a ScheduleRNGSeed. It returns at least queries times and continues until one is at or after span. A test
// with those settings issues its queries at the same nanoseconds. qps must be above 0. If the settings require more
// samples than one test can have, the error wraps ErrBadSettings.
func ServerArrivals(qps float64, seed, queries uint64, span time.Duration) ([]int64, error) {
	if !(qps > 0) {
		return nil, fmt.Errorf("%w: %v queries per second, want a rate above 0", ErrBadSettings, qps)
	}
	due, err := schedule.Arrivals(schedule.Params{
		QPS: qps, MinDuration: int64(span), MinQueries: queries, ScheduleSeed: seed,
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadSettings, err)
	}
	return due, nil
}
