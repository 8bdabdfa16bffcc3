package mllog

import (
	"bufio"
	"io"
	"strconv"
	"time"
)

// TraceWriter writes a trace log: events for chrome://tracing. Times are microseconds since the start of the trace.
// Unlike the official LoadGen's, its output is valid JSON.
type TraceWriter struct {
	w     *bufio.Writer
	start time.Time
	pid   int64
	line  []byte
}

// NewTraceWriter begins a trace log in w. The times of events count from start.
func NewTraceWriter(w io.Writer, start time.Time, pid int64) *TraceWriter {
	t := &TraceWriter{w: bufio.NewWriterSize(w, 64<<10), start: start, pid: pid}
	_, _ = t.w.WriteString("{\"traceEvents\":[\n")
	return t
}

// TraceSample contains the times of one sample, in nanoseconds.
type TraceSample struct {
	SampleSeq, QuerySeq, Index uint64
	Scheduled                  int64 // relative to the start of the trace
	IssueDelay                 int64 // issue - scheduled
	Latency                    int64 // completion - scheduled
}

// Sample writes the two events of a sample.
func (t *TraceWriter) Sample(s TraceSample) error { return t.writeSpan("Sample", s) }

// Token writes the two events of a sample's first token. s.Latency is the time to the token.
func (t *TraceWriter) Token(s TraceSample) error { return t.writeSpan("Token", s) }

func (t *TraceWriter) writeSpan(name string, s TraceSample) error {
	t.writeHead(name, `,"cat":"default","ph":"b"`)
	t.writeNumber(`,"id":`, int64(s.SampleSeq))
	t.writeMicros(`,"ts":`, s.Scheduled)
	t.writeNumber(`,"args":{"sample_seq":`, int64(s.SampleSeq))
	t.writeNumber(`,"query_seq":`, int64(s.QuerySeq))
	t.writeNumber(`,"sample_idx":`, int64(s.Index))
	t.writeNumber(`,"issue_start_ns":`, s.IssueDelay)
	t.writeNumber(`,"complete_ns":`, s.Latency)
	t.line = append(t.line, "}},\n"...)
	t.writeEnd(name, `,"cat":"default","ph":"e"`)
	t.writeNumber(`,"id":`, int64(s.SampleSeq))
	t.writeMicros(`,"ts":`, s.Scheduled+s.Latency)
	t.line = append(t.line, "},\n"...)
	_, err := t.w.Write(t.line)
	return err
}

// Span writes an event with a start time, counted from the start of the trace, and a duration.
func (t *TraceWriter) Span(name string, from, took time.Duration) error {
	t.writeHead(name, `,"ph":"X"`)
	t.writeNumber(`,"tid":`, t.pid)
	t.writeMicros(`,"ts":`, from.Nanoseconds())
	t.writeMicros(`,"dur":`, took.Nanoseconds())
	t.line = append(t.line, ",\"args\":{}},\n"...)
	_, err := t.w.Write(t.line)
	return err
}

// Latency writes the counter event of a Server sample.
func (t *TraceWriter) Latency(s TraceSample) error { return t.writeCounter("Latency", s) }

// TokenLatency writes the counter event of a Server sample's first token. s.Latency is the time to the token.
func (t *TraceWriter) TokenLatency(s TraceSample) error { return t.writeCounter("Token_Latency", s) }

func (t *TraceWriter) writeCounter(name string, s TraceSample) error {
	t.writeHead(name, `,"ph":"C"`)
	t.writeMicros(`,"ts":`, s.Scheduled)
	t.writeNumber(`,"args":{"issue_delay":`, s.IssueDelay)
	t.writeNumber(`,"issue_to_done":`, s.Latency-s.IssueDelay)
	t.line = append(t.line, "}},\n"...)
	_, err := t.w.Write(t.line)
	return err
}

// Close writes the end of the log. It does not close the underlying writer.
func (t *TraceWriter) Close() error {
	t.line = append(t.line[:0], "{\"name\":\"LastTrace\"}\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{\n\"ts\":"...)
	t.writeMicros("", t.start.UnixNano())
	t.line = append(t.line, ",\n\"version\":\"MLPerf LoadGen v1.0\"\n}\n}\n"...)
	_, _ = t.w.Write(t.line) // Flush returns the error
	return t.w.Flush()
}

func (t *TraceWriter) writeHead(name, kind string) {
	t.line = t.line[:0]
	t.writeEnd(name, kind)
}

func (t *TraceWriter) writeEnd(name, kind string) {
	t.line = append(t.line, `{"name":"`...)
	t.line = append(append(append(t.line, name...), '"'), kind...)
	t.writeNumber(`,"pid":`, t.pid)
}

func (t *TraceWriter) writeNumber(key string, v int64) {
	t.line = strconv.AppendInt(append(t.line, key...), v, 10)
}

// writeMicros writes nanoseconds as microseconds with three decimals.
func (t *TraceWriter) writeMicros(key string, ns int64) {
	t.line = append(t.line, key...)
	if ns < 0 {
		t.line = append(t.line, '-')
		ns = -ns
	}
	t.line = strconv.AppendInt(t.line, ns/1000, 10)
	f := ns % 1000
	t.line = append(t.line, '.', byte('0'+f/100), byte('0'+f/10%10), byte('0'+f%10))
}
