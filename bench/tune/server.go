package tune

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
)

// ServerSearch looks for the setting and the rate of Server: the highest VALID rate of the first setting, and of each
// other one if a rate above that is VALID with it.
type ServerSearch struct {
	Bench *Bench
	// Settings are those of a run as it counts; ProbeTime is how long the others take at least, where that is shorter.
	Settings  loadgen.TestSettings
	ProbeTime time.Duration
	// MeasureTime is how long the throughput of a setting is measured that has none.
	MeasureTime time.Duration
	// Next, if not nil, sees what is run before it is; qps 0: the throughput is measured.
	Next func(s Setting, qps float64)
}

// maxQueries bounds the queries of a probe at twice a VALID rate: LoadGen keeps all of them in memory.
const maxQueries = 1 << 20

// step is how much higher a rate must be VALID for another setting to be searched.
const step = 1 + Precision

const (
	// otherProbes bounds the probes of each setting but the first one.
	otherProbes = 5
	// twiceUntil is how long a run is at most of which two must be VALID in a row: some seconds are soon VALID by chance.
	twiceUntil = time.Minute
)

// Run searches the settings, which ServerSettings chose. The throughput of one that has none is measured first. The
// Server that is returned has the trials made, with an error too; without one it has the best setting and its rate, and
// with ErrNoRate none.
func (s ServerSearch) Run(ctx context.Context, settings []Point) (Server, error) {
	out := Server{Limits: LimitsOf(s.Settings), MinDurationMS: s.Settings.MinDuration.Milliseconds()}
	settings, err := s.dropEqual(ctx, settings)
	if err != nil {
		return out, err
	}
	found := 0.0
	for _, p := range settings {
		rate, err := s.findRate(ctx, s.newRateSearch(p.Setting, &out), p, found)
		if err != nil {
			return out, err
		}
		if rate > found {
			found, out.Setting = rate, p.Setting
		}
	}
	s.Bench.Close() // a process of its own, as a run has
	out.TargetQPS, err = s.newRateSearch(out.Setting, &out).ConfirmOrLower(ctx, found)
	return out, err
}

// dropEqual drops settings that come to the same as one before.
func (s ServerSearch) dropEqual(ctx context.Context, settings []Point) ([]Point, error) {
	if len(settings) < 2 {
		return settings, nil
	}
	seen := map[Setting]bool{}
	var left []Point
	for _, p := range settings {
		info, err := s.Bench.Opens(ctx, p.Setting, loadgen.Server)
		if err != nil {
			return nil, err
		}
		effective := p.effectiveSetting(info)
		if !seen[effective] {
			left = append(left, p)
		}
		seen[effective] = true
	}
	return left, nil
}

// effectiveSetting is what a setting came to. Where the backend does not say its threads, they are those of the
// setting.
func (s Setting) effectiveSetting(w sdk.WorkloadInfo) Setting {
	out := Setting{Batch: w.Batch, Sessions: w.Sessions, Threads: s.Threads}
	if n, err := strconv.Atoi(w.BackendInfo[ThreadsOption]); err == nil {
		out.Threads = n
	}
	return out
}

// newRateSearch is the search with a setting, whose runs go to out.
func (s ServerSearch) newRateSearch(p Setting, out *Server) RateSearch {
	r := RateSearch{
		Probe: s.newTrial(p, s.probeSettings(), false), Confirm: s.newTrial(p, s.Settings, true),
		Report: func(t Trial) { out.Trials = append(out.Trials, t) },
		Most:   maxQueries / max(s.probeSettings().MinDuration, time.Second).Seconds(),
	}
	if s.Settings.MinDuration <= twiceUntil {
		r.Confirmations = 2
	}
	return r
}

