package loadgen

import (
	"context"
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/loadgen/internal/schedule"
)

// highestRate is the rate at which a search ends, because the gaps of a schedule are whole nanoseconds.
const highestRate = 1e9

// peakSearch searches for the highest Server rate whose run meets the latency limit. It multiplies the rate by a factor
// until a run fails, and then bisects the interval until it is as narrow as the requested precision.
type peakSearch struct {
	test *testRun
	set  schedule.Set
	// best is the run at rate, the highest rate that met the limit. If none met it yet, best is the last run.
	best *testSeries
	rate float64
}

// findPeak returns the run at the highest rate that meets the limit, or the run at the settings' rate if no rate meets
// it. It sets t.e to that rate. If the search ends early, it returns both its result and an error.
func (t *testRun) findPeak(ctx context.Context) (*testSeries, error) {
	t.log.logMode(FindPeakPerformance)
	count := min(t.effective.PerformanceSampleCount, uint64(t.counts.total))
	f := &peakSearch{test: t, set: t.loadableSets(count)[0]}
	err := f.searchRate(ctx, t.effective.TargetQPS)
	t.effective.TargetQPS = f.rate
	return f.best, err
}

func (f *peakSearch) searchRate(ctx context.Context, base float64) error {
	f.test.log.logMessage(fmt.Sprintf("FindPeakPerformance: Check validity of the base settings field: %f", base))
	met, err := f.loadAndRunTrial(ctx, base)
	if err != nil {
		return err
	}
	if !met {
		f.test.log.logError("FindPeakPerformance: Initial lower bound does not satisfy performance constraints, msg: " +
			f.recommendationText())
		return nil
	}
	high, err := f.findUpperBound(ctx)
	if err != nil || high == 0 {
		return err
	}
	f.test.log.logMessage(fmt.Sprintf("FindPeakPerformance: Found boundaries: [%f, %f)", f.rate, high))
	_, err = f.test.runWithSet(ctx, f.set, false, func() (*testSeries, error) {
		return nil, f.bisectRate(ctx, high)
	})
	if err != nil {
		return err
	}
	f.test.log.logMessage(fmt.Sprintf("FindPeakPerformance: Found peak performance field: %f", f.rate))
	return nil
}

// recommendationText returns the official advice after a failed run.
func (f *peakSearch) recommendationText() string {
	r := f.judgeSeries(f.best)
	return failedConditions(&r)[0].summary
}

// findUpperBound raises the rate until a run fails, and returns the rate of that run. It returns 0 if no run fails up
// to the highest possible rate.
func (f *peakSearch) findUpperBound(ctx context.Context) (high float64, err error) {
	for {
		high = f.rate * (1 + f.test.settings.ServerFindPeakQPSBoundaryStepSize)
		f.test.log.logMessage(fmt.Sprintf("FindBoundaries: Checking fields [%f, %f)", f.rate, high))
		if why := f.whyImpossible(high); why != "" {
			f.test.log.logWarning(fmt.Sprintf("FindPeakPerformance: no failing rate found: the run at %f queries per second "+
				"meets the "+
				"limit, and %s", f.rate, why))
			return 0, nil
		}
		met, err := f.loadAndRunTrial(ctx, high)
		if err != nil || !met {
			return high, err
		}
	}
}

// whyImpossible returns the reason why a run at a rate is impossible, or "".
func (f *peakSearch) whyImpossible(rate float64) string {
	if rate > highestRate {
		return "shorter gaps than a nanosecond are not possible: raise min_query_count or lower the latency limit"
	}
	e := f.test.effective
	e.TargetQPS = rate
	if _, err := schedule.Count(seriesParams(f.test.settings, e, f.set, false)); err != nil {
		return err.Error()
	}
	return ""
}

// bisectRate bisects the interval from f.rate to high.
func (f *peakSearch) bisectRate(ctx context.Context, high float64) error {
	for !f.isNarrow(f.rate, high) {
		mid := f.rate + (high-f.rate)/2
		f.test.log.logMessage(fmt.Sprintf("FindPeakPerformanceBinarySearch: Testing the mid value of bounds [%f, %f): %f",
			f.rate, high, mid))
		met, err := f.runTrial(ctx, mid)
		if err != nil {
			return err
		}
		if !met {
			high = mid
		}
	}
	return nil
}

// isNarrow reports whether the interval is not wider than one unit of the last requested decimal.
func (f *peakSearch) isNarrow(low, high float64) bool {
	unit := math.Pow(10, float64(f.test.settings.ServerFindPeakQPSDecimalsOfPrecision))
	mid := low + (high-low)/2
	return math.Floor(low*unit)+1 >= math.Floor(high*unit) || mid <= low || mid >= high
}

// loadAndRunTrial loads the samples and runs a trial at a rate.
func (f *peakSearch) loadAndRunTrial(ctx context.Context, rate float64) (met bool, err error) {
	_, err = f.test.runWithSet(ctx, f.set, false, func() (*testSeries, error) {
		met, err = f.runTrial(ctx, rate)
		return nil, err
	})
	return met, err
}

// runTrial runs the test at a rate and reports whether it met the limit.
func (f *peakSearch) runTrial(ctx context.Context, rate float64) (met bool, err error) {
	f.test.effective.TargetQPS = rate
	p, err := f.test.runPass(ctx, f.set, false)
	if err != nil {
		if f.best == nil {
			f.best, f.rate = p, rate
		}
		return false, err
	}
	r := f.judgeSeries(p)
	f.test.result.Trials = append(f.test.result.Trials,
		Trial{TargetQPS: rate, Met: r.PerformanceConstraintsMet, Latency: r.TargetPercentile})
	if r.PerformanceConstraintsMet || f.best == nil {
		f.best, f.rate = p, rate
	}
	return r.PerformanceConstraintsMet, nil
}

func (f *peakSearch) judgeSeries(p *testSeries) Result {
	var r Result
	judgeSeries(f.test.settings, f.test.effective, p, &r)
	return r
}
