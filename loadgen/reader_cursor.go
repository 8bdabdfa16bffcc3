package loadgen

import (
	"math"
	"runtime"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/record"
)

// seriesCursor is where a Reader is in one series. Its units are queries, whose samples are read together, but of
// Offline's one query the samples.
type seriesCursor struct {
	x         *queryIssuer
	perUnit   uint64   // samples
	seen      []uint64 // a bit for each unit that was read
	read      uint64   // units
	low, next int      // words of seen: all before low are full; a look that was cut short goes on at next
}

func newCursor(x *queryIssuer) seriesCursor {
	c := seriesCursor{x: x, perUnit: uint64(x.plan.SamplesPerQuery)}
	if x.limits.Scenario.kindOf().oneQuery() {
		c.perUnit = 1
	}
	c.seen = make([]uint64, (uint64(x.plan.Total())/c.perUnit+63)/64)
	return c
}

func (c *seriesCursor) countSeen() Counts {
	done := c.x.rec.Completed()
	issued := c.x.rec.Issued() // after done: never less
	return Counts{
		Queries: issued / uint64(c.x.plan.SamplesPerQuery), Issued: issued, Done: done, Read: c.read * c.perUnit,
	}
}

// visitNew gives v what is new, looking at about most units; more says that it did not come to the end. Half of a look
// begins where the oldest answer is missing, which is all there is to it while answers come in order. The other half
// goes through what lies behind.
func (c *seriesCursor) visitNew(most int, v Visitor) (more bool) {
	reach := c.x.rec.Reach() / c.perUnit
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

// yieldEvery is how many units are looked at in one go: 10 to 20 us, where the test may have one processor alone.
const yieldEvery = 2048

// scanWords reads the words from at on and returns the one after the last that it looked at.
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

// readUnit reads a unit if all of it is answered.
func (c *seriesCursor) readUnit(u uint64, v Visitor) bool {
	x, first := c.x, u*c.perUnit
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

// answeredAt is when sample i was, 0 while the answer is missing or under way.
func (c *seriesCursor) answeredAt(i uint64) int64 {
	if c.x.records != record.Latencies {
		if _, n := c.x.rec.TokensOf(i); n == 0 {
			return 0
		}
	}
	return c.x.rec.Done(i)
}

func (c *seriesCursor) measuredSample(i uint64, due int64) Measured {
	at := c.x.rec.Done(i)
	m := Measured{Latency: time.Duration(at - due), At: time.Duration(at)}
	if c.x.records == record.Latencies {
		return m
	}
	first, n := c.x.rec.TokensOf(i)
	if m.Tokens = n; first != 0 {
		m.TTFT = time.Duration(first - due)
	}
	return m
}

// issueDelay is how much later than due query q, which is issued, was.
func (x *queryIssuer) issueDelay(q uint64) int64 {
	if x.delays != nil {
		return x.delays.At(int(q))
	}
	return x.issued[q] - x.scheduled[q]
}
