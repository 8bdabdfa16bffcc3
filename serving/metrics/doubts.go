package metrics

import (
	"fmt"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
)

// ClientLoad describes the client's own load during a measurement, and the settings that cause it.
type ClientLoad struct {
	// CPU is the share of the available processors that the client used, 0 to 1; 0: unknown.
	CPU float64
	// Users is the number of users in a closed loop without think time; 0: other loads.
	Users int
	// Capped states that requests of a rate wait at the client by design while too many are in flight.
	Capped bool
}

const (
	maxCPU      = 0.80
	maxQueueing = 5 * time.Millisecond
	queueShare  = 0.05 // of the median TTFT
	minBusy     = 0.95 // share of the users with a request at the server, by Little's law
	// anyQueueing is a delay at the client that is always acceptable. Operating systems do not schedule more precisely,
	// and shorter delays matter little even if the server answers within a few milliseconds.
	anyQueueing = time.Millisecond
)

// LimitReasons returns the reasons why figures describe the client instead of the server; empty: they describe the
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
	if least := f.minBusyShare() * float64(c.Users); c.Users > 0 && f.WindowNS > 0 && f.ConcurrencyMean < least {
		why = append(why, fmt.Sprintf("%s requests of %d users were with the server on average, want at least %s",
			figure.Short(f.ConcurrencyMean), c.Users, figure.Short(least)))
	}
	return why
}

// minBusyShare returns the minimum share of the users of a closed loop that must have a request at the server. A user
// may wait for anyQueueing between two requests.
func (f *Figures) minBusyShare() float64 {
	took := f.E2ESent.Mean
	if f.E2ESent.N == 0 || took <= 0 {
		return minBusy
	}
	return min(minBusy, took/(took+float64(anyQueueing)))
}

// Note is a remark that readers of figures need.
type Note struct {
	About string // one of the constants below
	Text  string
}

// Subjects of notes.
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
	noteBundled = 0.01 // minimum share of the answers
	noteCached  = 0.01 // share of the prompts' tokens that must be exceeded
)

// If a window contains fewer requests, or a smaller share of all requests, chance and the window's ends dominate its
// rates.
const (
	minForRates  = 30
	minPartOfAll = 2.0 / 3
)

// RoughReason explains why the rates of a window are rough; all is the number of all requests. It returns "" if they
// are not rough or if there are no answers.
func (f *Figures) RoughReason(all int) string {
	switch n := f.Requests; {
	case f.OK == 0 || n >= minForRates && float64(n) >= minPartOfAll*float64(all):
		return ""
	case n < all:
		return fmt.Sprintf("the window holds %d of %s: rates are rough", n, figure.Plural(all, "request"))
	default:
		return fmt.Sprintf("rates are of %s: they are rough", figure.Plural(n, "request"))
	}
}

// Notes lists remarks that readers of the figures need. shared states that prompts have common beginnings by design, so
// that cached tokens are expected.
func (f *Figures) Notes(shared bool) []Note {
	var all []Note
	add := func(about, format string, a ...any) { all = append(all, Note{about, fmt.Sprintf(format, a...)}) }
	percent := func(share float64) string { return figure.Short(100*share) + " %" }
	if n := float64(f.Bundled) / float64(max(1, f.OK)); n > 0 && n >= noteBundled {
		add(AboutBundled, "%s of answers had all their tokens at once: a proxy or the server holds them back. There is no "+
			"TPOT of these, and their TTFT is the time of the whole answer", percent(n))
	}
	if f.CachedShare != nil && *f.CachedShare > noteCached && !shared {
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

// UserRate returns the tokens per second of a user of the point, 1 / median TPOT, or nil if there is no TPOT.
func (f *Figures) UserRate() *float64 {
	median, ok := f.TPOT.PercentileAt(0.5)
	if !ok {
		return nil
	}
	return divideOrNil(1e9, median.Value)
}

// CountedTokensPerSec returns TokensPerSec, or nil if the tokens of no answer were counted, which is not a rate of 0.
func (f *Figures) CountedTokensPerSec() *float64 {
	if f.OK > 0 && f.CountedBy[Uncounted] == f.OK || len(f.CountedBy) == 0 {
		return nil
	}
	return f.TokensPerSec
}
