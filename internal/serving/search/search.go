// Package search finds the highest load at which a server meets its objectives, and reports whether the server, the
// client or a lack of data ended the search.
//
// In scope: the choice of loads, the number of trials, the result. Out of scope: measuring and judging a load (the
// callback).
package search

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
)

// Load is the load of a trial.
type Load struct {
	Value float64 // requests per second, or users
	// Confirms reports whether the trial has the full length of a point that counts.
	Confirms bool
	// Length is the length of the trial as a multiple of the usual length: 1, then 2, 4 and so on while the result is
	// uncertain.
	Length int
}

// Verdict is a trial's verdict on its load.
type Verdict string

// The verdicts. A load whose figures meet all objectives is never Missed. A result that the client may have caused is
// never blamed on the server.
const (
	VerdictHeld       Verdict = "held"         // all objectives are met
	VerdictTooLow     Verdict = "too low"      // only a minimum throughput is missed, which a higher load may reach
	VerdictMissed     Verdict = "missed"       // an objective is missed, and the client is not the cause
	VerdictOverloaded Verdict = "overloaded"   // the figures meet all objectives and worsen over time
	VerdictClient     Verdict = "client"       // no objective is met for certain, and the client may be the cause
	VerdictFew        Verdict = "few requests" // too few requests in the maximum time of a trial to decide
)

// Outcome is the outcome of a trial.
type Outcome struct {
	Verdict Verdict
	// Retry reports whether a longer trial is possible and would be more certain.
	Retry bool
	// Hopeless reports that even the fastest request missed an objective. Lower loads then cannot meet it either, unless
	// requests wait for each other.
	Hopeless bool
}

// Trial is a completed trial.
type Trial struct {
	Load
	Outcome
}

// Search finds the highest load that holds. It doubles the load until a load does not hold, then narrows the range
// between the two until it is smaller than the precision. Trials of full length then confirm both ends, the load that
// holds and the next one that does not. If an end is not confirmed, it moves and the search continues.
type Search struct {
	// Try measures a load. Its error ends the search.
	Try func(ctx context.Context, l Load) (Outcome, error)
	// Users states that loads are numbers of users, so whole numbers.
	Users bool
	// Start is the first load, above 0; 0: start at 1.
	Start float64
	// Least and Most are the minimum and the maximum load; 0: 1 for users, otherwise no limit.
	Min, Max float64
	// Earlier contains earlier trials. The search uses their outcomes and does not repeat them.
	Earlier []Trial
}

// EndReason states why a search ended.
type EndReason string

// The reasons for the end of a search.
const (
	EndedByServer EndReason = "server" // the server holds the load Holds, and does not hold Misses
	EndedByClient EndReason = "client" // the client is the bottleneck from ClientAt on; the server holds at least Holds
	EndedByFew    EndReason = "data"   // there are too few requests to decide
	EndedByMax    EndReason = "most"   // the server holds the maximum load
	EndedByNone   EndReason = "none"   // the server holds none of the loads
)

// SearchResult is the result of a search.
type SearchResult struct {
	Ended EndReason // empty: the search ended with an error
	// Holds is the highest load that holds. Misses is the lowest load above it that the server does not hold. ClientAt is
	// the load from which on the client is the bottleneck. 0: none.
	Holds, Misses, ClientAt float64
	// FewAt is the load with too few requests; 0: none.
	FewAt float64
	// Trials contains all trials of the search in their order.
	Trials []Trial
}

