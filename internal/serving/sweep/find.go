package sweep

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/serving/search"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/objective"
	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

// SearchOptions contains the options of a search for the highest load.
type SearchOptions struct {
	Kind arrival.Kind // Rate or Users
	// Start is the first load; 0: one user, or the rate of one user. Most is the maximum number of requests of a trial; 0:
	// limited only by the duration of a point.
	Start       float64
	MaxRequests int
}

const (
	// trialDivisor is the divisor of a point's length for a trial that does not confirm.
	trialDivisor = 4
	// minTrialSize is the minimum number of requests of a trial.
	minTrialSize = 100
	// plannedRatio is the ratio of planned to required requests, because arrivals are random.
	plannedRatio = 1.25
	// minClearRequests is the minimum number of requests to decide that an objective is missed by far.
	minClearRequests = 20
	// maxRate and maxUsers are the maximum loads of a search.
	maxRate, maxUsers = 1e6, 1 << 16
)

// searchLoads runs the search.
func (s *Sweep) searchLoads(ctx context.Context) error {
	began := time.Now()
	f := s.File.Find
	if f == nil {
		f = &sweepfile.LoadSearch{By: s.Find.Kind, Start: s.firstLoad(), Needs: s.minTrialRequests(),
			Trials: []sweepfile.SearchTrial{}}
		s.File.Find = f
	}
	before := f.Took
	look := search.Search{
		Users: f.By == arrival.Users, Start: f.Start, Min: s.minRate(), Max: maxRate, Try: s.runTrial,
		Earlier: s.earlierTrials(),
	}
	if look.Users {
		look.Max = maxUsers
	}
	found, err := look.Run(ctx)
	f.Took = before + time.Since(began).Seconds()
	if err != nil {
		return err
	}
	f.Ended, f.Holds, f.Misses, f.ClientAt, f.Few = string(found.Ended), found.Holds, found.Misses, found.ClientAt,
		found.FewAt
	if f.Found = 0; found.Ended == search.EndedByServer {
		f.Found = found.Holds
	}
	if found.Ended == search.EndedByFew {
		f.Would, f.WouldRequests = s.suggestLonger()
	}
	return checkAllFailed(s.File)
}

// earlierTrials returns the trials that an interrupted search made before.
func (s *Sweep) earlierTrials() (all []search.Trial) {
	for _, t := range s.File.Find.Trials {
		if t.Verdict == "" { // written by an earlier version, which judged differently
			continue
		}
		all = append(all, search.Trial{
			Load:    search.Load{Value: t.Value, Confirms: t.Confirms, Length: max(1, t.Times)},
			Outcome: search.Outcome{Verdict: search.Verdict(t.Verdict), Retry: t.Again, Hopeless: t.Hopeless},
		})
	}
	return all
}

// firstLoad returns the first load of a search: the load in the options, or the rate at which the server answers one
// user.
func (s *Sweep) firstLoad() float64 {
	switch {
	case s.Find.Start > 0:
		return s.Find.Start
	case s.Find.Kind == arrival.Users:
		return 1
	case s.Latency > 0:
		return 1 / s.Latency.Seconds()
	}
	return 1
}

// minTrialRequests returns the minimum number of requests of a trial: enough for at least one request beyond each
// percentile of the objectives.
func (s *Sweep) minTrialRequests() int {
	n := minTrialSize
	for _, all := range s.Objectives.Percentiles() {
		for _, p := range all {
			n = max(n, int(math.Ceil(1/min(p, 1-p)-1e-6)))
		}
	}
	return n
}

// maxTrialTime returns the maximum duration of a trial without warm-up and grace period.
func (s *Sweep) maxTrialTime() time.Duration {
	if s.Base.Duration > 0 {
		return s.Base.Duration
	}
	return arrival.MostDuration
}

// minRate returns the minimum rate that gives enough requests in the maximum time. It returns 0 for users, which have
// no such limit.
func (s *Sweep) minRate() float64 {
	if s.Find.Kind == arrival.Users {
		return 0
	}
	return plannedRatio * float64(s.minTrialRequests()) / s.maxTrialTime().Seconds()
}

// expectedRequests returns the expected number of requests of a load in a time, limited to 10,000.
func (s *Sweep) expectedRequests(p arrival.Pattern, d time.Duration) int {
	n := p.PerSecond * d.Seconds()
	if p.Kind == arrival.Users {
		n = float64(p.Users) * d.Seconds() / max(s.Latency, time.Millisecond).Seconds()
	}
	return int(min(n, 10_000))
}

