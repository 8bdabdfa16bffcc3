package metrics

import (
	"fmt"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
)

// ClientLoad describes the client's own load during a measurement, and the settings that cause it.
type ClientLoad struct {
	// CPU is the share of the processors that it may use which it took, from 0 to 1; 0: unknown.
	CPU float64
	// Users is how many wait for answers in a closed loop without thinking; 0: the load is another.
	Users int
	// Capped says that requests of a rate wait at the client where many are under way: by intention.
	Capped bool
}

const (
	maxCPU      = 0.80
	maxQueueing = 5 * time.Millisecond
	queueShare  = 0.05 // of the median TTFT
	minBusy     = 0.95 // of the users, by Little's law: each has a request with the server
	// anyQueueing is a time that a request may always wait at the client: schedulers of systems are no more exact, and a
	// client that is late by less says nothing of a server that answers within a few milliseconds.
	anyQueueing = time.Millisecond
)

// LimitReasons returns the reasons why figures describe the client instead of the server; none: they describe the
// server.
func (c ClientLoad) LimitReasons(f *Figures) []string {
	var why []string
	if c.CPU > maxCPU {
		why = append(why, fmt.Sprintf("the client took %s %% of its processors' time, want at most %s %%",
			figure.Short(100*c.CPU), figure.Short(100*maxCPU)))
	}
	if p, ok := f.Queue.PercentileAt(0.99); ok && !c.Capped {
		most, of := float64(maxQueueing), ""
		if median, ok := f.TTFT.PercentileAt(0.5); ok && queueShare*median.Value < most {
			most, of = queueShare*median.Value, ", 5 % of the median TTFT"
		}
		if least := float64(anyQueueing); most < least {
			most, of = least, ""
		}
		if p.Value > most {
			why = append(why, fmt.Sprintf("p99 of requests were sent %s late, want at most %s%s",
				figure.Seconds(time.Duration(p.Value)), figure.Seconds(time.Duration(most)), of))
		}
	}
	if least := f.leastBusy() * float64(c.Users); c.Users > 0 && f.WindowNS > 0 && f.ConcurrencyMean < least {
		why = append(why, fmt.Sprintf("%s requests of %d users were with the server on average, want at least %s",
			figure.Short(f.ConcurrencyMean), c.Users, figure.Short(least)))
	}
	return why
}

// minBusy is the least share of the users of a closed loop that have a request with the server. Between two requests
// a user may wait for anyQueueing.
func (f *Figures) leastBusy() float64 {
	took := f.E2ESent.Mean
	if f.E2ESent.N == 0 || took <= 0 {
		return minBusy
	}
	return min(minBusy, took/(took+float64(anyQueueing)))
}

// Note is a remark that a reader of figures needs.
type Note struct {
	About string // one of the Abouts
	Text  string
}

// What notes are about.
const (
	AboutBundled   = "bundled"
	AboutCached    = "cached"
	AboutLengths   = "lengths"
	AboutFew       = "few requests"
	AboutRough     = "rough rates"
	AboutUncounted = "uncounted"
	AboutEstimated = "estimated"
)

const (
	tellBundled = 0.01 // of the answers, from
	tellCached  = 0.01 // of the prompts' tokens, above
)

// A window that holds fewer requests than that, or a smaller part of all, has rates that its ends and chance decide.
const (
	fewForRates = 30
	partOfAll   = 2.0 / 3
)

// RoughReason says that rates of a window are rough, of all requests that were begun so many; empty: they are not, or
// nothing was answered that there could be a rate of.
func (f *Figures) RoughReason(all int) string {
	switch n := f.Requests; {
	case f.OK == 0 || n >= fewForRates && float64(n) >= partOfAll*float64(all):
		return ""
	case n < all:
		return fmt.Sprintf("the window holds %d of %s: rates are rough", n, figure.Plural(all, "request"))
	default:
		return fmt.Sprintf("rates are of %s: they are rough", figure.Plural(n, "request"))
	}
}

// Notes lists what has to be known of the figures. shared says that prompts were made, or taken, to have common
// beginnings: cached tokens are then no surprise.
func (f *Figures) Notes(shared bool) []Note {
	var all []Note
	add := func(about, format string, a ...any) { all = append(all, Note{about, fmt.Sprintf(format, a...)}) }
	percent := func(share float64) string { return figure.Short(100*share) + " %" }
	if n := float64(f.Bundled) / float64(max(1, f.OK)); n > 0 && n >= tellBundled {
		add(AboutBundled, "%s of answers had all their tokens at once: a proxy or the server holds them back. There is no "+
			"TPOT of these, and their TTFT is the time of the whole answer", percent(n))
	}
	if f.CachedShare != nil && *f.CachedShare > tellCached && !shared {
		add(AboutCached, "%s of prompts' tokens came from the server's cache, and nobody asked for that: TTFT and "+
			"throughput are better than with new prompts", percent(*f.CachedShare))
	}
	if f.Lengths != nil {
		for _, l := range []struct {
			what string
			*MeanLength
		}{{"prompts", f.Lengths.In}, {"answers", f.Lengths.Out}} {
			if share, tell := l.OffBy(); tell {
				sign := "+"
				if share < 0 {
					sign = "-"
				}
				add(AboutLengths, "%s have %s tokens on average, %s were asked for (%s%s)", l.what, figure.Short(l.Got),
					figure.Short(l.Asked), sign, percent(max(share, -share)))
			}
		}
	}
	if few := UnsupportedPercentiles(f.OK, []float64{0.5, 0.9, 0.99}); few != "" {
		add(AboutFew, "%s of %s: too few for %s, which are the slowest or next to it", figure.Plural(f.OK, "answer"),
			figure.Plural(f.Requests, "request"), few)
	}
	if n := f.CountedBy[Uncounted]; n > 0 {
		add(AboutUncounted, "the server counted the tokens of %d of %d answers: tokens and TPOT are of these alone",
			f.OK-n, f.OK)
	}
	if n := f.CountedBy[ByTokenizer]; n > 0 {
		add(AboutEstimated, "the tokens of %d of %d answers were counted by a tokenizer: an estimate", n, f.OK)
	}
	return all
}

// UserRate is the tokens per second of a user of the point: 1 / median TPOT. Nil: there is none.
func (f *Figures) UserRate() *float64 {
	median, ok := f.TPOT.PercentileAt(0.5)
	if !ok {
		return nil
	}
	return divideOrNil(1e9, median.Value)
}

// CountedTokensPerSec is TokensPerSec; nil where no answer's tokens were counted, so that it is no rate of 0.
func (f *Figures) CountedTokensPerSec() *float64 {
	if f.OK > 0 && f.CountedBy[Uncounted] == f.OK || len(f.CountedBy) == 0 {
		return nil
	}
	return f.TokensPerSec
}
