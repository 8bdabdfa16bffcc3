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
	// Times is the length of the trial as a multiple of the usual length: 1, then 2, 4 and so on while the result is
	// uncertain.
	Times int
}

// Verdict is a trial's verdict on its load.
type Verdict string

// The verdicts. A load whose figures meet all objectives is never Missed. A result that the client may have caused is
// never blamed on the server.
const (
	Held       Verdict = "held"         // all objectives are met
	TooLow     Verdict = "too low"      // only a minimum throughput is missed, which a higher load may reach
	Missed     Verdict = "missed"       // an objective is missed, and the client is not the cause
	Overloaded Verdict = "overloaded"   // the figures meet all objectives and worsen over time
	Client     Verdict = "client"       // no objective is met for certain, and the client may be the cause
	Few        Verdict = "few requests" // too few requests in the maximum time of a trial to decide
)

// Outcome is the outcome of a trial.
type Outcome struct {
	Verdict Verdict
	// Again reports whether a longer trial is possible and would be more certain.
	Again bool
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
	Least, Most float64
	// Made contains earlier trials. The search uses their outcomes and does not repeat them.
	Made []Trial
}

// Ended states why a search ended.
type Ended string

// The reasons for the end of a search.
const (
	ByServer Ended = "server" // the server holds the load Holds, and does not hold Misses
	ByClient Ended = "client" // the client is the bottleneck from ClientAt on; the server holds at least Holds
	ByFew    Ended = "data"   // there are too few requests to decide
	ByMost   Ended = "most"   // the server holds the maximum load
	ByNone   Ended = "none"   // the server holds none of the loads
)

// Found is the result of a search.
type Found struct {
	Ended Ended // empty: the search ended with an error
	// Holds is the highest load that holds. Misses is the lowest load above it that the server does not hold. ClientAt is
	// the load from which on the client is the bottleneck. 0: none.
	Holds, Misses, ClientAt float64
	// Few is the load with too few requests; 0: none.
	Few float64
	// Trials contains all trials of the search in their order.
	Trials []Trial
}

const (
	// Precision is the maximum relative distance between the found load and the true limit.
	Precision = 0.03
	// wide replaces Precision next to a load with too few requests, because lower loads have even fewer.
	wide = 0.5
	// proof is the required surplus of trials that confirm an end over trials that contradict it. A surplus is required
	// because other programs on the machine occasionally spoil a trial. At the upper end, trials count at loads up to
	// nextAbove higher, as a share of the load.
	proof     = 4
	nextAbove = 0.5
	// nextBelow is the same share for the lower end. A small share is enough there, because hardly any trial holds by
	// chance.
	nextBelow = 0.05
	// tries is the maximum number of trials of a load while the client is the bottleneck. maxClients is the maximum number
	// of such loads, going down.
	tries, maxClients = 4, 2
	// spoilt is the maximum share of trials with the client as the bottleneck, among the trials up to the load that the
	// server does not hold. Above it, the other trials do not describe the server.
	spoilt = 0.25
	// maxSpoilt is the maximum number of trials with the client as the bottleneck. Proving the load that holds can add as
	// many again.
	maxSpoilt = 24
	// maxLoads is the maximum number of tried loads, and maxTimes the maximum length of a trial as a multiple of the usual
	// one.
	maxLoads, maxTimes = 48, 64
	// fewsUp is the maximum number of loads with too few requests, each twice the previous one.
	fewsUp = 4
)

// Run runs the search. If an error ends it, Found contains the trials so far.
func (s Search) Run(ctx context.Context) (Found, error) {
	r := &running{Search: s, made: slices.Clone(s.Made)}
	r.Start = cmp.Or(max(s.Start, 0), 1)
	if r.Users {
		r.Least = max(1, math.Ceil(r.Least))
	}
	for range maxLoads {
		next, ended := r.next()
		if ended == "" && r.clients() >= maxSpoilt {
			next, ended = r.settle()
		}
		if ended != "" {
			r.end(ended)
			return r.found, nil
		}
		if err := r.measure(ctx, next); err != nil {
			r.end("")
			return r.found, err
		}
	}
	r.end(ByFew)
	return r.found, nil
}

// end is a tried load. Its outcome is the outcome of the majority of its trials, or of the last trial in a tie.
type end struct {
	value float64
	Outcome
	confirmed     bool // a trial of full length had this outcome
	held, refused int  // numbers of trials
}

