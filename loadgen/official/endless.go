package official

import (
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// highestRate is where rates have no meaning any more: the gaps of a schedule are whole nanoseconds.
const highestRate = 1e9

// rateAscent follows a search for the highest rate, for which samples are loaded anew while the rate rises. The library
// has no end for a search in which no rate fails: it goes on at infinite rates, and dies when its stack is full.
type rateAscent struct {
	base, factor float64
	loads        int
}

func ascentOf(s loadgen.TestSettings) *rateAscent {
	return &rateAscent{base: s.ServerTargetQPS, factor: 1 + s.ServerFindPeakQPSBoundaryStepSize}
}

// noteLoaded notes that samples are loaded, for the next higher rate or, once, for those between the last two. It fails
// when a rate without a meaning has met the limit, as all but the last have then.
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
