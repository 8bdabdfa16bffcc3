package steady

import "slices"

// MinPasses is the number of super-passes that a plateau has at least, and a trend is judged over.
const MinPasses = 4

// The detector's fixed numbers: the level of a significant test, the change below which a trend or a shift does not
// count, and the precision of the mean that the window is long enough for.
const (
	alpha       = 0.05
	minChange   = 0.05
	precision   = 0.05
	confidence  = 1.96
	relaxations = 5
)

// FloorSeconds is the least time of a window, whatever the run is like.
const FloorSeconds = 600.0

// Pass is a super-pass. It contains the records of the requests issued in it, in order of arrival. Times are in
// nanoseconds, on one clock.
type Pass struct {
	Issued     int   // requests, at least 0
	FirstIssue int64 // of the pass's requests
	LastIssue  int64 // the latest, retries included
	LastEvent  int64 // the latest of any kind
	OutTokens  int64 // output tokens after the first chunk of each answer

	TTFT    []float64 // first chunk - issue
	TPOT    []float64 // (complete - first chunk) / tokens after the first chunk
	Latency []float64 // complete - issue
}

// Metric is one of the times in a pass.
type Metric string

// The metrics.
const (
	TTFT    Metric = "ttft"
	TPOT    Metric = "tpot"
	Latency Metric = "latency"
)

// Trajectory is a percentile of a metric over the passes: Of "tpot_p50" is TPOT's 50th percentile of each.
type Trajectory struct {
	Metric     Metric
	Percentile int // 50, 90 or 99
}

// String is the official name, such as "tpot_p50".
func (t Trajectory) String() string {
	return string(t.Metric) + "_p" + map[int]string{50: "50", 90: "90", 99: "99"}[t.Percentile]
}

// gating are the trajectories that decide whether passes are steady.
var gating = []Trajectory{{TPOT, 50}, {TPOT, 90}}

// watched are those whose trend over the rest of a run is reported.
var watched = []Trajectory{{TTFT, 50}, {TTFT, 90}, {TPOT, 50}, {TPOT, 90}}

// Options contains settings that may differ from the official defaults. The zero value means the defaults.
type Options struct {
	Warmup       *int       // passes to crop; nil finds them
	WarmupDriver Trajectory // which trajectory finds them; the zero value is TPOT's 50th percentile
	WarmupBand   float64    // how far from its later level it still counts as ramp; 0 is 0.05
	// the largest is the limit of scatter in a plateau, the others are labels; empty is 0.03, 0.05, 0.08
	ScatterBounds []float64
	Trend         Test // the test of trends; empty is MannKendallHamedRao
	AnyDuration   bool // takes the first plateau, however short
	// Floor is the least time of a window in seconds, whatever the run is like; 0 is FloorSeconds.
	Floor float64
}

func (o Options) withDefaults() Options {
	if o.WarmupDriver.Metric == "" {
		o.WarmupDriver = Trajectory{TPOT, 50}
	}
	if o.WarmupBand == 0 {
		o.WarmupBand = 0.05
	}
	if len(o.ScatterBounds) == 0 {
		o.ScatterBounds = []float64{0.03, 0.05, 0.08}
	}
	if o.Trend == "" {
		o.Trend = MannKendallHamedRao
	}
	if o.Floor == 0 {
		o.Floor = FloorSeconds
	}
	return o
}

// Plateau is the range of passes [Low, High) after the crop.
type Plateau struct {
	Low  int `json:"low"`
	High int `json:"high"`
}

// Report is the detector's report on a run. Its passes are counted after the crop.
type Report struct {
	Warmup int `json:"warmup"` // passes that were cropped
	Passes int `json:"passes"` // that are left

	Found    bool      `json:"found"`
	Reason   string    `json:"reason"` // why no window was found
	Plateaus []Plateau `json:"plateaus"`
	Index    int       `json:"index"` // of the window among the plateaus; -1 where there is none
	// Window is the plateau reported: where Found is false, the longest that was too short. Its fields below are set
	// where Index is at least 0.
	Window   Plateau       `json:"window"`
	Samples  int           `json:"samples"` // requests issued in the window
	Duration Duration      `json:"duration"`
	TTFT     *Distribution `json:"ttft"` // nil without a sample
	TPOT     *Distribution `json:"tpot"`
	Rates    Rates         `json:"rates"`
	Anomaly  Anomaly       `json:"anomaly"`
	// of the watched trajectories, from the window's first pass to the end of the run
	Trends    map[string]Direction `json:"trends"`
	DriftsUp  []string             `json:"drifts_up"` // those of them that rise
	Durations []Duration           `json:"durations"` // of each plateau
}

// Detect finds the steady window of a run by its super-passes, which are in the order of their issue.
func Detect(passes []Pass, o Options) Report {
	o = o.withDefaults()
	all := sortPasses(passes)
	crop := o.rampPasses(all)
	left := all[min(crop, len(all)):]
	r := Report{Warmup: crop, Passes: len(left), Index: -1, Plateaus: left.findPlateaus(o)}
	for _, p := range r.Plateaus {
		r.Durations = append(r.Durations, left.windowDuration(p, o.Floor))
	}
	r.choosePlateau(o)
	if r.Index >= 0 {
		r.Window, r.Duration = r.Plateaus[r.Index], r.Durations[r.Index]
		window := left[r.Window.Low:r.Window.High]
		for _, p := range window {
			r.Samples += p.Issued
		}
		r.TTFT, r.TPOT = window.windowDistribution(TTFT), window.windowDistribution(TPOT)
		r.Rates = window.windowRates()
		r.Anomaly = left.findAnomaly(r.Plateaus[r.Index:])
	}
	r.addTrends(left[r.Window.Low:], o)
	return r
}

// choosePlateau says which plateau is reported: the first that is long enough, or the longest.
func (r *Report) choosePlateau(o Options) {
	if len(r.Plateaus) == 0 {
		r.Reason = "no plateau: no row of four super-passes without trend and with little scatter"
		return
	}
	r.Index = slices.IndexFunc(r.Durations, func(d Duration) bool { return o.AnyDuration || !d.Short() })
	if r.Found = r.Index >= 0; r.Found {
		return
	}
	r.Index = 0
	for i, d := range r.Durations {
		if d.Window > r.Durations[r.Index].Window {
			r.Index = i
		}
	}
	r.Reason = tooShort(r.Durations, r.Index)
}

func (r *Report) addTrends(rest passSeries, o Options) {
	r.Trends = map[string]Direction{}
	for _, t := range watched {
		verdict := o.Trend.Of(rest.trajectoryValues(t)).Direction
		if r.Trends[t.String()] = verdict; verdict == Up {
			r.DriftsUp = append(r.DriftsUp, t.String())
		}
	}
}

// rampPasses is the number of passes that count as ramp.
func (o Options) rampPasses(all passSeries) int {
	if o.Warmup != nil {
		return max(0, *o.Warmup)
	}
	v := all.trajectoryValues(o.WarmupDriver)
	if len(v) < MinPasses {
		return 1
	}
	level := medianOfAny(v[len(v)/2:])
	if level == 0 {
		level = 1e-9
	}
	ramp := 0
	for ramp < max(1, len(v)/2) && abs(v[ramp]-level)/level > o.WarmupBand {
		ramp++
	}
	return max(1, ramp)
}