// findRate is the highest VALID rate of a setting, 0 where it is not above the one that was found.
func (s ServerSearch) findRate(ctx context.Context, search RateSearch, p Point, found float64) (float64, error) {
	bound := p.SamplesPerSecond
	if !(bound > 0) {
		if s.Next != nil {
			s.Next(p.Setting, 0)
		}
		var err error
		if bound, err = s.Bench.Measure(ctx, p.Setting, s.MeasureTime); err != nil {
			return 0, err
		}
	}
	if found == 0 {
		return search.Find(ctx, bound, 0)
	}
	search.Probes = otherProbes
	t, err := search.tryRate(ctx, search.Probe, step*found)
	if err != nil || !t.Valid {
		return 0, err
	}
	return search.Find(ctx, bound, step*found)
}

// newTrial is a run with a setting.
func (s ServerSearch) newTrial(p Setting, t loadgen.TestSettings, confirms bool) Try {
	return func(ctx context.Context, qps float64) (Trial, error) {
		if s.Next != nil {
			s.Next(p, qps)
		}
		t.ServerTargetQPS = qps
		res, err := repeatPaused(func() (*loadgen.Result, error) { return s.Bench.Serve(ctx, p, t) })
		if err != nil {
			return Trial{}, err
		}
		out := Trial{
			Setting: p, TargetQPS: qps, Valid: res.Verdict == loadgen.Valid, Reason: firstReason(res.Reasons),
			Confirms: confirms,
		}
		out.LatencyMS = float64(res.TargetPercentile.Latency) / float64(time.Millisecond)
		if res.Capacity != nil {
			out.Estimate = res.Capacity.QPS
		}
		return out, nil
	}
}

// maxAttempts bounds how often a run is done.
const maxAttempts = 4

// repeatPaused does a run again in which the machine stood still: it says nothing of a rate.
func repeatPaused(run func() (*loadgen.Result, error)) (res *loadgen.Result, err error) {
	for range maxAttempts {
		if res, err = run(); err != nil || len(res.Pauses) == 0 {
			break
		}
	}
	return res, err
}

// firstReason is the first of the reasons of an INVALID run: where it was ended early, why that was.
func firstReason(all []loadgen.Reason) string {
	if len(all) == 0 {
		return ""
	}
	first := all[0]
	text := fmt.Sprintf("%s: %s", first.Rule, first.Measured)
	if first.Rule != aborted {
		text += "; needed: " + first.Needed
	}
	return text
}

// aborted is the rule of a run that did not come to its end: what it needed is an end.
const aborted = "aborted"

// probeSettings are the settings of the runs that are not confirmed: the limits of latency, and as many queries as tell
// whether their percentile is met.
func (s ServerSearch) probeSettings() loadgen.TestSettings {
	t := s.Settings
	t.MinDuration = min(t.MinDuration, s.ProbeTime)
	if share := 1 - t.ServerTargetLatencyPercentile; share > 0 {
		t.MinQueryCount = min(t.MinQueryCount, uint64(late/share)+1)
	}
	return t
}

// late is how many queries of a probe may miss the limit: fewer than that tell little, and early stopping forgives none
// of less than half as many.
const late = 10

// ServerSettings are the settings of the grid that are worth a search of the Server rate, of points sorted best first:
// the fastest one whose batches take no more than half of the time in which an answer is due, and the plugin's own
// choice, which may be another one in Server than it was in Offline; that one alone where nothing was measured.
func ServerSettings(points []Point, due time.Duration) []Point {
	var own, quick, measured []Point
	for _, p := range points {
		switch {
		case !(p.SamplesPerSecond > 0):
			continue
		case p.Setting == Setting{}:
			own = []Point{p}
		case p.batchTime() <= due/2 && quick == nil:
			quick = []Point{p}
		}
		measured = append(measured, p)
	}
	switch all := append(quick, own...); {
	case len(all) > 0:
		return all
	case len(measured) > 0:
		return measured[:1]
	}
	return []Point{{}}
}

// batchTime is how long a batch is in work, where all sessions are.
func (p Point) batchTime() time.Duration {
	together := float64(max(p.Batch, 1) * max(p.Sessions, p.Requests, 1))
	return time.Duration(together / p.SamplesPerSecond * float64(time.Second))
}
