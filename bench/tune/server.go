package tune

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
)

// ServerSearch finds the setting and the rate of Server: the highest VALID rate of the first setting, and of each other
// setting that is VALID at a higher rate.
type ServerSearch struct {
	Bench *Bench
	// Settings contains the settings of a run of full length. ProbeTime is the minimum duration of the other runs, if it
	// is shorter.
	Settings  loadgen.TestSettings
	ProbeTime time.Duration
	// MeasureTime is the duration of the measurement of a setting without a known throughput.
	MeasureTime time.Duration
	// Next, if not nil, is called before each run; qps 0 means that the run measures the throughput.
	Next func(s Setting, qps float64)
}

// maxQueries is the maximum number of queries of a probe at twice a VALID rate, because LoadGen keeps all queries in
// memory.
const maxQueries = 1 << 20

// minImprovement is the factor by which a higher rate must be VALID before another setting is searched.
const minImprovement = 1 + Precision

const (
	// otherProbes is the maximum number of probes of each setting except the first.
	otherProbes = 5
	// maxTwiceDuration is the maximum duration of runs of which two consecutive ones must be VALID: a run of a few seconds
	// can be VALID by chance.
	maxTwiceDuration = time.Minute
)

// Run searches the settings, which ServerSettings returned. It first measures the throughput of settings without one.
// The result contains all trials, even with an error. Without an error it also contains the best setting and its rate;
// if no rate was VALID, the error is ErrNoRate.
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
	s.Bench.Close() // the final run has a new process, like a run of harness run
	out.TargetQPS, err = s.newRateSearch(out.Setting, &out).ConfirmOrLower(ctx, found)
	return out, err
}

// dropEqual removes settings with the same effect as an earlier one.
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

// effectiveSetting returns the setting that the workload uses. If the backend does not report its threads, they are
// those of s.
func (s Setting) effectiveSetting(w sdk.WorkloadInfo) Setting {
	out := Setting{Batch: w.Batch, Sessions: w.Sessions, Threads: s.Threads}
	if n, err := strconv.Atoi(w.BackendInfo[ThreadsOption]); err == nil {
		out.Threads = n
	}
	return out
}

// newRateSearch returns the search of the rate with a setting. It appends the trials to out.
func (s ServerSearch) newRateSearch(p Setting, out *Server) RateSearch {
	r := RateSearch{
		Probe: s.newTrial(p, s.probeSettings(), false), Confirm: s.newTrial(p, s.Settings, true),
		Report: func(t Trial) { out.Trials = append(out.Trials, t) },
		Most:   maxQueries / max(s.probeSettings().MinDuration, time.Second).Seconds(),
	}
	if s.Settings.MinDuration <= maxTwiceDuration {
		r.Confirmations = 2
	}
	return r
}

// findRate returns the highest VALID rate of a setting, or 0 if it is not above the rate found so far.
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
	t, err := search.tryRate(ctx, search.Probe, minImprovement*found)
	if err != nil || !t.Valid {
		return 0, err
	}
	return search.Find(ctx, bound, minImprovement*found)
}

// newTrial returns a function that runs a trial with a setting.
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

// maxAttempts is the maximum number of repetitions of a run.
const maxAttempts = 4

// repeatPaused repeats a run during which the machine paused, because such a run reveals nothing about a rate.
func repeatPaused(run func() (*loadgen.Result, error)) (res *loadgen.Result, err error) {
	for range maxAttempts {
		if res, err = run(); err != nil || len(res.Pauses) == 0 {
			break
		}
	}
	return res, err
}

// firstReason returns the first reason of an INVALID run or, if the run stopped early, the reason for that.
func firstReason(all []loadgen.Reason) string {
	if len(all) == 0 {
		return ""
	}
	first := all[0]
	text := fmt.Sprintf("%s: %s", first.Rule, first.Measured)
	if first.Rule != abortedRule {
		text += "; needed: " + first.Needed
	}
	return text
}

// abortedRule is the rule that a run which did not finish violates.
const abortedRule = "aborted"

// probeSettings returns the settings of the short runs: the latency limits, and enough queries to determine whether the
// limits' percentile is met.
func (s ServerSearch) probeSettings() loadgen.TestSettings {
	t := s.Settings
	t.MinDuration = min(t.MinDuration, s.ProbeTime)
	if share := 1 - t.ServerTargetLatencyPercentile; share > 0 {
		t.MinQueryCount = min(t.MinQueryCount, uint64(maxLateQueries/share)+1)
	}
	return t
}

// maxLateQueries is the number of queries of a probe that may miss the limit. Fewer would reveal little, and below half
// this number early stopping tolerates no misses.
const maxLateQueries = 10

// ServerSettings returns the settings for the search of the Server rate, from points sorted by speed: the fastest
// setting whose batches take no more than half of the time limit, and the plugin's own choice, which may differ between
// Server and Offline. If no setting was measured, it returns only the plugin's choice.
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

// batchTime returns the time that a batch takes while all sessions are busy.
func (p Point) batchTime() time.Duration {
	together := float64(max(p.Batch, 1) * max(p.Sessions, p.Requests, 1))
	return time.Duration(together / p.SamplesPerSecond * float64(time.Second))
}
