package record

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// ModeServing is the mode of a run that measures a server without a benchmark.
const ModeServing = "serving"

// Serving contains the measurements of a language-model server without a benchmark, at one load: a point of a sweep.
type Serving struct {
	Load ServingLoad `json:"load"`
	// Label describes a load without a LoadGen scenario: "no LoadGen scenario: closed loop". Sentence accompanies all
	// displayed figures of a closed loop.
	Label    string `json:"label,omitempty"`
	Sentence string `json:"closed_loop,omitempty"`

	Server ServingServer `json:"server"`
	Asked  ServingAsked  `json:"asked"`

	Figures *metrics.Figures `json:"figures"`
	// Ended is the reason for the point's end: "requests", "duration", "interrupt", or EndedByErrors if too many requests
	// failed or there was no good answer.
	Ended string `json:"ended,omitempty"`
	// Faults contains the error messages of failed requests, most frequent first.
	Faults []ServingFault `json:"faults,omitempty"`
	// Holds reports whether the point meets all objectives; absent without objectives. Objectives lists them with their
	// verdicts.
	Holds      *bool                 `json:"holds,omitempty"`
	Objectives []metrics.TermVerdict `json:"objectives,omitempty"`
	// Client is the client's load. Stationarity states whether times still rose at the end. Both are absent if not
	// measured.
	Client       *ServingClient        `json:"client,omitempty"`
	Stationarity *metrics.Stationarity `json:"stationarity,omitempty"`
	// Replay is the result of recorded conversations; absent without them.
	Replay *Replay `json:"replay,omitempty"`
	// Told contains the server's own metrics, and Energy the consumption of its accelerators; absent if not available.
	Told   *ServingTold   `json:"told,omitempty"`
	Energy *ServingEnergy `json:"energy,omitempty"`
	// Flags lists doubts about the point and limits that it misses, a phrase each: ClientLimited, NotStationary, "misses
	// p99 ttft < 500ms".
	Flags []string `json:"flags"`
}

// The doubts that prevent a point from being the best of a sweep.
const (
	ClientLimited = "client-limited" // the figures may describe the client
	NotStationary = "not stationary" // the server was overloaded: the figures depend on the duration
)

// Doubted reports whether the point is unreliable.
func (s *Serving) Doubted() bool { return len(s.Doubts()) > 0 }

// Doubts returns the flags that make the point unreliable.
func (s *Serving) Doubts() []string {
	var limits []string
	for _, flag := range s.Flags {
		if flag == ClientLimited || flag == NotStationary {
			limits = append(limits, flag)
		}
	}
	return limits
}

// ServingFault is a fault shared by several failed requests.
type ServingFault struct {
	Status metrics.Status `json:"status"`
	Text   string         `json:"text"` // the error message of the first request with the fault
	Number int            `json:"number"`
}

// ServingLoad describes the load of a point.
type ServingLoad struct {
	By    metrics.LoadKind `json:"by"`
	Value float64          `json:"value,omitempty"` // users, or requests per second; 0 if the load has no number
	// Arrival is the distribution of arrivals at a rate. Think is the users' think time in seconds. Cap is the maximum
	// number of requests in flight at a rate.
	Arrival string  `json:"arrival,omitempty"`
	Think   float64 `json:"think_s,omitempty"`
	Cap     int     `json:"at_most,omitempty"`
}

// ServingServer is a server's description of itself.
type ServingServer struct {
	URLs      []string `json:"urls"`
	Kind      string   `json:"kind"` // vllm, sglang, trtllm, llamacpp, openai, other
	Version   string   `json:"version,omitempty"`
	Model     string   `json:"model"`
	MaxLength int      `json:"max_length,omitempty"` // maximum tokens of a prompt and its answer
}

// ServingAsked describes the requests.
type ServingAsked struct {
	API    string `json:"api"`
	Data   string `json:"data,omitempty"` // path of the file
	ISL    string `json:"isl,omitempty"`  // as the user wrote it
	OSL    string `json:"osl,omitempty"`
	Prefix string `json:"prefix,omitempty"`
	Whole  bool   `json:"not_streamed,omitempty"`
	// Seed is the user's seed. PointSeed is the seed of the point's prompts and times.
	Seed      uint64 `json:"seed"`
	PointSeed uint64 `json:"point_seed"`
	// Sent is the number of requests sent, including the warm-up. Later points do not use their rows of the data.
	Sent int `json:"sent,omitempty"`
}