// tied reports whether as many trials held as did not.
func (e *end) tied() bool {
	return e.held > 0 && e.held == e.refused && e.Verdict != Client && e.Verdict != Few
}

// take adds the outcome of a trial.
func (e *end) take(out Outcome, confirms bool) {
	switch out.Verdict {
	case Held, TooLow:
		e.held++
	case Missed, Overloaded:
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
func (o *Outcome) holds() bool { return o.Verdict == Held || o.Verdict == TooLow }

// running is the state of a search.
type running struct {
	Search
	made  []Trial // earlier trials that can still be used
	ends  []end   // ordered by load
	found Found
}

// around returns the lowest load that does not hold (high) and the highest load below it that holds (low). If no load
// holds, low is the highest load with too few requests. Either is nil if there is none.
func (r *running) around() (low, high *end) {
	for i := range r.ends {
		switch e := &r.ends[i]; {
		case e.holds(), e.Verdict == Few && (low == nil || low.Verdict == Few):
			low = e
		default:
			return low, e
		}
	}
	return low, nil
}

// next returns the next load to try, or the reason why the search ends.
func (r *running) next() (Load, Ended) {
	low, high := r.around()
	switch {
	case low == nil && high == nil:
		return r.at(r.Start), ""
	case low != nil && low.Verdict == Few:
		return r.amongFew(low, high)
	case high == nil:
		return r.up(low)
	case low == nil:
		return r.down(high)
	}
	if mid, ok := r.middle(low.value, high.value, Precision); ok {
		return Load{Value: mid}, ""
	}
	switch {
	case high.tied():
		return Load{Value: high.value, Confirms: true}, ""
	case low.Verdict == Held && !r.proven(low), low.tied():
		return Load{Value: low.value, Confirms: true}, ""
	case high.Verdict == Client:
		return Load{}, ByClient
	case high.Verdict == Few:
		return Load{}, ByFew
	case low.Verdict == TooLow:
		return r.confirm(high, ByNone)
	}
	if r.spoilt(high.value) {
		return Load{}, ByClient
	}
	return r.confirm(high, ByServer)
}

// spoilt reports whether the client was the bottleneck too often at loads up to value.
func (r *running) spoilt(value float64) bool {
	n, clients := 0, 0
	for _, t := range r.found.Trials {
		if t.Value <= value {
			if n++; t.Verdict == Client {
				clients++
			}
		}
	}
	return float64(clients) > spoilt*float64(n)
}

// clients returns the number of trials with the client as the bottleneck.
func (r *running) clients() (n int) {
	for _, t := range r.found.Trials {
		if t.Verdict == Client {
			n++
		}
	}
	return n
}

// confirm returns a trial of full length of an end, or ended if the end is already confirmed.
func (r *running) confirm(e *end, ended Ended) (Load, Ended) {
	if e.confirmed && (e.holds() || r.refused(e.value) >= proof) {
		return Load{}, ended
	}
	return Load{Value: e.value, Confirms: true}, ""
}

// settle returns the remaining work after the client has spoilt many trials: a trial that confirms the load that holds,
// or ByClient.
func (r *running) settle() (Load, Ended) {
	low, _ := r.around()
	if low == nil || low.Verdict != Held || r.proven(low) || r.clients() >= 2*maxSpoilt {
		return Load{}, ByClient
	}
	return Load{Value: low.value, Confirms: true}, ""
}

// proven reports whether a load held in a trial of full length and in enough other trials.
func (r *running) proven(low *end) bool { return low.confirmed && r.held(low.value) >= proof }

// held returns the surplus of trials that held over trials that did not, at a load and shortly below it.
func (r *running) held(value float64) (n int) {
	for i := range r.ends {
		if e := &r.ends[i]; e.value <= value && e.value >= value*(1-nextBelow) {
			n += e.held - e.refused
		}
	}
	return n
}

// refused returns the surplus of trials that did not hold over trials that did, at a load and above it up to nextAbove.
func (r *running) refused(value float64) (n int) {
	for i := range r.ends {
		if e := &r.ends[i]; e.value >= value && e.value <= value*(1+nextAbove) {
			n += e.refused - e.held
		}
	}
	return n
}

// up returns the next load above all loads that hold.
func (r *running) up(low *end) (Load, Ended) {
	if r.Most > 0 && low.value >= r.Most {
		if low.Verdict == TooLow {
			return r.confirm(low, ByNone)
		}
		return r.confirm(low, ByMost)
	}
	return r.at(2 * low.value), ""
}

// down returns the next load below all loads that do not hold.
func (r *running) down(high *end) (Load, Ended) {
	lowest := r.Least > 0 && high.value <= r.Least*(1+Precision) || r.Users && high.value <= 1
	switch {
	case high.Verdict == Client:
		if lowest || r.count(Client) >= maxClients {
			return Load{}, ByClient
		}
	case high.Hopeless && !r.Users, lowest && r.Users && high.value <= 1:
		return r.confirm(high, ByNone)
	case lowest:
		return r.confirm(high, ByFew)
	}
	return r.at(high.value / 4), ""
}

// amongFew returns the next load above a load with too few requests. More users or a higher rate give more requests.
func (r *running) amongFew(few, high *end) (Load, Ended) {
	if high != nil {
		if mid, ok := r.middle(few.value, high.value, wide); ok {
			return Load{Value: mid}, ""
		}
		if high.Verdict == Client {
			return Load{}, ByClient
		}
		return Load{}, ByFew
	}
	if r.count(Few) >= fewsUp || r.Most > 0 && few.value >= r.Most {
		return Load{}, ByFew
	}
	return r.at(2 * few.value), ""
}

// count returns the number of loads with a verdict.
func (r *running) count(v Verdict) (n int) {
	for _, e := range r.ends {
		if e.Verdict == v {
			n++
		}
	}
	return n
}

// at returns the permitted load nearest to a value.
func (r *running) at(value float64) Load {
	if value = r.rounded(max(value, r.Least)); r.Most > 0 {
		value = min(value, r.Most)
	}
	return Load{Value: value}
}

// rounded rounds a value to a permitted load: a whole number of users, or three significant digits.
func (r *running) rounded(v float64) float64 {
	if r.Users {
		return max(1, math.Floor(v+1e-9))
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	if err != nil {
		return v
	}
	return short
}

// middle returns a load between two others. ok is false if they are too close for one.
func (r *running) middle(low, high, precision float64) (mid float64, ok bool) {
	mid = r.rounded(math.Sqrt(low * high))
	if r.Users {
		mid = math.Floor((low + high) / 2)
	}
	return mid, mid > low && mid < high && high > low*(1+precision)
}

// measure tries a load. It repeats the trial with twice the length while the result is uncertain, and with the same
// length while the client is the bottleneck.
func (r *running) measure(ctx context.Context, l Load) error {
	l.Times = 1
	for clients := 1; ; {
		out, err := r.try(ctx, l)
		if err != nil {
			return err
		}
		r.found.Trials = append(r.found.Trials, Trial{l, out})
		switch {
		case out.Verdict == Client && clients < tries:
			clients++
		case out.Verdict != Client && out.Again && l.Times < maxTimes:
			l.Times *= 2
		default:
			r.note(l, out)
			return nil
		}
	}
}

// try runs a trial, or returns the outcome of an earlier one.
func (r *running) try(ctx context.Context, l Load) (Outcome, error) {
	if at := slices.IndexFunc(r.made, func(t Trial) bool { return t.Load == l }); at >= 0 {
		t := r.made[at]
		r.made = slices.Delete(r.made, at, at+1)
		return t.Outcome, nil
	}
	return r.Try(ctx, l)
}

// note adds an outcome to the tried load.
func (r *running) note(l Load, out Outcome) {
	at, there := slices.BinarySearchFunc(r.ends, l.Value, func(e end, v float64) int { return cmp.Compare(e.value, v) })
	if !there {
		r.ends = slices.Insert(r.ends, at, end{value: l.Value})
	}
	r.ends[at].take(out, l.Confirms)
}

// end sets the result of the search.
func (r *running) end(by Ended) {
	r.found.Ended = by
	low, high := r.around()
	switch {
	case low == nil:
	case low.Verdict == Held && r.clients() >= maxSpoilt && !r.proven(low): // short trials alone may hold by chance
	case low.Verdict == Held:
		r.found.Holds = low.value
	case low.Verdict == Few:
		r.found.Few = low.value
	}
	switch {
	case high == nil:
	case high.Verdict == Client, by == ByClient:
		r.found.ClientAt = high.value
	case high.Verdict == Few:
		r.found.Few = high.value
	default:
		r.found.Misses = high.value
	}
}
