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
	// Confirms says that the trial is as long as a point that counts.
	Confirms bool
	// Times is how many times as long as usual it is: 1, then 2, 4 where it could not be told whether the server keeps
	// its objectives.
	Times int
}

// Verdict is a trial's verdict on its load.
type Verdict string

// The verdicts. A load whose figures keep all objectives is never missed, and a client that may be the reason is never
// the server's fault.
const (
	Held       Verdict = "held"         // every objective is kept
	TooLow     Verdict = "too low"      // only a throughput is missed that a higher load may reach
	Missed     Verdict = "missed"       // an objective is missed, and the client is not the reason
	Overloaded Verdict = "overloaded"   // the figures keep all objectives, and get worse as long as it lasts
	Client     Verdict = "client"       // nothing is kept that the client may not have spoilt
	Few        Verdict = "few requests" // no more requests come in the time that a trial may take, and they do not tell
)

// Outcome is the outcome of a trial.
type Outcome struct {
	Verdict Verdict
	// Again says that a longer trial would tell with more certainty, and may be made.
	Again bool
	// Hopeless says that even the quickest request missed an objective: so it is at any load, where requests do not wait
	// for each other.
	Hopeless bool
}

// Trial is a completed trial.
type Trial struct {
	Load
	Outcome
}

// Search finds the highest load that holds. It doubles the load until a load does not hold, then narrows the range
// between the two until hardly any load is left. Trials of full length then confirm both ends: the load that holds and
// the next one, which does not. If an end is not confirmed, it moves and the search continues.
type Search struct {
	// Try measures a load. The error of one that cannot be measured ends the search.
	Try func(ctx context.Context, l Load) (Outcome, error)
	// Users says that loads are whole numbers.
	Users bool
	// Start is the first load, above 0; 0: 1.
	Start float64
	// Least and Most are the lowest and the highest load that may be tried; 0: 1 of users, else none.
	Least, Most float64
	// Made are trials from before: one that the search asks for is not made again.
	Made []Trial
}

// Ended is the reason why a search ended.
type Ended string

// The ends of searches.
const (
	ByServer Ended = "server" // it holds Holds, and not Misses
	ByClient Ended = "client" // the client is the limit at ClientAt; the server holds Holds at least
	ByFew    Ended = "data"   // there is not enough data to tell
	ByMost   Ended = "most"   // the server holds the highest load that may be tried
	ByNone   Ended = "none"   // the server holds no load
)

// Found is the result of a search.
type Found struct {
	Ended Ended // empty: an error ended it
	// Holds is the highest load that holds, Misses the lowest above it that the server does not hold, ClientAt that from
	// which on the client is the limit; 0: none.
	Holds, Misses, ClientAt float64
	// Few is the load of which there were too few requests; 0: none.
	Few float64
	// Trials are all that the search asked for, in their order.
	Trials []Trial
}

const (
	// Precision is how much higher than the load that is found the highest one may be, as a share of it.
	Precision = 0.03
	// wide is the same beside a load of too few requests: lower ones have fewer.
	wide = 0.5
	// proof is how many more trials that did not hold than trials that did there must be at the upper end and at the loads
	// next above it, nextAbove as a share of it: a machine that does other things, too, spoils one now and then.
	proof     = 4
	nextAbove = 0.5
	// At the lower end only trials near the end itself count: hardly anything lets one hold by chance farther below.
	nextBelow = 0.05
	// tries is how often a load is tried at which the client is the limit, and maxClients how many loads are, downwards.
	tries, maxClients = 4, 2
	// spoilt is the share of trials, up to the load that the server does not hold, above which the client was the limit so
	// often that the other trials tell nothing of the server.
	spoilt = 0.25
	// maxSpoilt bounds how many trials are made at which the client is the limit: on a machine where there are so many,
	// further ones only take their time. As many again may be spoilt while the load that holds is proven.
	maxSpoilt = 24
	// maxLoads bounds how many loads are tried, and maxTimes how long a trial is.
	maxLoads, maxTimes = 48, 64
	// fewsUp is how many loads of too few requests are tried, each twice the one before.
	fewsUp = 4
)

// Run searches. The trials of a search that an error ended are there.
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

// end is a load that was tried. Its outcome is that of most trials there, and of the last one where they are as many.
type end struct {
	value float64
	Outcome
	confirmed     bool // by a trial of full length
	held, refused int  // trials
}

// tied says that as many trials held as did not.
func (e *end) tied() bool {
	return e.held > 0 && e.held == e.refused && e.Verdict != Client && e.Verdict != Few
}

