// Package feed converts the runs of a command to events. They report what happened and, twice a second while LoadGen
// runs, the measurements so far. A separate goroutine reads LoadGen's records, so the hot path sends nothing.
//
// In scope: events, distributions. Out of scope: delivery (packages events, metrics, otlp and web).
package feed

import (
	"math"
	"time"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// The schema in the first event.
const (
	Schema        = "plumbline.events"
	SchemaVersion = 1
)

// Event is one line of the stream. It has a name, and one field of that name contains its data. docs/live.md describes
// the fields. Times are wall-clock times. Run is the number of the run from 1 on, in the order of the plans.
type Event struct {
	Name string    `json:"event"`
	Time time.Time `json:"time"`
	Run  int       `json:"run,omitempty"`

	Begin        *BeginData        `json:"begin,omitempty"`
	Plan         *PlanData         `json:"plan,omitempty"`
	Open         *OpenData         `json:"open,omitempty"`
	Start        *StartData        `json:"start,omitempty"`
	Progress     *ProgressData     `json:"progress,omitempty"`
	Distribution *DistributionData `json:"distribution,omitempty"`
	Result       *record.Run       `json:"result,omitempty"` // as in result.json
	Note         *NoteData         `json:"note,omitempty"`
	End          *EndData          `json:"end,omitempty"`
}

// The names of events, in the order of a session.
const (
	NameBegin        = "begin"
	NamePlan         = "plan"
	NameOpen         = "open"
	NameStart        = "start"
	NameProgress     = "progress"
	NameDistribution = "distribution"
	NameResult       = "result"
	NameNote         = "note"
	NameEnd          = "end"
)

// BeginData is the first event.
type BeginData struct {
	Schema        string         `json:"schema"`
	SchemaVersion int            `json:"schema_version"`
	Harness       record.Harness `json:"harness"`
	Command       []string       `json:"command"`
}

// PlanData lists the planned runs.
type PlanData struct {
	Out  string        `json:"out"` // folder of results
	Runs []PlannedInfo `json:"runs"`
}

// PlannedInfo is one planned run.
type PlannedInfo struct {
	Run      int    `json:"run"`
	Name     string `json:"name"` // unique among the runs of the command
	Model    string `json:"model"`
	Scenario string `json:"scenario"`
	Mode     string `json:"mode"`           // as in result.json
	Test     string `json:"test,omitempty"` // compliance test
	Dir      string `json:"dir"`            // folder of the log files below the folder of results
}

// OpenData reports that the plugin has opened the workload of a run.
type OpenData struct {
	Workload *record.Workload `json:"workload"` // as in result.json
	Settings []record.Setting `json:"settings"` // as in result.json
}

// StartData reports that LoadGen is about to start, with the limits of the run. Zeros are omitted.
type StartData struct {
	Percentile   float64 `json:"percentile,omitempty"` // percentile of the latency limits, as a fraction
	LimitNS      int64   `json:"latency_limit_ns,omitempty"`
	TTFTLimitNS  int64   `json:"ttft_limit_ns,omitempty"`
	TPOTLimitNS  int64   `json:"tpot_limit_ns,omitempty"`
	MinDurationS float64 `json:"min_duration_s,omitempty"`
	MinQueries   uint64  `json:"min_queries,omitempty"`
}

// ProgressData is the state of a run, with counts since its start and since the last event.
type ProgressData struct {
	Phase       string           `json:"phase"` // loading, warmup, issuing, draining, writing, done
	ElapsedS    float64          `json:"elapsed_s"`
	RemainingS  *float64         `json:"remaining_s,omitempty"` // estimate
	Queries     uint64           `json:"queries"`               // issued
	Issued      uint64           `json:"issued"`                // samples, as are the next fields
	Done        uint64           `json:"done"`
	Outstanding uint64           `json:"outstanding"`
	Read        uint64           `json:"read"` // completed samples that the following figures include
	Tokens      uint64           `json:"tokens,omitempty"`
	OverLimit   uint64           `json:"over_limit,omitempty"`
	Latency     *TimePercentiles `json:"latency,omitempty"`
	TTFT        *TimePercentiles `json:"ttft,omitempty"`
	TPOT        *TimePercentiles `json:"tpot,omitempty"`
	Window      WindowData       `json:"window"`
	Hopeless    string           `json:"hopeless,omitempty"` // reason why the run can only end INVALID
}

// WindowData contains the measurements since the last event.
type WindowData struct {
	FromS         float64          `json:"from_s"`
	ToS           float64          `json:"to_s"`
	QueriesPerSec float64          `json:"queries_per_s"` // issued
	SamplesPerSec float64          `json:"samples_per_s"` // completed
	TokensPerSec  float64          `json:"tokens_per_s,omitempty"`
	Latency       *TimePercentiles `json:"latency,omitempty"`
	QueryLatency  *TimePercentiles `json:"query_latency,omitempty"` // MultiStream
	IssueDelay    *TimePercentiles `json:"issue_delay,omitempty"`   // Server
	TTFT          *TimePercentiles `json:"ttft,omitempty"`
	TPOT          *TimePercentiles `json:"tpot,omitempty"`
}

// TimePercentiles contains percentiles of times. All except the maximum may be up to 1.6 % too large. A *Times is nil
// if there are no times.
type TimePercentiles struct {
	Count uint64 `json:"count"`
	Mean  int64  `json:"mean_ns"`
	P50   int64  `json:"p50_ns"`
	P90   int64  `json:"p90_ns"`
	P99   int64  `json:"p99_ns"`
	P999  int64  `json:"p999_ns"`
	Max   int64  `json:"max_ns"`
	// Target is the percentile at which the run is judged; 0: none.
	Target int64 `json:"target_ns,omitempty"`
	// TooFew names the fields for which Count is too small. They contain the largest or second-largest time.
	TooFew []string `json:"too_few,omitempty"`
}

// DistributionData counts the latencies of all samples read. It is sent at intervals and at the end of a run.
type DistributionData struct {
	// Buckets lists the non-empty buckets in order: from, to, count. A bucket contains times above from and up to to, in
	// ns.
	Buckets [][3]int64 `json:"buckets"`
}

// NoteData is a note to the user.
type NoteData struct {
	Text string `json:"text"`
}

// EndData is the last event.
type EndData struct {
	ExitCode int    `json:"exit_code"`
	Outcome  string `json:"outcome"`         // the exit code's meaning
	Error    string `json:"error,omitempty"` // error that ended the command
}

// toPercentiles returns the percentiles of h. percentile is the target; 0: none.
func toPercentiles(h *Histogram, percentile float64) *TimePercentiles {
	if h.N == 0 {
		return nil
	}
	t := &TimePercentiles{
		Count: h.N, Mean: int64(h.Sum / float64(h.N)), Max: int64(h.Max),
		P50: int64(h.Percentile(0.5)), P90: int64(h.Percentile(0.9)), P99: int64(h.Percentile(0.99)),
		P999: int64(h.Percentile(0.999)),
	}
	if percentile > 0 {
		t.Target = int64(h.Percentile(percentile))
	}
	for _, of := range []struct {
		name string
		p    float64
	}{{"p50_ns", .5}, {"p90_ns", .9}, {"p99_ns", .99}, {"p999_ns", .999}, {"target_ns", percentile}} {
		if of.p > 0 && !metrics.EnoughValues(int(min(h.N, math.MaxInt32)), of.p) {
			t.TooFew = append(t.TooFew, of.name)
		}
	}
	return t
}

// toDistribution returns the counts of h in the buckets of Coarse.
func toDistribution(h *Histogram) *DistributionData {
	d := &DistributionData{Buckets: [][3]int64{}}
	var from, below int64
	bounds := CoarseBounds()
	for i, n := range h.CountUpTo(bounds) {
		if count := int64(n) - below; count > 0 {
			d.Buckets = append(d.Buckets, [3]int64{from, int64(bounds[i]), count})
		}
		from, below = int64(bounds[i]), int64(n)
	}
	if count := int64(h.N) - below; count > 0 {
		d.Buckets = append(d.Buckets, [3]int64{from, int64(h.Max), count})
	}
	return d
}
