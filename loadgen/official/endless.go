package official

import (
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// highestRate is the highest rate, in queries per second, that has a meaning. A schedule has gaps of whole nanoseconds.
const highestRate = 1e9

// rateAscent follows a search for the highest rate. LoadGen loads samples again for each higher rate. If no rate fails,
// the library never ends the search. It continues with infinite rates and crashes when its stack is full.
type rateAscent struct {
	base, factor float64
	loads        int
}

func newRateAscent(s loadgen.TestSettings) *rateAscent {
	return &rateAscent{base: s.ServerTargetQPS, factor: 1 + s.ServerFindPeakQPSBoundaryStepSize}
}

// noteLoaded counts a loading of samples for the next higher rate or, once, for the rates between the last two. It
// returns an error if a rate above highestRate met the limit.
func (a *rateAscent) noteLoaded() error {
	a.loads++
	met := a.base * math.Pow(a.factor, float64(a.loads-3))
	if a.loads < 3 || met <= highestRate {
		return nil
	}
	return fmt.Errorf("%w: the search finds no rate that fails: the run at %.3g queries per second meets the latency "+
		"limit, and the official LoadGen would go on until it dies: raise min_query_count or min_duration, or lower the "+
		"limit",
		loadgen.ErrBadSettings, met)
}
