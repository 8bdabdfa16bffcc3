package loadgen

import (
	"math"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/internal/record"
)

// Measured is LoadGen's record of one answered sample.
type Measured struct {
	Latency time.Duration // from the due time of its query to the answer
	At      time.Duration // time of the answer since the start of the series
	// TTFT is the time from the query's due time to the first token, or 0 if it is not recorded. Tokens is the number of
	// tokens, or 0 outside token runs.
	TTFT   time.Duration
	Tokens uint32
}

// TPOT returns the time per token after the first, or 0 if it is not recorded.
func (m Measured) TPOT() time.Duration {
	if m.TTFT == 0 || m.Tokens < record.LeastTokens {
		return 0
	}
	return (m.Latency - m.TTFT) / time.Duration(m.Tokens-1)
}

// Visitor receives the records of a Reader on the goroutine that calls Read.
type Visitor interface {
	// Sample is called once for each answered sample.
	Sample(m Measured)
	// Query is called once for each query, except Offline's, when its last sample is answered. latency is the time from
	// the due time to that answer. delay is the time from the due time to the issue, and 0 except in Server.
	Query(latency, delay time.Duration)
}

// Reader reads the records of a test during and after the test. It reads each answer once and in no particular order.
// It reads the slots that the SUT's answers are written to and does not involve the test. It is not safe for concurrent
// use.
//
// It keeps the memory of a series until it has read it. It gets no records from the official LoadGen.
type Reader struct {
	series   *shownSeries
	cursor   seriesCursor
	previous Counts // of the completely read series
}

// Counts contains the numbers of samples and queries of all series that a Reader has found.
type Counts struct {
	Queries uint64 // issued
	Issued  uint64 // samples
	Done    uint64 // samples
	Read    uint64 // samples passed to the visitor
}

func (c Counts) addCounts(o Counts) Counts {
	return Counts{c.Queries + o.Queries, c.Issued + o.Issued, c.Done + o.Done, c.Read + o.Read}
}

// Reader returns a reader of all series that begin from now on, in all tests that p shows.
func (p *Progress) Reader() *Reader {
	p.last.CompareAndSwap(nil, &shownSeries{})
	return &Reader{series: p.last.Load()}
}

// chainSeries appends a series to the list that readers follow. Without readers it stores nothing.
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

// ReadAll is the value of most with which Read reads all samples.
const ReadAll = math.MaxInt

// Read passes the answers since the last call to v. It examines about most samples of each series, or in series with
// larger queries about most queries. more reports that there are further answers. Read yields to the scheduler every
// few microseconds.
func (r *Reader) Read(most int, v Visitor) (more bool) {
	for {
		next := r.series.next.Load() // load next first: if there is a next series, this one is over
		if r.series.x != nil {
			if r.cursor.issuer != r.series.x {
				r.cursor = newCursor(r.series.x)
			}
			if r.cursor.visitNewAnswers(most, v) {
				return true
			}
		}
		if next == nil {
			return false
		}
		r.previous, r.series, r.cursor = r.Counts(), next, seriesCursor{}
	}
}

// Counts returns the test's counts so far, including all earlier series.
func (r *Reader) Counts() Counts {
	if r.cursor.issuer == nil {
		return r.previous
	}
	return r.previous.addCounts(r.cursor.countSeen())
}
