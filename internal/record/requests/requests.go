// Package requests writes the record of every request to a measured server as a line of JSON, and reads these records.
//
// In scope: writing and reading requests.jsonl; the fields of a row, for other formats. Out of scope: figures of the
// records (package metrics), formats that require a library (the harness adds them).
package requests

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// Names of a point's files.
const (
	JSONLName   = "requests.jsonl"
	ParquetName = "requests.parquet"
	GapsName    = "gaps.hdr"
)

// Row is the record of a request. Times are nanoseconds since the start of the measurement; nil stands for unknown
// values.
type Row struct {
	Index   int    `json:"index"` // position in the order of due times
	Row     int    `json:"row"`   // number of the data row
	User    int    `json:"user"`
	Turn    int    `json:"turn"`
	Session string `json:"session,omitempty"`
	Server  int    `json:"server"`

	Due    int64          `json:"due_ns"`
	Sent   int64          `json:"sent_ns"`
	End    int64          `json:"end_ns"`
	Status metrics.Status `json:"status"`
	Fault  string         `json:"fault,omitempty"`
	Finish string         `json:"finish_reason,omitempty"` // the server's reason for the end
	WarmUp bool           `json:"warm_up,omitempty"`
	Whole  bool           `json:"not_streamed,omitempty"`

	Prompt      *int64 `json:"prompt_tokens,omitempty"`
	Completion  *int64 `json:"completion_tokens,omitempty"`
	Reasoning   *int64 `json:"reasoning_tokens,omitempty"`
	Cached      *int64 `json:"cached_tokens,omitempty"`
	Retokenized *int64 `json:"retokenized,omitempty"`
	AskedIn     *int64 `json:"asked_in,omitempty"`
	AskedOut    *int64 `json:"asked_out,omitempty"`
	Read        int64  `json:"read_ns"` // longest time between a read and its record

	// Found, Out and the following times are computed from the other fields. Write writes them for readers; Read
	// ignores them.
	Found metrics.Status `json:"found,omitempty"` // empty or count, if it differs from Status
	Out   *int64         `json:"out,omitempty"`
	TTFT  *int64         `json:"ttft_ns,omitempty"`
	TPOT  *int64         `json:"tpot_ns,omitempty"`
	E2E   *int64         `json:"e2e_ns,omitempty"`

	// First is the arrival time of the first token event. Gaps are the times between each later event and its
	// predecessor.
	First *int64  `json:"first_ns,omitempty"`
	Gaps  []int64 `json:"gaps_ns,omitempty"`
	// Kinds contains a letter for each token event, or one for all: c content, r reasoning, t tool; for events with
	// only ids o role, m comment. A capital letter means an event without text.
	Kinds string `json:"kinds,omitempty"`
	// IDs contains the number of token ids of each event, or one number for all; absent: no event has ids.
	IDs Counts `json:"ids,omitzero"`
}

// Counts are numbers. A single number stands for all events.
type Counts []int

// IsZero reports whether the field is omitted.
func (c Counts) IsZero() bool { return len(c) == 0 }

// MarshalJSON implements json.Marshaler: it writes a single number without a list.
func (c Counts) MarshalJSON() ([]byte, error) {
	if len(c) == 1 {
		return strconv.AppendInt(nil, int64(c[0]), 10), nil
	}
	return json.Marshal([]int(c))
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *Counts) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '[' {
		return json.Unmarshal(text, (*[]int)(c))
	}
	*c = make(Counts, 1)
	return json.Unmarshal(text, &(*c)[0])
}

// eventLetters contains the letters of metrics.Role, Content and the other kinds of events, in their order.
const eventLetters = "ocrtm"

// letterOf returns the letter of an event.
func letterOf(e metrics.StreamEvent) byte {
	l := eventLetters[e.Kind]
	if !e.Text {
		l -= 'a' - 'A'
	}
	return l
}

// RowOf returns the row of a request. It shares no memory with the request.
func RowOf(r *metrics.Request, rules metrics.FigureRules) Row {
	m := metrics.MeasureRequest(r, rules)
	row := Row{
		Index: r.Index, Row: r.Row, User: r.User, Turn: r.Turn, Session: r.Session, Server: r.Server,
		Due: r.Due, Sent: r.Sent, End: r.End, Status: r.Status, Fault: r.Fault, Finish: r.Finish,
		WarmUp: r.WarmUp, Whole: r.Whole,
		Prompt: knownCount(r.Usage.Prompt), Completion: knownCount(r.Usage.Completion),
		Reasoning: knownCount(r.Usage.Reasoning),
		Cached:    knownCount(r.Usage.Cached), Retokenized: knownCount(r.Retokenized), AskedIn: knownCount(r.AskedIn),
		AskedOut: knownCount(r.AskedOut), Read: r.Read, Out: knownCount(m.Out),
	}
	if m.Found != r.Status {
		row.Found = m.Found
	}
	row.TTFT, row.TPOT, row.E2E = figureOf(&m, metrics.TTFT), figureOf(&m, metrics.TPOT), figureOf(&m, metrics.E2E)
	row.setEvents(&r.Events)
	return row
}

// figureOf returns a computed time of a request, or nil if it is unknown.
func figureOf(m *metrics.Measured, name string) *int64 {
	v, ok := m.Value(name)
	if !ok {
		return nil
	}
	ns := int64(v)
	return &ns
}

// knownCount returns a number, or nil if the server did not report it.
func knownCount(v int64) *int64 {
	if v == metrics.Unknown {
		return nil
	}
	return &v
}

// setEvents copies the token events to the row.
func (row *Row) setEvents(events *metrics.TokenEvents) {
	n := events.Len()
	if n == 0 {
		return
	}
	kinds, times := make([]byte, 0, n), make([]int64, 0, n)
	row.IDs = make(Counts, 0, n)
	for e := range events.All() {
		times = append(times, e.At)
		kinds = append(kinds, letterOf(e))
		row.IDs = append(row.IDs, e.IDs)
	}
	for i := n - 1; i > 0; i-- {
		times[i] -= times[i-1]
	}
	row.First, row.Gaps = &times[0], times[1:]
	if row.Kinds = string(kinds); len(kinds) > 1 && strings.Count(row.Kinds, row.Kinds[:1]) == len(kinds) {
		row.Kinds = row.Kinds[:1]
	}
	one := true
	for _, n := range row.IDs {
		one = one && n == row.IDs[0]
	}
	if one && len(row.IDs) > 0 {
		if row.IDs = row.IDs[:1]; row.IDs[0] == 0 {
			row.IDs = nil
		}
	}
}

// Write writes a line for each request, in their order.
func Write(to io.Writer, all []metrics.Request, rules metrics.FigureRules) error {
	w := bufio.NewWriterSize(to, 1<<16)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for i := range all {
		if err := e.Encode(RowOf(&all[i], rules)); err != nil {
			return err
		}
	}
	return w.Flush()
}
