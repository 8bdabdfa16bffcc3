package loadgen

import (
	"math"
	"runtime"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/record"
)

// seriesCursor is the position of a Reader in one series. Its units are queries, whose samples are read together. In
// Offline, which has one query, the units are samples.
type seriesCursor struct {
	issuer    *queryIssuer
	perUnit   uint64   // samples per unit
	seen      []uint64 // a bit for each unit that was read
	read      uint64   // number of read units
	low, next int      // indices of words of seen: all words before low are full; an interrupted scan continues at next
}

func newCursor(x *queryIssuer) seriesCursor {
	c := seriesCursor{issuer: x, perUnit: uint64(x.plan.SamplesPerQuery)}
	if x.limits.Scenario.kindOf().hasOneQuery() {
		c.perUnit = 1
	}
	c.seen = make([]uint64, (uint64(x.plan.Total())/c.perUnit+63)/64)
	return c
}

func (c *seriesCursor) countSeen() Counts {
	done := c.issuer.rec.Completed()
	issued := c.issuer.rec.Issued() // read after done, so it is not smaller
	return Counts{
		Queries: issued / uint64(c.issuer.plan.SamplesPerQuery), Issued: issued, Done: done, Read: c.read * c.perUnit,
	}
}

// visitNewAnswers passes the new answers to v and examines about most units. more reports that it did not reach the
// end. It spends half of the units from the oldest missing answer on, which is enough if answers arrive in order. The
// other half continues behind them.
func (c *seriesCursor) visitNewAnswers(most int, v Visitor) (more bool) {
	reach := c.issuer.rec.Reach() / c.perUnit
	words := int((reach + 63) / 64)
	for c.low < words && c.seen[c.low] == math.MaxUint64 {
		c.low++
	}
	at := c.scanWords(c.low, words, reach, most/2, v)
	if at >= words {
		c.next = 0
		return false
	}
	from := max(at, c.next)
	if c.next = c.scanWords(from, words, reach, most/2, v); c.next < words {
		return true
	}
	c.next = 0
	return from > at
}

// yieldEvery is the number of units examined between yields: 10 to 20 µs, because the test may have only one processor.
const yieldEvery = 2048

// scanWords reads the words from at on and returns the index after the last one that it examined.
func (c *seriesCursor) scanWords(at, words int, reach uint64, most int, v Visitor) int {
	for looked := 0; at < words && looked < most; at++ {
		if c.seen[at] == math.MaxUint64 {
			looked++
			continue
		}
		c.readWord(at, reach, v)
		if looked += 64; looked%yieldEvery < 64 {
			runtime.Gosched()
		}
	}
	return at
}

// readWord reads the units of one word.
func (c *seriesCursor) readWord(w int, reach uint64, v Visitor) {
	first := uint64(w) * 64
	for bit := range min(64, reach-first) {
		if mask := uint64(1) << bit; c.seen[w]&mask == 0 && c.readUnit(first+bit, v) {
			c.seen[w] |= mask
			c.read++
		}
	}
}

// readUnit reads a unit if all its samples are answered.
func (c *seriesCursor) readUnit(u uint64, v Visitor) bool {
	x, first := c.issuer, u*c.perUnit
	var last int64
	for i := range c.perUnit {
		at := c.answeredAt(first + i)
		if at == 0 {
			return false
		}
		last = max(last, at)
	}
	q := first / uint64(x.plan.SamplesPerQuery)
	due := x.scheduled[q]
	for i := range c.perUnit {
		v.Sample(c.measuredSample(first+i, due))
	}
	if c.perUnit == uint64(x.plan.SamplesPerQuery) {
		v.Query(time.Duration(last-due), time.Duration(x.issueDelay(q)))
	}
	return true
}

// answeredAt returns the time of sample i's answer, or 0 if the answer is missing or in progress.
func (c *seriesCursor) answeredAt(i uint64) int64 {
	if c.issuer.recordKind != record.Latencies {
		if _, n := c.issuer.rec.TokensOf(i); n == 0 {
			return 0
		}
	}
	return c.issuer.rec.Done(i)
}

func (c *seriesCursor) measuredSample(i uint64, due int64) Measured {
	at := c.issuer.rec.Done(i)
	m := Measured{Latency: time.Duration(at - due), At: time.Duration(at)}
	if c.issuer.recordKind == record.Latencies {
		return m
	}
	first, n := c.issuer.rec.TokensOf(i)
	if m.Tokens = n; first != 0 {
		m.TTFT = time.Duration(first - due)
	}
	return m
}

// issueDelay returns the time between the due time and the issue of the issued query q.
func (x *queryIssuer) issueDelay(q uint64) int64 {
	if x.delays != nil {
		return x.delays.At(int(q))
	}
	return x.issued[q] - x.scheduled[q]
}