// ServingTold contains a server's own metrics during a measurement, under the engine-independent names of the harness's
// package scrape. Times are in seconds.
type ServingTold struct {
	// Engine is the engine whose metric names the server uses: vllm, sglang, trtllm or llamacpp; empty: unknown.
	Engine     string                 `json:"engine,omitempty"`
	Counters   map[string]float64     `json:"counters,omitempty"` // increases during the measurement
	Gauges     map[string]Gauge       `json:"gauges,omitempty"`
	Histograms map[string]SecondsTold `json:"histograms,omitempty"`
	// Restarted reports that a counter fell because the server restarted. The counters then count from the restart.
	Restarted bool `json:"restarted,omitempty"`
}

// Gauge summarizes a value over time.
type Gauge struct {
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
}

// SecondsTold summarizes a distribution of times in seconds, with the precision of the server's buckets.
type SecondsTold struct {
	Count float64 `json:"count"`
	Mean  float64 `json:"mean_s"`
	P50   float64 `json:"p50_s"`
	P99   float64 `json:"p99_s"`
}

// ServingEnergy is the consumption of the accelerators in the time window, measured by their own meters. It is an
// informal measurement.
type ServingEnergy struct {
	Watts      float64 `json:"mean_w"`
	Joules     float64 `json:"joules"`
	PerToken   float64 `json:"joules_per_token,omitempty"` // of the answers; 0: tokens were not counted
	PerRequest float64 `json:"joules_per_request,omitempty"`
}

// ServingClient describes the client's load during a point. If the client is the limit, the figures describe the
// client.
type ServingClient struct {
	// CPU is the processor time of the client's process in seconds. Share is its share of the capacity of Cores, 0 to 1; 0
	// if unknown to the system.
	CPU   float64 `json:"cpu_s"`
	Cores int     `json:"cores"`
	Share float64 `json:"cpu_share"`
	// QueueP99 is the 99th percentile of the delay between due time and sending. ReadP99 is the 99th percentile of each
	// request's longest time between a read and its record.
	QueueP99 int64 `json:"queue_p99_ns"`
	ReadP99  int64 `json:"read_p99_ns"`
	// GCs is the number of garbage collections, GCPause the total time of their pauses, and GCLongest the longest pause.
	GCs       int   `json:"gcs"`
	GCPause   int64 `json:"gc_pause_ns"`
	GCLongest int64 `json:"gc_longest_ns"`
	Retries   int64 `json:"retries,omitempty"` // number of requests that were sent again
}

// EndedByErrors is the value of Ended for a point at which the server failed.
const EndedByErrors = "errors"

// Failed reports whether the server failed at the point: too many requests failed, or there was no good answer.
func (s *Serving) Failed() bool { return s.Ended == EndedByErrors || s.Unanswered() }

// Unanswered reports whether there were requests but no good answer.
func (s *Serving) Unanswered() bool {
	return s.Figures != nil && s.Figures.OK == 0 && s.Figures.Requests > 0
}

// pointVerdict returns the verdict of a point that finished. It requires an answer; the objectives, if there are any,
// determine the verdict.
func (s *Serving) pointVerdict() (string, exitcode.Code) {
	switch {
	case s.Replay == nil && s.Failed():
		return "FAILED", exitcode.Plugin
	case s.Holds == nil:
		return "measured", exitcode.Valid
	case *s.Holds:
		return "HOLDS", exitcode.Valid
	}
	return "MISSES", exitcode.Invalid
}

// headlineResult returns the headline: the latency of a replay, or else tokens per second, or else requests per second.
// ok is false if nothing was measured.
func (s *Serving) headlineResult(r Run) (f Figure, ok bool) {
	if s.Replay != nil {
		return s.Replay.meanLatency()
	}
	for _, wanted := range []metric.Info{metric.TokensPerSecond, metric.RequestsPerSecond} {
		for _, m := range r.runFigures() {
			if m.Name == wanted.Name {
				return figureOf(m.Info, m.Value), true
			}
		}
	}
	return f, false
}

