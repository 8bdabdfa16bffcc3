// Package arrival determines the times at which requests are sent, either by a schedule made before the clock starts or
// by users who wait for their answers.
//
// In scope: the text forms of loads, due times, lists of points. Out of scope: sending (package engine), and the
// requests (package prompts).
package arrival

import (
	"fmt"
	"time"

	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// Kind is the rule that determines when a request is sent, with its name in records.
type Kind = metrics.LoadKind

// The kinds of load.
const (
	Maximum = metrics.MaximumLoad // all requests are due at once
	Rate    = metrics.RateLoad    // requests arrive at a rate, which may change
	Replay  = metrics.ReplayLoad  // requests arrive at the times of a trace
	Users   = metrics.UsersLoad   // each user waits for an answer, pauses, and sends the next request
)

// Arrival is the distribution of the gaps between requests at a rate.
type Arrival string

// The arrival distributions, with their names on the command line.
const (
	Poisson  Arrival = "poisson"  // exponentially distributed gaps, as in LoadGen's Server
	Constant Arrival = "constant" // equal gaps
	Gamma    Arrival = "gamma"    // gamma-distributed gaps: bursts below shape 1, smoother above
)

// Default limits of a point: it ends when both defaults are reached, or at MostDuration.
const (
	DefaultDuration = time.Minute
	DefaultRequests = 100
	MostDuration    = 10 * time.Minute
)

// NoLimit replaces a limit that LoadGen requires but the user did not set. It is longer than any answer takes.
const NoLimit = metrics.NoLimit

// MostRequests is the maximum number of requests in a schedule. Their times take half a gigabyte.
const MostRequests = 1 << 26

// Pattern is the load of one point.
type Pattern struct {
	Kind Kind

	// For Rate: the distribution of arrivals, the requests per second (unless there are stages), and the shape of Gamma.
	Arrival    Arrival
	PerSecond  float64
	Burstiness float64
	// Stages contains rates that follow one another; nil: the rate is constant.
	Stages []RateStage
	// Ramp is the time of the linear increase from RampFrom to PerSecond, or the time over which Users start, evenly
	// distributed.
	Ramp     time.Duration
	RampFrom float64

	// Users is the number of concurrent users. For other kinds than Users it limits the requests in flight; 0: no limit.
	Users int
	// Think is a user's pause between an answer and the next request.
	Think time.Duration

	// For Replay: the factor of the speed (0: 1), and the part of the trace, relative to its first time. To 0 means its
	// end.
	Speed    float64
	From, To time.Duration

	// Sessions sends the turns of a session one after another. Each turn waits for the previous answer and the user's
	// pause. A rate then counts new sessions.
	Sessions bool

	// Requests and Duration end the sending at the limit that is reached first; 0: no such limit. If both are 0, see
	// DefaultDuration.
	Requests int
	Duration time.Duration

	Seed uint64
}

// RateStage is a constant rate for a period.
type RateStage struct {
	PerSecond float64
	For       time.Duration
}

// Value returns the load as a number: requests per second, users, or 0 for other loads.
func (p Pattern) Value() float64 {
	switch {
	case p.Kind == Users:
		return float64(p.Users)
	case p.Kind == Rate && p.Stages == nil:
		return p.PerSecond
	}
	return 0
}

// Scenario returns the LoadGen scenario with this load: Offline, Server, SingleStream, or "" if there is none.
func (p Pattern) Scenario() string {
	switch {
	case p.Sessions || p.Kind == Replay:
		return ""
	case p.Kind == Maximum:
		return "Offline"
	case p.Kind == Users && p.Users == 1 && p.Think == 0:
		return "SingleStream"
	case p.Kind == Rate && p.Arrival == Poisson && p.Stages == nil && p.Ramp == 0 && p.Users == 0:
		return "Server"
	}
	return ""
}

// Label returns "no LoadGen scenario: closed loop" or a similar text for a load without a LoadGen scenario, and ""
// otherwise.
func (p Pattern) Label() string {
	if p.Scenario() != "" {
		return ""
	}
	return "no LoadGen scenario: " + p.describeLoad()
}

// describeLoad describes a load without a LoadGen scenario.
func (p Pattern) describeLoad() string {
	switch {
	case p.Kind == Users && p.Sessions:
		return "closed loop of sessions"
	case p.Kind == Users:
		return "closed loop"
	case p.Sessions:
		return "sessions of several turns"
	case p.Kind == Replay:
		return "replay of a trace"
	case p.Stages != nil:
		return "rates in stages"
	case p.Ramp > 0:
		return "a rate with a ramp"
	case p.Arrival != Poisson:
		return string(p.Arrival) + " arrivals"
	}
	return fmt.Sprintf("arrivals with at most %d under way", p.Users)
}

// ClosedLoop returns the sentence that accompanies figures of a closed loop; "" for other loads.
func (p Pattern) ClosedLoop() string {
	switch {
	case p.Kind != Users:
		return ""
	case p.Users == 1:
		return "One user waits for answers; when the server is slow it asks less. Latencies are those of one user, not " +
			"of a rate: see the open-loop points."
	}
	return fmt.Sprintf("%d users wait for answers; when the server is slow they ask less. Latencies are those of %d "+
		"users, not of a rate: see the open-loop points.", p.Users, p.Users)
}

// UserStarts returns the users' start times in nanoseconds: evenly distributed over the ramp, or all 0 without a ramp.
func (p Pattern) UserStarts() []int64 {
	starts := make([]int64, p.Users)
	for i := range starts {
		starts[i] = int64(float64(p.Ramp) * float64(i) / float64(p.Users))
	}
	return starts
}

// StagesLast returns the total duration of all stages; 0: no stages.
func (p Pattern) StagesLast() (all time.Duration) {
	for _, s := range p.Stages {
		all += s.For
	}
	return all
}

// MinDuration returns the average time in which the load's rate sends a number of units (requests or sessions); 0: the
// load is not a constant rate.
func (p Pattern) MinDuration(units int) time.Duration {
	if p.Kind != Rate || p.Stages != nil || p.PerSecond <= 0 {
		return 0
	}
	return time.Duration(min(float64(units)/p.PerSecond, 1e9) * float64(time.Second))
}
