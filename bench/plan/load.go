package plan

import (
	"fmt"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/suggest"
)

// Load determines the runs, and how they send queries to the model.
type Load struct {
	Scenarios []string `flag:"scenario,split"` // names or "all"; empty: all that the model's rules list
	// Mode is "performance", "accuracy", "submission" or "findpeak"; empty: performance of each scenario, then accuracy
	// once, and with audit settings performance alone.
	Mode string `flag:"mode"`
	// Concurrency is the number of users of a closed loop, which replaces LoadGen's scenarios in benchmarks of language
	// models. 0: no closed loop.
	Concurrency int `flag:"concurrency"`
	// Requests and Duration are how long a closed loop lasts: so many requests, or so long, whichever comes first. Both 0:
	// a minute and a hundred requests, or four requests of each user under smoke settings.
	Requests int           `flag:"requests"`
	Duration time.Duration `flag:"duration"`

	Pace       string `flag:"pace"`        // how Server queries are timed: "default" or "precise"; empty: default
	AbortEarly bool   `flag:"abort-early"` // end a run as soon as it can only end INVALID
	// KeepProcessors leaves GOMAXPROCS unchanged. Otherwise it is 1 during SingleStream, because every query would wake
	// another thread on a core that the model needs.
	KeepProcessors bool
}

// The modes of a request.
const (
	ModePerformance = "performance"
	ModeAccuracy    = "accuracy"
	ModeSubmission  = "submission"
	ModeFindPeak    = "findpeak"
)

// ModeRanging is the mode of runs that come before those of ModePerformance with PowerRanging; no request asks for it.
const ModeRanging = "ranging"

// everyScenario is the word for all scenarios of a model.
const everyScenario = "all"

// The ways to time Server queries.
const (
	PaceDefault = "default"
	PacePrecise = "precise" // spin before each due time
)

// resolve reads the way to time Server queries.
func (l Load) resolve(p *Plan) []error {
	pace, err := l.pace()
	p.Pace = pace
	return []error{err}
}

// pace is the way to time Server queries that was asked for.
func (l Load) pace() (string, error) {
	switch l.Pace {
	case "":
		return PaceDefault, nil
	case PaceDefault, PacePrecise:
		return l.Pace, nil
	}
	return "", fmt.Errorf("--pace: %w", suggest.Unknown("pace", l.Pace, []string{PaceDefault, PacePrecise}))
}
