package loadgen

import (
	"fmt"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/schedule"
)

// ServerArrivals are the times, in nanoseconds from the start, at which the queries of a Server test are due at qps
// queries per second with a ScheduleRNGSeed: at least so many queries, and until one is due at or after span. A test
// with those settings issues its queries at the same nanoseconds. Rates are above 0; settings that ask for more than
// one test can hold are an ErrBadSettings.
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