// take notes one more trial.
func (e *end) take(out Outcome, confirms bool) {
	switch out.Verdict {
	case Held, TooLow:
		e.held++
	case Missed, Overloaded:
		e.refused++
	default: // it cannot be told
		e.Outcome = out
		return
	}
	e.confirmed = e.confirmed || confirms
	if e.Verdict == "" || e.held == e.refused || e.held > e.refused == out.holds() {
		e.Outcome = out
	}
}

// holds says that loads above it are to be looked at.
func (o *Outcome) holds() bool { return o.Verdict == Held || o.Verdict == TooLow }

// running is a search under way.
type running struct {
	Search
	made  []Trial // that may be used instead of new ones
	ends  []end   // in the order of their loads
	found Found
}

// around are the lowest load that does not hold, and the highest below it that does, or of which there were too few
// requests, where none holds; nil: there is none.
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

// next is the load to be tried now, or what ends the search.
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

// spoilt says that the client was the limit too often, up to a load.
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

// clients is how many trials there were at which the client was the limit.
func (r *running) clients() (n int) {
	for _, t := range r.found.Trials {
		if t.Verdict == Client {
			n++
		}
	}
	return n
}

// confirm is a trial of full length of an end, or what it ends the search with once there is proof of it.
func (r *running) confirm(e *end, ended Ended) (Load, Ended) {
	if e.confirmed && (e.holds() || r.refused(e.value) >= proof) {
		return Load{}, ended
	}
	return Load{Value: e.value, Confirms: true}, ""
}

// settle is what is left to do where the client spoilt many trials: to prove the load that holds.
func (r *running) settle() (Load, Ended) {
	low, _ := r.around()
	if low == nil || low.Verdict != Held || r.proven(low) || r.clients() >= 2*maxSpoilt {
		return Load{}, ByClient
	}
	return Load{Value: low.value, Confirms: true}, ""
}

// proven says that a load that holds did so in a trial of full length, and often enough.
func (r *running) proven(low *end) bool { return low.confirmed && r.held(low.value) >= proof }

// held is how many more trials at a load, and next below it, held than did not.
func (r *running) held(value float64) (n int) {
	for i := range r.ends {
		if e := &r.ends[i]; e.value <= value && e.value >= value*(1-nextBelow) {
			n += e.held - e.refused
		}
	}
	return n
}

// refused is how many more trials at a load, and next above it, did not hold than did.
func (r *running) refused(value float64) (n int) {
	for i := range r.ends {
		if e := &r.ends[i]; e.value >= value && e.value <= value*(1+nextAbove) {
			n += e.refused - e.held
		}
	}
	return n
}

// up is above all that hold.
func (r *running) up(low *end) (Load, Ended) {
	if r.Most > 0 && low.value >= r.Most {
		if low.Verdict == TooLow {
			return r.confirm(low, ByNone)
		}
		return r.confirm(low, ByMost)
	}
	return r.at(2 * low.value), ""
}

// down is below all that do not hold.
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

// amongFew is a load above one of which there were too few requests: with more users, or a higher rate, there are more.
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

// count is how many loads have a verdict.
func (r *running) count(v Verdict) (n int) {
	for _, e := range r.ends {
		if e.Verdict == v {
			n++
		}
	}
	return n
}

// at is a load as near to a value as may be.
func (r *running) at(value float64) Load {
	if value = r.rounded(max(value, r.Least)); r.Most > 0 {
		value = min(value, r.Most)
	}
	return Load{Value: value}
}

// rounded is a value that a load may have: whole users, or three digits.
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

// middle is a load between two others; false: they are so near that there is none to be tried.
func (r *running) middle(low, high, precision float64) (mid float64, ok bool) {
	mid = r.rounded(math.Sqrt(low * high))
	if r.Users {
		mid = math.Floor((low + high) / 2)
	}
	return mid, mid > low && mid < high && high > low*(1+precision)
}

// measure tries a load, longer where the usual length cannot tell, and again where the client was the limit.
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

// try makes a trial, or takes one that was made before.
func (r *running) try(ctx context.Context, l Load) (Outcome, error) {
	if at := slices.IndexFunc(r.made, func(t Trial) bool { return t.Load == l }); at >= 0 {
		t := r.made[at]
		r.made = slices.Delete(r.made, at, at+1)
		return t.Outcome, nil
	}
	return r.Try(ctx, l)
}

// note keeps what is known of a load by now.
func (r *running) note(l Load, out Outcome) {
	at, there := slices.BinarySearchFunc(r.ends, l.Value, func(e end, v float64) int { return cmp.Compare(e.value, v) })
	if !there {
		r.ends = slices.Insert(r.ends, at, end{value: l.Value})
	}
	r.ends[at].take(out, l.Confirms)
}

// end says what the search came to.
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
