package steady

import "slices"

// MinPasses is the minimum number of super-passes in a plateau and in a test of trends.
const MinPasses = 4

// The detector's constants: the significance level of tests, the minimum relative change of a trend or a shift that
// counts, and the required precision of the mean.
const (
	alpha          = 0.05
	minChange      = 0.05
	meanPrecision  = 0.05
	normalQuantile = 1.96
	relaxations    = 5
)

// FloorSeconds is the default of Options.Floor, the minimum duration of every window.
const FloorSeconds = 600.0

// Pass is a super-pass. It contains the records of the requests issued in it, in order of arrival. Times are in
// nanoseconds, on one clock.
type Pass struct {
	Issued     int   // requests, 0 or more
	FirstIssue int64 // first issue of the pass's requests
	LastIssue  int64 // latest issue, including retries
	LastEvent  int64 // latest event of any kind
	OutTokens  int64 // output tokens after the first chunk of each answer

	TTFT    []float64 // first chunk - issue
	TPOT    []float64 // (complete - first chunk) / tokens after the first chunk
	Latency []float64 // complete - issue
}

// Metric names one of the times in a pass.
type Metric string

// The metrics.
const (
	TTFT    Metric = "ttft"
	TPOT    Metric = "tpot"
	Latency Metric = "latency"
)

// Trajectory is a percentile of a metric in each pass. For example, "tpot_p50" is the 50th percentile of TPOT.
type Trajectory struct {
	Metric     Metric
	Percentile int // 50, 90 or 99
}

// String returns the official name, such as "tpot_p50".
func (t Trajectory) String() string {
	return string(t.Metric) + "_p" + map[int]string{50: "50", 90: "90", 99: "99"}[t.Percentile]
}

// gatingTrajectories lists the trajectories that decide whether passes are steady.
var gatingTrajectories = []Trajectory{{TPOT, 50}, {TPOT, 90}}

// watchedTrajectories lists the trajectories whose trend over the rest of a run is reported.
var watchedTrajectories = []Trajectory{{TTFT, 50}, {TTFT, 90}, {TPOT, 50}, {TPOT, 90}}

// Options contains settings that can differ from the official defaults. The zero value selects the defaults.
type Options struct {
	Warmup       *int       // passes to crop; nil: determined from the run
	WarmupDriver Trajectory // trajectory that determines the crop; the zero value is TPOT's 50th percentile
	WarmupBand   float64    // minimum relative distance of the ramp from the later level; 0: 0.05
	// The largest bound is the maximum scatter of a plateau; the others are labels. Empty: 0.03, 0.05, 0.08.
	ScatterBounds []float64
	Trend         Test // test of trends; empty: MannKendallHamedRao
	AnyDuration   bool // select the first plateau of any duration
	// Floor is the minimum duration of every window in seconds; 0: FloorSeconds.
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

// Plateau is the range of passes [Low, High), counted after the crop.
type Plateau struct {
	Low  int `json:"low"`
	High int `json:"high"`
}

// Report is the detector's report on a run. Its pass numbers count after the crop.
type Report struct {
	Warmup int `json:"warmup"` // cropped passes
	Passes int `json:"passes"` // passes after the crop

	Found    bool      `json:"found"`
	Reason   string    `json:"reason"` // why no window was found
	Plateaus []Plateau `json:"plateaus"`
	Index    int       `json:"index"` // index of the window among the plateaus; -1: none
	// Window is the reported plateau. If Found is false, it is the longest plateau, which is too short. The fields below
	// it are set if Index is 0 or more.
	Window   Plateau       `json:"window"`
	Samples  int           `json:"samples"` // requests issued in the window
	Duration Duration      `json:"duration"`
	TTFT     *Distribution `json:"ttft"` // nil: no values
	TPOT     *Distribution `json:"tpot"`
	Rates    Rates         `json:"rates"`
	Anomaly  Anomaly       `json:"anomaly"`
	// trends of the watched trajectories from the window's first pass to the end of the run
	Trends    map[string]Direction `json:"trends"`
	DriftsUp  []string             `json:"drifts_up"` // rising trajectories among them
	Durations []Duration           `json:"durations"` // by plateau
}

// Detect finds the steady window of a run from its super-passes in order of issue.
func Detect(passes []Pass, o Options) Report {
	o = o.withDefaults()
	all := rankPasses(passes, o.WarmupDriver)
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

// choosePlateau selects the reported plateau: the first that is long enough, or else the longest.
func (r *Report) choosePlateau(o Options) {
	if len(r.Plateaus) == 0 {
		r.Reason = "no plateau: no row of four super-passes without trend and with little scatter"
		return
	}
	r.Index = slices.IndexFunc(r.Durations, func(d Duration) bool { return o.AnyDuration || !d.IsShort() })
	if r.Found = r.Index >= 0; r.Found {
		return
	}
	r.Index = 0
	for i, d := range r.Durations {
		if d.Window > r.Durations[r.Index].Window {
			r.Index = i
		}
	}
	r.Reason = tooShortText(r.Durations, r.Index)
}

func (r *Report) addTrends(rest passSeries, o Options) {
	r.Trends = map[string]Direction{}
	for _, t := range watchedTrajectories {
		verdict := o.Trend.Of(rest.trajectoryValues(t)).Direction
		if r.Trends[t.String()] = verdict; verdict == Up {
			r.DriftsUp = append(r.DriftsUp, t.String())
		}
	}
}

// rampPasses returns the number of passes that belong to the ramp.
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