const (
	// Precision is the maximum relative distance between the found load and the true limit.
	Precision = 0.03
	// widePrecision replaces Precision next to a load with too few requests, because lower loads have even fewer.
	widePrecision = 0.5
	// minProof is the required surplus of trials that confirm an end over trials that contradict it. A surplus is required
	// because other programs on the machine occasionally spoil a trial. At the upper end, trials count at loads up to
	// maxAbove higher, as a share of the load.
	minProof = 4
	maxAbove = 0.5
	// maxBelow is the same share for the lower end. A small share is enough there, because hardly any trial holds by
	// chance.
	maxBelow = 0.05
	// tries is the maximum number of trials of a load while the client is the bottleneck. maxClientLoads is the maximum
	// number of such loads, going down.
	maxClientTrials, maxClientLoads = 4, 2
	// maxClientShare is the maximum share of trials with the client as the bottleneck, among the trials up to the load
	// that the server does not hold. Above it, the other trials do not describe the server.
	maxClientShare = 0.25
	// maxSpoiltTrials is the maximum number of trials with the client as the bottleneck. Proving the load that holds can
	// add as many again.
	maxSpoiltTrials = 24
	// maxLoads is the maximum number of tried loads, and maxTimes the maximum length of a trial as a multiple of the usual
	// one.
	maxLoads, maxTimes = 48, 64
	// maxFewLoads is the maximum number of loads with too few requests, each twice the previous one.
	maxFewLoads = 4
)

// Run runs the search. If an error ends it, Found contains the trials so far.
func (s Search) Run(ctx context.Context) (SearchResult, error) {
	r := &searchState{Search: s, earlier: slices.Clone(s.Earlier)}
	r.Start = cmp.Or(max(s.Start, 0), 1)
	if r.Users {
		r.Min = max(1, math.Ceil(r.Min))
	}
	for range maxLoads {
		next, ended := r.nextLoad()
		if ended == "" && r.countClientTrials() >= maxSpoiltTrials {
			next, ended = r.settleSpoilt()
		}
		if ended != "" {
			r.setResult(ended)
			return r.found, nil
		}
		if err := r.measureLoad(ctx, next); err != nil {
			r.setResult("")
			return r.found, err
		}
	}
	r.setResult(EndedByFew)
	return r.found, nil
}

// triedLoad is a tried load. Its outcome is the outcome of the majority of its trials, or of the last trial in a tie.
type triedLoad struct {
	value float64
	Outcome
	confirmed     bool // a trial of full length had this outcome
	held, refused int  // numbers of trials
}

// isTied reports whether as many trials held as did not.
func (e *triedLoad) isTied() bool {
	return e.held > 0 && e.held == e.refused && e.Verdict != VerdictClient && e.Verdict != VerdictFew
}

// addOutcome adds the outcome of a trial.
func (e *triedLoad) addOutcome(out Outcome, confirms bool) {
	switch out.Verdict {
	case VerdictHeld, VerdictTooLow:
		e.held++
	case VerdictMissed, VerdictOverloaded:
		e.refused++
	default: // undecided
		e.Outcome = out
		return
	}
	e.confirmed = e.confirmed || confirms
	if e.Verdict == "" || e.held == e.refused || e.held > e.refused == out.holds() {
		e.Outcome = out
	}
}

// holds reports whether the search continues above the load.
func (o *Outcome) holds() bool { return o.Verdict == VerdictHeld || o.Verdict == VerdictTooLow }

// searchState is the state of a search.
type searchState struct {
	Search
	earlier []Trial     // earlier trials that can still be used
	tried   []triedLoad // ordered by load
	found   SearchResult
}

// around returns the lowest load that does not hold (high) and the highest load below it that holds (low). If no load
// holds, low is the highest load with too few requests. Either is nil if there is none.
func (r *searchState) limits() (low, high *triedLoad) {
	for i := range r.tried {
		switch e := &r.tried[i]; {
		case e.holds(), e.Verdict == VerdictFew && (low == nil || low.Verdict == VerdictFew):
			low = e
		default:
			return low, e
		}
	}
	return low, nil
}

// next returns the next load to try, or the reason why the search ends.
func (r *searchState) nextLoad() (Load, EndReason) {
	low, high := r.limits()
	switch {
	case low == nil && high == nil:
		return r.loadNear(r.Start), ""
	case low != nil && low.Verdict == VerdictFew:
		return r.raiseFromFew(low, high)
	case high == nil:
		return r.raiseLoad(low)
	case low == nil:
		return r.lowerLoad(high)
	}
	if mid, ok := r.middleLoad(low.value, high.value, Precision); ok {
		return Load{Value: mid}, ""
	}
	switch {
	case high.isTied():
		return Load{Value: high.value, Confirms: true}, ""
	case low.Verdict == VerdictHeld && !r.isProven(low), low.isTied():
		return Load{Value: low.value, Confirms: true}, ""
	case high.Verdict == VerdictClient:
		return Load{}, EndedByClient
	case high.Verdict == VerdictFew:
		return Load{}, EndedByFew
	case low.Verdict == VerdictTooLow:
		return r.confirmEnd(high, EndedByNone)
	}
	if r.isSpoilt(high.value) {
		return Load{}, EndedByClient
	}
	return r.confirmEnd(high, EndedByServer)
}