// planTrial returns the load of a trial. A trial that confirms has the length of a point. Other trials have a quarter
// of that, multiplied by l.Times, and the required number of requests if the duration of a point suffices. longer
// reports whether a longer trial is possible.
func (s *Sweep) planTrial(l search.Load) (p arrival.Pattern, longer bool) {
	p = s.loadAt(s.Find.Kind, l.Value)
	needs := int(math.Ceil(plannedRatio*float64(s.minTrialRequests()))) + 2*p.Users
	whole, part := s.trialLengths(p, needs)
	if l.Confirms {
		part = whole
	}
	part.scaleBy(l.Length)
	p.Duration, p.Requests = min(part.time, whole.time), part.requests
	longer = p.Duration < whole.time || p.Requests < whole.requests
	if most := s.Find.MaxRequests; most > 0 {
		longer = p.Requests < most && p.Duration < whole.time
		if p.Requests == 0 || p.Requests > most {
			p.Requests = most
		}
	} else {
		p.Requests = min(p.Requests, whole.requests)
	}
	return p, longer
}

// trialLength is the length of a trial. The trial ends at the limit that it reaches first. If requests is 0, only the
// time counts.
type trialLength struct {
	time     time.Duration
	requests int
}

func (l *trialLength) scaleBy(n int) {
	l.time *= time.Duration(n)
	l.requests *= n
}

// trialLengths returns the length of a point and that of a trial that does not confirm.
func (s *Sweep) trialLengths(p arrival.Pattern, needs int) (whole, part trialLength) {
	whole = trialLength{s.maxTrialTime(), s.Base.Requests}
	if whole.requests > 0 {
		whole.requests = max(whole.requests, needs)
		return whole, whole
	}
	if s.Base.Duration > 0 {
		takes := time.Duration(float64(needs) / s.perSecond(p) * float64(time.Second))
		return whole, trialLength{time: min(whole.time, max(whole.time/trialDivisor, takes))}
	}
	whole.requests = max(needs, s.expectedRequests(p, arrival.DefaultDuration))
	return whole, trialLength{whole.time, max(needs, s.expectedRequests(p, arrival.DefaultDuration/trialDivisor))}
}

// perSecond returns the expected requests per second of a load.
func (s *Sweep) perSecond(p arrival.Pattern) float64 {
	if p.Kind == arrival.Users {
		return float64(p.Users) / max(s.Latency, time.Millisecond).Seconds()
	}
	return p.PerSecond
}

// runTrial measures a load for a search. It saves the point and the trial together.
func (s *Sweep) runTrial(ctx context.Context, l search.Load) (search.Outcome, error) {
	p, longer := s.planTrial(l)
	number := s.trialNumber(p)
	p.Seed = s.pointSeed(p, number) // trials with the same arrivals would repeat the same random effects
	point, err := s.measureAndSave(ctx, p, number)
	if err != nil {
		return search.Outcome{}, err
	}
	s.File.Points = append(s.File.Points, point.Record)
	if point.Record.Status != record.Complete {
		if err := s.writeFiles(); err != nil {
			return search.Outcome{}, err
		}
		return search.Outcome{}, context.Cause(ctx)
	}
	out := s.judgeTrial(point.Record.Serving, longer)
	s.File.Find.Trials = append(s.File.Find.Trials, sweepfile.SearchTrial{
		Value: l.Value, Verdict: string(out.Verdict), Held: out.Verdict == search.VerdictHeld, Confirms: l.Confirms,
		Times: l.Length,
		Again: out.Retry, Hopeless: out.Hopeless, Point: len(s.File.Points) - 1,
	})
	if err := s.writeFiles(); err != nil {
		return out, err
	}
	if ctx.Err() != nil {
		return out, context.Cause(ctx)
	}
	return out, nil
}

// trialNumber returns the first unused number among the trials of a load.
func (s *Sweep) trialNumber(p arrival.Pattern) (n int) {
	for slices.ContainsFunc(s.File.Points, func(r record.Run) bool { return r.Dir == PointFolderName(p)+trialSuffix(n) }) {
		n++
	}
	return n
}

