package metrics

import "math"

// Measured contains the measurements of one request.
type Measured struct {
	*Request
	// Found is the request's status. That of a complete answer may be Empty or Count.
	Found Status
	// First and Last are the times of the first and last token events. Answer is the time of the first event after the
	// reasoning. They are 0 if there is no such event.
	First, Last, Answer int64
	// Least and Stall are the smallest and the largest gap between two consecutive token events.
	Least, Stall int64
	// Out is the number of tokens of the answer, or Unknown.
	Out int64
	// By is the source of Out; empty: no answer, or answers without tokens.
	By CountedBy

	whole    bool // events are ignored: the answer arrives at End
	untimed  bool // tokens that arrived at once have no times of their own
	answered bool // Answer is set
}

// CountedBy is the source of an answer's token count.
type CountedBy string

// The sources of token counts, most reliable first.
const (
	ByIDs       CountedBy = "ids"
	ByUsage     CountedBy = "usage"
	ByTokenizer CountedBy = "tokenizer"
	Uncounted   CountedBy = "unknown"
)

// MeasureRequest evaluates a record by the rules. The result refers to r.
func MeasureRequest(r *Request, rules FigureRules) Measured {
	m := Measured{Request: r, Found: r.Status, Out: Unknown, whole: rules.NoTokens, untimed: rules.Untimed}
	if r.Status != OK || rules.NoTokens {
		return m
	}
	if r.Events.Len() == 0 {
		m.Found = Empty
		return m
	}
	m.countOutput(m.readEvents(), rules)
	return m
}

// readEvents sets the times from the events and returns their number of ids.
func (m *Measured) readEvents() (ids int64) {
	i := 0
	m.Least = math.MaxInt64
	for e := range m.Events.All() {
		if i == 0 {
			m.First = e.At
		} else {
			m.Least, m.Stall = min(m.Least, e.At-m.Last), max(m.Stall, e.At-m.Last)
		}
		if !m.answered && e.IsAnswer() {
			m.Answer, m.answered = e.At, true
		}
		m.Last = e.At
		ids += int64(e.IDs)
		i++
	}
	return ids
}

// countOutput sets the number of tokens of the answer, from the ids, or else the usage record, or else a tokenizer. If
// ids and usage disagree, this is a fault of the server.
func (m *Measured) countOutput(ids int64, rules FigureRules) {
	usage := m.Usage.Completion
	switch {
	case ids > 0 && usage != Unknown && ids != usage:
		m.Found = Count
	case ids > 0:
		m.Out, m.By = ids, ByIDs
	case usage != Unknown:
		m.Out, m.By = usage, ByUsage
	case rules.Tokenizer && m.Retokenized != Unknown:
		m.Out, m.By = m.Retokenized, ByTokenizer
	default:
		m.By = Uncounted
	}
}

// DoneAt returns the time at which the answer was complete: the time of its last token, or its end if it has no tokens.
func (m *Measured) DoneAt() int64 {
	if m.Found == OK && !m.whole {
		return m.Last
	}
	return m.End
}

// isStream reports whether the answer arrived as a stream of tokens.
func (m *Measured) isStream() bool { return m.Found == OK && !m.whole && !m.Whole }

// IsBundled reports whether all of the answer's several tokens arrived at once: in one event of a stream, or in events
// of a single read because a proxy or the server held them back. Such tokens have no times of their own.
func (m *Measured) IsBundled() bool {
	return m.isStream() && m.First == m.Last && (m.Out > 1 || m.Events.Len() > 1)
}

// hasTokenTimes reports whether the tokens of a stream have times of their own.
func (m *Measured) hasTokenTimes() bool { return m.isStream() && !(m.untimed && m.IsBundled()) }

// TokenGaps returns the number of gaps between consecutive token events.
func (m *Measured) TokenGaps() int {
	if !m.hasTokenTimes() {
		return 0
	}
	return m.Events.Len() - 1
}

// Value returns the request's value of a metric: a time in nanoseconds, tokens per second for User, or tokens for Out.
// For Gap it returns the largest gap. ok is false if the request has no such value.
func (m *Measured) Value(metric string) (v float64, ok bool) {
	if metric == Gap {
		metric = Stall
	}
	n, ok := m.sortableValue(metric)
	if metric == User {
		return math.Float64frombits(uint64(n)), ok
	}
	return float64(n), ok
}

// sortableValue returns Value as an integer that sorts in the same order. For User, it is the bits of the tokens per
// second.
func (m *Measured) sortableValue(metric string) (v int64, ok bool) {
	if metric == Queue {
		return m.Sent - m.Due, true
	}
	if m.Found != OK {
		return 0, false
	}
	switch metric {
	case E2E:
		return m.DoneAt() - m.Due, true
	case E2ESent:
		return m.DoneAt() - m.Sent, true
	case Out:
		return m.Out, m.Out != Unknown
	}
	if !m.isStream() {
		return 0, false
	}
	return m.streamValue(metric)
}

// streamValue returns the value of a metric that only streams have.
func (m *Measured) streamValue(metric string) (v int64, ok bool) {
	switch metric {
	case TTFT:
		return m.First - m.Due, true
	case TTFTSent:
		return m.First - m.Sent, true
	case TTFO:
		return m.Answer - m.Due, m.answered
	case Stall:
		return m.Stall, m.TokenGaps() > 0
	case TPOT:
		if m.Out > 1 && m.hasTokenTimes() {
			return (m.Last - m.First) / (m.Out - 1), true
		}
	case User:
		if m.Out > 1 && m.Last > m.First {
			return int64(math.Float64bits(float64(m.Out-1) * 1e9 / float64(m.Last-m.First))), true
		}
	}
	return 0, false
}

// WithinLimits reports whether the request is within all limits. A limit that cannot apply is met: an answer of one
// token meets any TPOT. A failed request meets no limit. An answer does not meet a limit if it lacks the limited time
// or its tokens have no times.
func (m *Measured) WithinLimits(limits RequestLimits) bool {
	if m.Found != OK {
		return false
	}
	for metric, limit := range limits {
		v, ok := m.Value(metric)
		switch {
		case !ok && m.isStream() && !m.hasTokenTimes():
			return false
		case metric == User:
			if ok && v < limit {
				return false
			}
		case !ok && metric != TPOT && metric != Stall && metric != Gap, ok && v > limit:
			return false
		}
	}
	return true
}

// shareWithin returns the share of the answer that arrived within [from, to), 0 to 1. If events have ids, each token
// counts at its event; otherwise all events count equally. An answer without events arrives when it is complete.
func (m *Measured) shareWithin(from, to int64) float64 {
	switch {
	case m.Found != OK:
		return 0
	case m.whole || m.Events.Len() == 0:
		if at := m.DoneAt(); from <= at && at < to {
			return 1
		}
		return 0
	case m.Last < from || m.First >= to:
		return 0
	case from <= m.First && m.Last < to:
		return 1
	}
	events, ids, all := 0, 0, 0
	for e := range m.Events.All() {
		if from <= e.At && e.At < to {
			events++
			ids += e.IDs
		}
		all += e.IDs
	}
	if m.By == ByIDs && all > 0 {
		return float64(ids) / float64(all)
	}
	return float64(events) / float64(m.Events.Len())
}

// tokensWithin returns the number of tokens that arrived within [from, to).
func (m *Measured) tokensWithin(from, to int64) float64 {
	if m.Out == Unknown || m.whole {
		return 0
	}
	return float64(m.Out) * m.shareWithin(from, to)
}