// isSpoilt reports whether the client was the bottleneck too often at loads up to value.
func (r *searchState) isSpoilt(value float64) bool {
	n, clients := 0, 0
	for _, t := range r.found.Trials {
		if t.Value <= value {
			if n++; t.Verdict == VerdictClient {
				clients++
			}
		}
	}
	return float64(clients) > maxClientShare*float64(n)
}

// countClientTrials returns the number of trials with the client as the bottleneck.
func (r *searchState) countClientTrials() (n int) {
	for _, t := range r.found.Trials {
		if t.Verdict == VerdictClient {
			n++
		}
	}
	return n
}

// confirm returns a trial of full length of an end, or ended if the end is already confirmed.
func (r *searchState) confirmEnd(e *triedLoad, ended EndReason) (Load, EndReason) {
	if e.confirmed && (e.holds() || r.refusedSurplus(e.value) >= minProof) {
		return Load{}, ended
	}
	return Load{Value: e.value, Confirms: true}, ""
}

// settle returns the remaining work after the client has spoilt many trials: a trial that confirms the load that holds,
// or EndedByClient.
func (r *searchState) settleSpoilt() (Load, EndReason) {
	low, _ := r.limits()
	if low == nil || low.Verdict != VerdictHeld || r.isProven(low) || r.countClientTrials() >= 2*maxSpoiltTrials {
		return Load{}, EndedByClient
	}
	return Load{Value: low.value, Confirms: true}, ""
}

// proven reports whether a load held in a trial of full length and in enough other trials.
func (r *searchState) isProven(low *triedLoad) bool {
	return low.confirmed && r.heldSurplus(low.value) >= minProof
}

// heldSurplus returns the surplus of trials that held over trials that did not, at a load and shortly below it.
func (r *searchState) heldSurplus(value float64) (n int) {
	for i := range r.tried {
		if e := &r.tried[i]; e.value <= value && e.value >= value*(1-maxBelow) {
			n += e.held - e.refused
		}
	}
	return n
}

// refusedSurplus returns the surplus of trials that did not hold over trials that did, at a load and above it up to
// maxAbove.
func (r *searchState) refusedSurplus(value float64) (n int) {
	for i := range r.tried {
		if e := &r.tried[i]; e.value >= value && e.value <= value*(1+maxAbove) {
			n += e.refused - e.held
		}
	}
	return n
}

// up returns the next load above all loads that hold.
func (r *searchState) raiseLoad(low *triedLoad) (Load, EndReason) {
	if r.Max > 0 && low.value >= r.Max {
		if low.Verdict == VerdictTooLow {
			return r.confirmEnd(low, EndedByNone)
		}
		return r.confirmEnd(low, EndedByMax)
	}
	return r.loadNear(2 * low.value), ""
}

// down returns the next load below all loads that do not hold.
func (r *searchState) lowerLoad(high *triedLoad) (Load, EndReason) {
	lowest := r.Min > 0 && high.value <= r.Min*(1+Precision) || r.Users && high.value <= 1
	switch {
	case high.Verdict == VerdictClient:
		if lowest || r.countVerdict(VerdictClient) >= maxClientLoads {
			return Load{}, EndedByClient
		}
	case high.Hopeless && !r.Users, lowest && r.Users && high.value <= 1:
		return r.confirmEnd(high, EndedByNone)
	case lowest:
		return r.confirmEnd(high, EndedByFew)
	}
	return r.loadNear(high.value / 4), ""
}

