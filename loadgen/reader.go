package loadgen

import (
	"math"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/record"
)

// Measured is LoadGen's record of one answered sample.
type Measured struct {
	Latency time.Duration // from the time its query was due to the answer
	At      time.Duration // of the answer, since the start of the series
	// TTFT is from the time the query was due to the first token, 0 where it is not recorded; Tokens is how many came
	// altogether, 0 but in token runs.
	TTFT   time.Duration
	Tokens uint32
}

// TPOT is the time per token after the first, 0 where it is not recorded.
func (m Measured) TPOT() time.Duration {
	if m.TTFT == 0 || m.Tokens < record.LeastTokens {
		return 0
	}
	return (m.Latency - m.TTFT) / time.Duration(m.Tokens-1)
}

// Visitor receives the records of a Reader, on the goroutine that calls Read.
type Visitor interface {
	// Sample is called once for each answered sample.
	Sample(m Measured)
	// Query is called once for each query, but Offline's, when its last sample is answered: its latency up to then, and
	// how much later than due it was issued (0 but in Server).
	Query(latency, delay time.Duration)
}

// Reader reads what a test records, while it runs and afterwards, each answer once and in no particular order. The test
// takes no part in it: a Reader looks at the slots that the SUT's answers went to. One goroutine may use it at a time.
//
// It holds the memory of a series until it has read it, and the official LoadGen records nothing for it.
type Reader struct {
	at     *shownSeries
	cursor seriesCursor
	before Counts // of the series that are read to their end
}

// Counts are the samples and queries of all series that a Reader came across.
type Counts struct {
	Queries uint64 // issued
	Issued  uint64 // samples
	Done    uint64 // samples
	Read    uint64 // samples that the visitor got
}

func (c Counts) addCounts(o Counts) Counts {
	return Counts{c.Queries + o.Queries, c.Issued + o.Issued, c.Done + o.Done, c.Read + o.Read}
}

// Reader returns a reader of all series that begin from now on, of any number of tests that p shows.
func (p *Progress) Reader() *Reader {
	p.last.CompareAndSwap(nil, &shownSeries{})
	return &Reader{at: p.last.Load()}
}

// chainSeries lets readers find the series after the one they are at. Without readers nothing is kept.
func (p *Progress) chainSeries(s *shownSeries) {
	for {
		last := p.last.Load()
		if last == nil {
			return
		}
		if p.last.CompareAndSwap(last, s) {
			last.next.Store(s)
			return
		}
	}
}

// ReadAll is Read's number of samples for all that there are.
const ReadAll = math.MaxInt

// Read gives v what was answered since the last call, looking at about most samples of each series, and in queries of
// several at about most of these; more says that it was not all. It lets other goroutines run every few microseconds.
func (r *Reader) Read(most int, v Visitor) (more bool) {
	for {
		next := r.at.next.Load() // before the look: what came before is over then
		if r.at.x != nil {
			if r.cursor.x != r.at.x {
				r.cursor = newCursor(r.at.x)
			}
			if r.cursor.visitNew(most, v) {
				return true
			}
		}
		if next == nil {
			return false
		}
		r.before, r.at, r.cursor = r.Counts(), next, seriesCursor{}
	}
}

// Counts returns the test's counts so far, including all earlier series.
func (r *Reader) Counts() Counts {
	if r.cursor.x == nil {
		return r.before
	}
	return r.before.addCounts(r.cursor.countSeen())
}
