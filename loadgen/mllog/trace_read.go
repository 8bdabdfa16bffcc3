package mllog

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

// TraceEvent is one event of a trace log. Times count from the start of the trace.
type TraceEvent struct {
	Name, Phase string // phases: X is a span, b and e are the begin and the end of a sample, C is a counter
	ID          uint64 // only of phases b and e
	PID, TID    int64
	At, Dur     time.Duration
	Args        string // the text between the braces of args
}

// TraceReader reads a trace log event by event. It also reads the logs of the official LoadGen, which are not valid
// JSON because strings in args have double quotes twice.
type TraceReader struct {
	lines   *lineReader
	started bool
	done    bool
}

// NewTraceReader returns a reader of r.
func NewTraceReader(r io.Reader) *TraceReader { return &TraceReader{lines: newLineReader(r)} }

// Next returns the next event, or io.EOF after the last one. The empty log of a run without tracing has no events. If
// the log ends without its last event, Next returns a [*LineError].
func (t *TraceReader) Next() (TraceEvent, error) {
	for !t.done {
		line, err := t.lines.nextLine()
		if errors.Is(err, io.EOF) && t.started {
			return TraceEvent{}, t.traceError("the log ends before LastTrace: the run that wrote it did not finish")
		}
		if err != nil {
			return TraceEvent{}, err
		}
		if !t.started {
			if string(line) != `{"traceEvents":[` {
				return TraceEvent{}, t.traceError(`want {"traceEvents":[ on the first line, found ` + quoteText(line))
			}
			t.started = true
			continue
		}
		if string(line) == `{"name":"LastTrace"}` {
			t.done = true
			break
		}
		e, fault := parseTrace(line)
		if fault != "" {
			return e, t.traceError(fault)
		}
		return e, nil
	}
	return TraceEvent{}, io.EOF
}

func (t *TraceReader) traceError(text string) error {
	return &LineError{Log: "trace log", Line: t.lines.line, Text: text}
}

func parseTrace(line []byte) (e TraceEvent, fault string) {
	body, ok := bytes.CutPrefix(bytes.TrimSuffix(line, []byte(",")), []byte("{"))
	body, closed := bytes.CutSuffix(body, []byte("}"))
	if !ok || !closed {
		return e, "want an event {...}, found " + quoteText(line)
	}
	rest := string(body)
	for rest != "" {
		key, value, more, ok := cutMember(rest)
		if !ok || !e.setField(key, value) {
			return e, "cannot read " + quoteText([]byte(rest))
		}
		rest = more
	}
	if e.Name == "" || e.Phase == "" {
		return e, "an event without name or ph: " + quoteText(line)
	}
	return e, ""
}

// cutMember removes the first "key":value from an event. args must be the last member, because its value extends to the
// end.
func cutMember(text string) (key, value, rest string, ok bool) {
	text, ok = strings.CutPrefix(strings.TrimLeft(text, " "), `"`)
	if !ok {
		return "", "", "", false
	}
	key, text, ok = strings.Cut(text, `":`)
	if !ok {
		return "", "", "", false
	}
	text = strings.TrimLeft(text, " ")
	switch {
	case strings.HasPrefix(text, `"`):
		value, text, ok = strings.Cut(text[1:], `"`)
	case strings.HasPrefix(text, "{"):
		value, ok = strings.CutSuffix(text[1:], "}")
		return key, value, "", ok
	default:
		n := strings.IndexByte(text, ',')
		if n < 0 {
			n = len(text)
		}
		value, text = text[:n], text[n:]
	}
	if !ok {
		return "", "", "", false
	}
	rest, comma := strings.CutPrefix(text, ",")
	return key, value, rest, comma || text == ""
}

func (e *TraceEvent) setField(key, value string) bool {
	var err error
	switch key {
	case "name":
		e.Name = value
	case "ph":
		e.Phase = value
	case "id":
		e.ID, err = strconv.ParseUint(value, 10, 64)
	case "pid":
		e.PID, err = strconv.ParseInt(value, 10, 64)
	case "tid":
		e.TID, err = strconv.ParseInt(value, 10, 64)
	case "ts":
		return parseMicros(value, &e.At)
	case "dur":
		return parseMicros(value, &e.Dur)
	case "args":
		e.Args = value
	}
	return err == nil
}

// parseMicros parses microseconds with three decimals.
func parseMicros(text string, d *time.Duration) bool {
	digits, negative := strings.CutPrefix(text, "-")
	whole, frac, _ := strings.Cut(digits, ".")
	us, err := strconv.ParseUint(whole, 10, 52)
	ns, err2 := strconv.ParseUint(frac, 10, 10)
	*d = time.Duration(us*1000 + ns)
	if negative {
		*d = -*d
	}
	return err == nil && err2 == nil && len(frac) == 3
}

// Sample returns the content of a sample's begin event. ok is false for other events.
func (e TraceEvent) Sample() (s TraceSample, ok bool) {
	if e.Name != "Sample" || e.Phase != "b" {
		return s, false
	}
	return e.toSample()
}

// Token returns the content of a first token's begin event, or of Server's counter event, which does not name its
// sample. Latency is the time to the token. ok is false for other events.
func (e TraceEvent) Token() (s TraceSample, ok bool) {
	if e.Name == "Token" && e.Phase == "b" || e.Name == "Token_Latency" {
		return e.toSample()
	}
	return s, false
}

func (e TraceEvent) toSample() (s TraceSample, ok bool) {
	s.Scheduled = e.At.Nanoseconds()
	for member := range strings.SplitSeq(e.Args, ",") {
		key, text, _ := strings.Cut(member, ":")
		v, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil {
			return s, false
		}
		switch strings.Trim(key, ` "`) {
		case "sample_seq":
			s.SampleSeq = uint64(v)
		case "query_seq":
			s.QuerySeq = uint64(v)
		case "sample_idx":
			s.Index = uint64(v)
		case "issue_start_ns", "issue_delay":
			s.IssueDelay = v
		case "issue_to_done":
			s.Latency = s.IssueDelay + v
		case "complete_ns":
			s.Latency = v
		}
	}
	return s, true
}