// raiseFromFew returns the next load above a load with too few requests. More users or a higher rate give more
// requests.
func (r *searchState) raiseFromFew(few, high *triedLoad) (Load, EndReason) {
	if high != nil {
		if mid, ok := r.middleLoad(few.value, high.value, widePrecision); ok {
			return Load{Value: mid}, ""
		}
		if high.Verdict == VerdictClient {
			return Load{}, EndedByClient
		}
		return Load{}, EndedByFew
	}
	if r.countVerdict(VerdictFew) >= maxFewLoads || r.Max > 0 && few.value >= r.Max {
		return Load{}, EndedByFew
	}
	return r.loadNear(2 * few.value), ""
}

// countVerdict returns the number of loads with a verdict.
func (r *searchState) countVerdict(v Verdict) (n int) {
	for _, e := range r.tried {
		if e.Verdict == v {
			n++
		}
	}
	return n
}

// loadNear returns the permitted load nearest to a value.
func (r *searchState) loadNear(value float64) Load {
	if value = r.roundLoad(max(value, r.Min)); r.Max > 0 {
		value = min(value, r.Max)
	}
	return Load{Value: value}
}

// roundLoad rounds a value to a permitted load: a whole number of users, or three significant digits.
func (r *searchState) roundLoad(v float64) float64 {
	if r.Users {
		return max(1, math.Floor(v+1e-9))
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	if err != nil {
		return v
	}
	return short
}

// middleLoad returns a load between two others. ok is false if they are too close for one.
func (r *searchState) middleLoad(low, high, precision float64) (mid float64, ok bool) {
	mid = r.roundLoad(math.Sqrt(low * high))
	if r.Users {
		mid = math.Floor((low + high) / 2)
	}
	return mid, mid > low && mid < high && high > low*(1+precision)
}

// measureLoad tries a load. It repeats the trial with twice the length while the result is uncertain, and with the same
// length while the client is the bottleneck.
func (r *searchState) measureLoad(ctx context.Context, l Load) error {
	l.Length = 1
	for clients := 1; ; {
		out, err := r.runTrial(ctx, l)
		if err != nil {
			return err
		}
		r.found.Trials = append(r.found.Trials, Trial{l, out})
		switch {
		case out.Verdict == VerdictClient && clients < maxClientTrials:
			clients++
		case out.Verdict != VerdictClient && out.Retry && l.Length < maxTimes:
			l.Length *= 2
		default:
			r.addTrial(l, out)
			return nil
		}
	}
}

// runTrial runs a trial, or returns the outcome of an earlier one.
func (r *searchState) runTrial(ctx context.Context, l Load) (Outcome, error) {
	if at := slices.IndexFunc(r.earlier, func(t Trial) bool { return t.Load == l }); at >= 0 {
		t := r.earlier[at]
		r.earlier = slices.Delete(r.earlier, at, at+1)
		return t.Outcome, nil
	}
	return r.Try(ctx, l)
}

// addTrial adds an outcome to the tried load.
func (r *searchState) addTrial(l Load, out Outcome) {
	at, there := slices.BinarySearchFunc(r.tried, l.Value, func(e triedLoad,
		v float64) int {
		return cmp.Compare(e.value, v)
	})
	if !there {
		r.tried = slices.Insert(r.tried, at, triedLoad{value: l.Value})
	}
	r.tried[at].addOutcome(out, l.Confirms)
}

// end sets the result of the search.
func (r *searchState) setResult(by EndReason) {
	r.found.Ended = by
	low, high := r.limits()
	switch {
	case low == nil:
	case low.Verdict == VerdictHeld && r.countClientTrials() >= maxSpoiltTrials && !r.isProven(low):
		// Short trials alone may hold by chance.
	case low.Verdict == VerdictHeld:
		r.found.Holds = low.value
	case low.Verdict == VerdictFew:
		r.found.FewAt = low.value
	}
	switch {
	case high == nil:
	case high.Verdict == VerdictClient, by == EndedByClient:
		r.found.ClientAt = high.value
	case high.Verdict == VerdictFew:
		r.found.FewAt = high.value
	default:
		r.found.Misses = high.value
	}
}
