package plan

import (
	"fmt"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/suggest"
)

// Load determines the runs, and how they send queries to the model.
type Load struct {
	Scenarios []string `flag:"scenario,split"` // names or "all"; empty: all that the model's rules list
	// Mode is "performance", "accuracy", "submission" or "findpeak". If it is empty, there are performance runs of each
	// scenario and then one accuracy run, or only performance runs with audit settings.
	Mode string `flag:"mode"`
	// Concurrency is the number of users of a closed loop, which replaces LoadGen's scenarios in benchmarks of language
	// models. 0: no closed loop.
	Concurrency int `flag:"concurrency"`
	// Requests and Duration limit a closed loop; it ends at the limit that it reaches first. If both are 0, the default is
	// a minute and 100 requests, or four requests per user under smoke settings.
	Requests int           `flag:"requests"`
	Duration time.Duration `flag:"duration"`

	Pace       string `flag:"pace"`        // timing of Server queries: "default" or "precise"; empty: default
	AbortEarly bool   `flag:"abort-early"` // end a run as soon as it can only be INVALID
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

// ModeRanging is the mode of runs that precede those of ModePerformance with PowerRanging. Requests cannot name it.
const ModeRanging = "ranging"

// everyScenario is the name for all scenarios of a model.
const everyScenario = "all"

// The timing methods for Server queries.
const (
	PaceDefault = "default"
	PacePrecise = "precise" // spin before each due time
)

// resolve sets the timing method of Server queries.
func (l Load) resolve(p *Plan) []error {
	pace, err := l.pace()
	p.Pace = pace
	return []error{err}
}

// pace returns the requested timing method of Server queries.
func (l Load) pace() (string, error) {
	switch l.Pace {
	case "":
		return PaceDefault, nil
	case PaceDefault, PacePrecise:
		return l.Pace, nil
	}
	return "", fmt.Errorf("--pace: %w", suggest.Unknown("pace", l.Pace, []string{PaceDefault, PacePrecise}))
}
