package host

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk"
)

// Maximum lengths of the lists in a plugin's batching report.
const (
	maxSizes       = 1000
	maxPercentiles = 32
)

// checkBatching requires ascending sizes and percentiles.
func checkBatching(b sdk.BatchingReport) error {
	var faults []error
	if len(b.Sizes) > maxSizes {
		faults = append(faults, fmt.Errorf("%d sizes of batches, want at most %d", len(b.Sizes), maxSizes))
	}
	last := 0
	for _, s := range b.Sizes {
		if s.Samples <= last || s.Batches == 0 {
			faults = append(faults, fmt.Errorf("%d batches of %d samples after those of %d", s.Batches, s.Samples, last))
			break
		}
		last = s.Samples
	}
	return errors.Join(append(faults, checkTimes("waiting", b.Waiting), checkTimes("in the model", b.Model))...)
}

func checkTimes(what string, t sdk.SampleTimes) error {
	if len(t.Percentiles) > maxPercentiles || t.Count == 0 && len(t.Percentiles) > 0 {
		return fmt.Errorf("%s: %d percentiles of %d times", what, len(t.Percentiles), t.Count)
	}
	if t.Min < 0 || t.Mean < t.Min || t.Max < t.Mean {
		return fmt.Errorf("%s: times from %v to %v, %v on average", what, t.Min, t.Max, t.Mean)
	}
	last := sdk.TimeAt{At: t.Min}
	for _, p := range t.Percentiles {
		if !(p.P > last.P && p.P < 1) || p.At < last.At || p.At > t.Max {
			return fmt.Errorf("%s: percentile %g is %v after percentile %g, %v, of times up to %v", what, p.P, p.At, last.P,
				last.At, t.Max)
		}
		last = p
	}
	return nil
}