// judgedObjectives returns the objectives and the result.
func (s *Serving) judgedObjectives(r Run) []Judged {
	var all []Judged
	for _, v := range s.Objectives {
		if v.Measured == nil {
			continue
		}
		value, limit, unit := *v.Measured, v.Term.Value, v.Term.Unit
		switch unit {
		case metrics.Nanoseconds:
			value, limit, unit = value/nsPerMilli, limit/nsPerMilli, metric.Millis
		case metrics.Share:
			value, limit, unit = 100*value, 100*limit, "%"
		}
		name := v.Term.Metric
		if v.Term.Stat != metrics.Whole {
			name = v.Term.Stat + " " + name
		}
		j := Judged{Figure: figureOf(metric.Info{Title: name, Unit: unit}, value), Limit: limit, Better: sdk.HigherBetter}
		if strings.HasPrefix(string(v.Term.Op), "<") {
			j.Better = sdk.LowerBetter
		}
		all = append(all, j)
	}
	if f, ok := s.headlineResult(r); ok {
		all = append(all, Judged{Figure: f})
	}
	return all
}

// headlineText returns the result, with the load as a remark.
func (s *Serving) headlineText(r Run) (value string, remarks []string) {
	if s.Replay != nil {
		return s.Replay.headlineText(r.Took)
	}
	f, ok := s.headlineResult(r)
	if !ok {
		return "", nil
	}
	remarks = []string{s.Load.String()}
	if s.Figures != nil {
		text := figure.Plural(s.Figures.Requests, "request")
		if r.Took != "" {
			text += " in " + r.Took
		}
		remarks = append(remarks, text)
	}
	return f.String(), remarks
}

// String returns the load: "16 users", "5 requests/s", "all at once".
func (l ServingLoad) String() string {
	switch value := figure.Short(l.Value); l.By {
	case metrics.UsersLoad:
		return figure.Plural(int(l.Value), "user")
	case metrics.RateLoad:
		return value + " requests/s"
	case metrics.MaximumLoad:
		return "all at once"
	}
	return string(l.By)
}

// Compare orders loads for the display of sweeps: users, rates, all at once, each in ascending order.
func (l ServingLoad) Compare(m ServingLoad) int {
	return cmp.Or(cmp.Compare(m.By, l.By), cmp.Compare(l.Value, m.Value)) // reverse alphabetical order
}

// otherFigures returns the figures that are not statistics of times, except the headline.
func (s *Serving) otherFigures(r Run) []Judged {
	var all []Judged
	first, _ := s.headlineResult(r)
	for _, m := range r.runFigures() {
		switch {
		case m.Unit == metric.Millis || m.Title == first.Name:
		case m.Unit == "" && m.Name != metric.Concurrency.Name:
			all = append(all, Judged{Figure: countFigure(m.Info, uint64(max(0, m.Value)))})
		default:
			all = append(all, Judged{Figure: figureOf(m.Info, m.Value)})
		}
	}
	return all
}

// About returns the text that accompanies the figures: the description of the load and, for a closed loop, its meaning.
func (s *Serving) About() string { return strings.Join(nonEmpty(s.Label, s.Sentence), ". ") }

// addFacts adds the server and the requests.
func (s *Serving) addFacts(add func(name, value string)) {
	add("server", strings.Join(nonEmpty(strings.Join(s.Server.URLs, ", "), s.Server.Kind, s.Server.Version), ", "))
	add("model", s.Server.Model)
	asked := []string{s.Asked.API, s.Asked.Data}
	for _, length := range []struct{ text, way string }{{s.Asked.ISL, " in"}, {s.Asked.OSL, " out"}} {
		if length.text != "" {
			asked = append(asked, length.text+length.way)
		}
	}
	if s.Replay == nil { // a replay draws no lengths
		asked = append(asked, fmt.Sprintf("seed %d", s.Asked.Seed))
	}
	add("asked", strings.Join(nonEmpty(asked...), ", "))
}