// judgeTrial returns the outcome of a trial. A client that is late only makes times longer. At a rate, objectives that
// are met anyway are therefore met. Users that a late client holds up send fewer requests than they should, so their
// result does not count.
func (s *Sweep) judgeTrial(served *record.Serving, longer bool) search.Outcome {
	kept := (served.Holds == nil || *served.Holds) && !served.Failed()
	limited := slices.Contains(served.Flags, record.ClientLimited)
	rises := timesRose(served)
	unclear := objective.AnyUnclear(served.Objectives)
	few := served.Figures.Requests < s.minTrialRequests()
	switch {
	case limited && (!kept || rises || served.Load.By == arrival.Users):
		return search.Outcome{Verdict: search.VerdictClient}
	case !kept:
		return s.missedOutcome(served, longer, few)
	case few && !longer:
		return search.Outcome{Verdict: search.VerdictFew}
	case rises:
		return search.Outcome{Verdict: search.VerdictOverloaded, Retry: longer}
	}
	return search.Outcome{Verdict: search.VerdictHeld, Retry: longer && (few || unclear)}
}

// timesRose reports whether times rose during a trial. At a rate above the maximum, the queue keeps growing however
// loose the objectives are. Random growth and shrinkage cancel out over many trials.
func timesRose(served *record.Serving) bool {
	steady := served.Stationarity
	return slices.Contains(served.Flags, record.NotStationary) ||
		served.Load.By == arrival.Rate && steady != nil && steady.Drift != nil && *steady.Drift > metrics.MaxDrift
}

// missedOutcome returns the outcome of a trial that does not meet all objectives.
func (s *Sweep) missedOutcome(served *record.Serving, longer, few bool) search.Outcome {
	clear, low := classifyMissed(served, few)
	out := search.Outcome{Verdict: search.VerdictMissed, Retry: longer && !clear, Hopeless: fastestMissed(served)}
	switch {
	case low && !served.Failed() && !slices.Contains(served.Flags, record.NotStationary):
		out.Verdict, out.Retry = search.VerdictTooLow, longer && few
	case few && !clear && !longer:
		out.Verdict = search.VerdictFew
	}
	return out
}

// classifyMissed reports whether an objective is clearly missed (clear), and whether only throughput objectives are
// missed (low).
func classifyMissed(served *record.Serving, few bool) (clear, low bool) {
	clear, low = served.Failed(), true
	for _, v := range served.Objectives {
		if v.Held {
			continue
		}
		low = low && v.Term.IsThroughput()
		clear = clear || !v.Unclear && (!few || v.Between != nil && served.Figures.Requests >= minClearRequests)
	}
	return clear, low
}

// fastestMissed reports whether even the fastest request missed the limit of an objective.
func fastestMissed(served *record.Serving) bool {
	return slices.ContainsFunc(served.Objectives, func(v objective.Verdict) bool {
		d := served.Figures.Distribution(v.Term.Metric)
		return !v.Held && v.Term.Unit == objective.Nanoseconds && d.N > 0 && !v.Term.Op.Holds(d.Min, v.Term.Value)
	})
}

// assumedMargin is the assumed ratio of a server's maximum rate to a rate at which it meets the objectives.
const assumedMargin = 4

// suggestLonger returns the duration of a point, or the number of requests, that could have decided the search. It
// assumes a rate well below that of the slowest trial. Both are 0 if there is no such suggestion.
func (s *Sweep) suggestLonger() (d time.Duration, requests int) {
	needs := s.minTrialRequests()
	if most := s.Find.MaxRequests; most > 0 && most < needs {
		return 0, needs
	}
	slowest := math.Inf(1)
	for _, t := range s.File.Find.Trials {
		f := s.File.Points[t.Point].Serving.Figures
		if f.OK > 0 && f.WindowNS > 0 {
			slowest = min(slowest, float64(f.OK)/time.Duration(f.WindowNS).Seconds())
		}
	}
	if math.IsInf(slowest, 1) {
		slowest = plannedRatio * float64(needs) / s.maxTrialTime().Seconds()
	}
	d = max(2*s.maxTrialTime(), time.Duration(assumedMargin*plannedRatio*float64(needs)/slowest*float64(time.Second)))
	return roundUp(d), 0
}

// roundUp rounds a duration up to two significant digits in seconds.
func roundUp(d time.Duration) time.Duration {
	seconds := math.Ceil(d.Seconds())
	step := math.Pow(10, max(0, math.Floor(math.Log10(seconds))-1))
	return time.Duration(math.Ceil(seconds/step)*step) * time.Second
}
