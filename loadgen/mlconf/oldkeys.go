package mlconf

import (
	"math"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// confKeys selects the keys of a user.conf that the LoadGen of a round reads in addition to today's.
type confKeys struct {
	seeds bool // up to v4.1: keys that today only the rules set
	// oldRules selects the behaviour up to v1.1: MultiStream's queries arrive at a rate, and LoadGen ignores unknown keys
	oldRules bool
}

// The keys of MultiStream in rounds whose queries arrive at a rate.
const (
	arrivalRate  = "target_qps"
	asyncQueries = "max_async_queries"
)

// keysOfRound returns the keys of a round. nil means the newest.
func keysOfRound(r *Rules) confKeys {
	if r == nil {
		return confKeys{}
	}
	return confKeys{seeds: r.auditsSetSeeds(), oldRules: r.data.Features.Audits.Scores == ScoreSamples}
}

// setsField reports whether a file may set a field that today only the rules set. It returns false for fields that the
// official LoadGen never had.
func (k confKeys) setsField(f loadgen.Field) bool {
	switch f.Name {
	case "MultiStreamArrivalInterval", "MultiStreamCountDropped", "NoEarlyStopping", "OlderSampleOrder",
		"LoadFromAll", "IssueSameLoaded":
		return false
	}
	return k.seeds
}

// checkArrivals checks the settings of MultiStream's arrivals.
func (c *confChecker) checkArrivals(full, key string, v confValue) {
	switch {
	case key == arrivalRate && (intervalOf(v) <= 0 || math.IsInf(v.double, 0)):
		c.addFault(full, "want a number of queries per second above 0 and at most a billion, found %s", v.text)
	case key == asyncQueries && v.text != "1":
		c.addFault(full, "want 1: a query of MultiStream is issued when the one before has ended; found %s", v.text)
	}
}

// intervalOf returns the time between queries at a rate, truncated to whole nanoseconds like in LoadGen. It returns 0
// if the rate is out of range.
func intervalOf(v confValue) time.Duration {
	if !(v.double > 1e-6) || v.double > 1e9 {
		return 0
	}
	return time.Duration(1e9 / v.double)
}

// applyArrivals sets the arrival interval from MultiStream's rate.
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
