package mlconf

import (
	"math"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// confKeys says which keys the LoadGen of a round reads from a user.conf beside those of today.
type confKeys struct {
	seeds bool // those that the rules alone set today: up to v4.1
	// old is whether queries of MultiStream arrive at a rate, and what LoadGen does not know is passed over: up to v1.1.
	old bool
}

// Keys of MultiStream in the rounds whose queries arrive at a rate.
const (
	arrivalRate  = "target_qps"
	asyncQueries = "max_async_queries"
)

// keysOf are those of a round; nil is the newest.
func keysOf(r *Rules) confKeys {
	if r == nil {
		return confKeys{}
	}
	return confKeys{seeds: r.auditsSetSeeds(), old: r.data.Features.Audits.Scores == ScoreSamples}
}

// setsField says whether a file sets a field that else the rules alone set. Fields that the official LoadGen never had
// are not among them.
func (k confKeys) setsField(f loadgen.Field) bool {
	switch f.Name {
	case "MultiStreamArrivalInterval", "MultiStreamCountDropped", "NoEarlyStopping", "OlderSampleOrder",
		"LoadFromAll":
		return false
	}
	return k.seeds
}

// checkArrivals checks what MultiStream's queries arrive by.
func (c *confChecker) checkArrivals(full, key string, v confValue) {
	switch {
	case key == arrivalRate && (intervalOf(v) <= 0 || math.IsInf(v.double, 0)):
		c.addFault(full, "want a number of queries per second above 0 and at most a billion, found %s", v.text)
	case key == asyncQueries && v.text != "1":
		c.addFault(full, "want 1: a query of MultiStream is issued when the one before has ended; found %s", v.text)
	}
}

// intervalOf is the time between queries that arrive at a rate, in whole nanoseconds, as LoadGen has it; 0 where there
// is none.
func intervalOf(v confValue) time.Duration {
	if !(v.double > 1e-6) || v.double > 1e9 {
		return 0
	}
	return time.Duration(1e9 / v.double)
}

// applyArrivals sets the interval of a rate of MultiStream's queries.
func (f confFile) applyArrivals(s *confSettings, model string, note func(loadgen.Field, string, confValue)) {
	key, v, ok := f.findKey(model, loadgen.MultiStream.String(), arrivalRate)
	if interval := intervalOf(v); ok && interval > 0 && s.Scenario == loadgen.MultiStream {
		s.MultiStreamArrivalInterval = interval
		for _, field := range fields {
			if field.Name == "MultiStreamArrivalInterval" {
				note(field, key, v)
			}
		}
	}
}
