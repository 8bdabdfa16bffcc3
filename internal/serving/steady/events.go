package steady

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// CountTokens counts the tokens of a text, without special tokens, like the reference tokenizer.
type CountTokens func(text string) int

// CountMessage counts the tokens of a part of an answer with reasoning or tool calls (dicts of pyvalue), rendered with
// the reference chat template.
type CountMessage func(content, reasoning string, calls []any) int

// Events contains the data of a run in the client's events.jsonl.
type Events struct {
	Passes   []Pass
	Samples  int // samples issued while performance was tracked
	Complete int // completed samples among them
	Skipped  int // lines that are not events
	Messages int // answers with reasoning or tool calls
	// ClockBack is the maximum time in ns by which an event of a sample precedes the sample's issue. It is above 0 if the
	// clock was set back.
	ClockBack int64
}

// ClockDoubt returns a warning about the run's clock, or an empty string.
func (e *Events) ClockDoubt() string {
	if e.ClockBack == 0 {
		return ""
	}
	return fmt.Sprintf("the clock was set back by at least %.3f s during the run: its times, and the window, are not to "+
		"be trusted; measure again", float64(e.ClockBack)/1e9)
}

// maxLineSize is the maximum length of a line in bytes. An answer of a million tokens takes some of them.
const maxLineSize = 64 << 20

// maxRemembered is the number of completed samples whose ids are kept to recognize late events.
const maxRemembered = 1 << 16

// ErrEvents reports that a text does not contain the required events of a run.
var ErrEvents = errors.New("not the events of a run")

// ReadEvents reads events.jsonl and makes super-passes of size samples, which is the size of the data set and at least
// 1. Like the official detector, it counts and skips lines that are not events. It needs 24 bytes of memory per sample
// and keeps no texts. If message is nil, count counts answers with reasoning or tool calls as texts, without the calls.
// If count is nil, no tokens are counted and passes have no TPOT.
func ReadEvents(r io.Reader, size int, count CountTokens, message CountMessage) (Events, error) {
	e, err := NewEventReader(size, count, message)
	if err == nil {
		err = e.ReadMore(r)
	}
	if err != nil {
		return Events{}, err
	}
	return e.Events()
}

// EventReader reads a growing events.jsonl in steps. It is not safe for concurrent use.
type EventReader struct {
	gatherer   passGatherer
	incomplete []byte // last line, still incomplete
}

// NewEventReader returns a reader at the beginning of a log. Its arguments are those of ReadEvents.
func NewEventReader(size int, count CountTokens, message CountMessage) (*EventReader, error) {
	if size < 1 {
		return nil, fmt.Errorf("%w: super-passes of %d samples, want at least 1", ErrEvents, size)
	}
	return &EventReader{gatherer: passGatherer{size: size, count: count, message: message,
		inFlight: map[string]*pendingSample{}}}, nil
}

// ReadMore reads the next part of the log, up to its current end. After an error, the log cannot be read further.
func (e *EventReader) ReadMore(r io.Reader) error {
	lines := bufio.NewReaderSize(r, 1<<20)
	for {
		part, err := lines.ReadSlice('\n')
		if err == nil && len(e.incomplete) == 0 {
			e.gatherer.addLine(bytes.TrimSpace(part))
			continue
		}
		if len(e.incomplete)+len(part) > maxLineSize {
			return fmt.Errorf("%w: a line of more than %d MiB", ErrEvents, maxLineSize>>20)
		}
		e.incomplete = append(e.incomplete, part...)
		switch {
		case err == nil:
			e.gatherer.addLine(bytes.TrimSpace(e.incomplete))
			e.incomplete = e.incomplete[:0]
		case errors.Is(err, io.EOF):
			return nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// Events returns the data of the log so far, including an incomplete last line. The next Take changes its passes.
func (e *EventReader) Events() (Events, error) {
	if len(e.incomplete) > 0 {
		e.gatherer.addLine(bytes.TrimSpace(e.incomplete))
		e.incomplete = e.incomplete[:0]
	}
	return e.gatherer.toEvents()
}

// Span returns the times of the first issue and of the last event of a sample, in ns of the log's clock. ok is false if
// no sample has been issued yet.
func (e *EventReader) Span() (first, last int64, ok bool) {
	all := e.gatherer.events.Passes
	if len(all) == 0 {
		return 0, 0, false
	}
	for _, p := range all {
		last = max(last, p.LastEvent)
	}
	return all[0].FirstIssue, last, true
}

// EndedPasses returns the passes before the number of completed samples, and that number.
func (e *EventReader) EndedPasses() (passes []Pass, completed int) {
	g := &e.gatherer
	return g.events.Passes[:min(g.events.Complete/g.size, len(g.events.Passes))], g.events.Complete
}

// pendingSample is a request in flight.
type pendingSample struct {
	pass          int
	issued, first int64
	answered      bool // first is set
	done          bool
}

// passGatherer makes super-passes from events.
type passGatherer struct {
	size     int
	count    CountTokens
	message  CountMessage
	tracking bool
	tracked  bool // tracking was on at some time
	inFlight map[string]*pendingSample
	doneIDs  [maxRemembered]string // ids of the last completed samples, in a ring
	events   Events
}

func (g *passGatherer) addLine(line []byte) {
	if len(line) == 0 {
		return
	}
	e, ok := parseEvent(line)
	if !ok {
		g.events.Skipped++
		return
	}
	switch string(e.kind) {
	case "session.start_performance_tracking":
		g.tracking, g.tracked = true, true
		return
	case "session.stop_performance_tracking":
		g.tracking = false
		return
	case "sample.issued":
		if _, again := g.inFlight[string(e.sample)]; !again && g.tracking && len(e.sample) > 0 {
			g.beginSample(string(e.sample), e.at)
			return
		}
	}
	if s := g.inFlight[string(e.sample)]; s != nil {
		g.addEvent(s, e)
	}
}

// beginSample adds a sample.
func (g *passGatherer) beginSample(id string, at int64) {
	number := g.events.Samples / g.size
	if g.events.Samples++; number == len(g.events.Passes) {
		g.events.Passes = append(g.events.Passes, Pass{FirstIssue: at, LastIssue: at, LastEvent: at})
	}
	p := &g.events.Passes[number]
	p.Issued++
	p.FirstIssue, p.LastIssue, p.LastEvent = min(p.FirstIssue, at), max(p.LastIssue, at), max(p.LastEvent, at)
	g.inFlight[id] = &pendingSample{pass: number, issued: at}
}

// maxReserved is the largest number of times for which a pass reserves memory in advance.
const maxReserved = 1 << 16

// appendTime appends a time of a pass. The first one reserves the memory of the whole pass, because a slice that grows
// has up to a fourth more than it needs.
func (g *passGatherer) appendTime(times []float64, ns float64) []float64 {
	if times == nil {
		times = make([]float64, 0, min(g.size, maxReserved))
	}
	return append(times, ns)
}

// addEvent processes a later event of a sample.
func (g *passGatherer) addEvent(s *pendingSample, e eventLine) {
	p := &g.events.Passes[s.pass]
	g.events.ClockBack = max(g.events.ClockBack, s.issued-e.at)
	p.LastEvent = max(p.LastEvent, e.at)
	switch string(e.kind) {
	case "sample.issued": // a retry
		s.issued, p.LastIssue = e.at, max(p.LastIssue, e.at)
	case "sample.recv_first":
		if !s.answered {
			s.answered, s.first = true, e.at
			p.TTFT = g.appendTime(p.TTFT, float64(e.at-s.issued))
		}
	case "sample.complete":
		if s.done {
			return
		}
		s.done = true
		g.completeSample(s, p, e)
		g.rememberSample(string(e.sample))
	}
}

func (g *passGatherer) completeSample(s *pendingSample, p *Pass, e eventLine) {
	p.Latency = g.appendTime(p.Latency, float64(e.at-s.issued))
	if !s.answered {
		return
	}
	if tokens := g.countTokens(e.data); tokens > 0 {
		p.OutTokens += int64(tokens)
		p.TPOT = g.appendTime(p.TPOT, float64(e.at-s.first)/float64(tokens))
	}
}

// countTokens returns the number of tokens of an answer after its first chunk.
func (g *passGatherer) countTokens(data []byte) int {
	if g.count == nil {
		return 0
	}
	var parts []json.RawMessage
	if json.Unmarshal(data, &parts) != nil || len(parts) < 2 {
		return 0
	}
	a := decodeLater(parts)
	if a.structured {
		if g.events.Messages++; g.message != nil {
			return g.message(a.content, a.reasoning, a.calls)
		}
	}
	text := a.reasoning + a.content
	if text == "" {
		return 0
	}
	return g.count(text)
}

// rememberSample remembers a completed sample and forgets the oldest one.
func (g *passGatherer) rememberSample(id string) {
	at := &g.doneIDs[g.events.Complete%maxRemembered]
	if *at != "" {
		delete(g.inFlight, *at)
	}
	*at = id
	g.events.Complete++
}

func (g *passGatherer) toEvents() (Events, error) {
	switch {
	case !g.tracked:
		return g.events, fmt.Errorf("%w: performance was never tracked (no session.start_performance_tracking)", ErrEvents)
	case g.events.Samples == 0:
		return g.events, fmt.Errorf("%w: no sample was issued while performance was tracked", ErrEvents)
	}
	return g.events, nil
}

// laterChunks is the part of an answer after its first chunk.
type laterChunks struct {
	content, reasoning string
	calls              []any
	structured         bool // the answer has reasoning or tool calls
}

// decodeLater decodes the data of a completion: a tag, the output, and optionally the reasoning and the tool calls.
// Output and reasoning are a text or a list of chunks. The first chunk belongs to the reasoning if there is any. A
// whole text does not count, because it includes its first chunk, unless chunks of reasoning came before it.
func decodeLater(parts []json.RawMessage) (a laterChunks) {
	listed, reasoned := false, false
	if len(parts) > 2 {
		chunks, whole, list := decodeChunks(parts[2])
		listed, reasoned = list && len(chunks) > 0, len(chunks) > 0 || whole != ""
		a.reasoning = string(appendFrom(nil, chunks, 1))
	}
	chunks, whole, list := decodeChunks(parts[1])
	switch {
	case list && reasoned:
		a.content = string(appendFrom(nil, chunks, 0))
	case list:
		a.content = string(appendFrom(nil, chunks, 1))
	case listed:
		a.content = whole
	}
	if len(parts) > 3 {
		a.calls = decodeCalls(parts[3], len(chunks) == 0 && whole == "" && !reasoned)
	}
	a.structured = reasoned || len(parts) > 3 && !isEmptyList(parts[3])
	return a
}

// isEmptyList reports whether a value is null or an empty list.
func isEmptyList(raw json.RawMessage) bool {
	var all []json.RawMessage
	return json.Unmarshal(raw, &all) != nil || len(all) == 0
}

// decodeCalls returns the tool calls in a list of calls, or in a list of chunks whose parts it joins by index. If first
// is set, the answer began with the first chunk, and that chunk does not count.
func decodeCalls(raw json.RawMessage, first bool) []any {
	v, err := pyvalue.Decode(string(raw))
	all, _ := v.([]any)
	if err != nil || len(all) == 0 {
		return nil
	}
	if _, chunks := all[0].([]any); !chunks {
		return all
	}
	if first {
		all = all[1:]
	}
	calls := map[int64]*pyvalue.Dict{}
	for _, chunk := range all {
		parts, _ := chunk.([]any)
		for _, part := range parts {
			if d, ok := part.(*pyvalue.Dict); ok {
				addCallPart(calls, d)
			}
		}
	}
	var out []any
	for _, i := range slices.Sorted(maps.Keys(calls)) {
		out = append(out, calls[i])
	}
	return out
}

// addCallPart adds a part of a call to the call with its index.
func addCallPart(calls map[int64]*pyvalue.Dict, part *pyvalue.Dict) {
	i, _ := pyvalue.Field[int64](part, "index")
	call := calls[i]
	if call == nil {
		call = pyvalue.NewDict()
		call.Set("type", "function")
		function := pyvalue.NewDict()
		function.Set("arguments", "")
		call.Set("function", function)
		calls[i] = call
	}
	for _, key := range []string{"id", "type"} {
		if text, _ := pyvalue.Field[string](part, key); text != "" {
			call.Set(key, text)
		}
	}
	function, _ := pyvalue.Field[*pyvalue.Dict](call, "function")
	more, _ := pyvalue.Field[*pyvalue.Dict](part, "function")
	if name, _ := pyvalue.Field[string](more, "name"); name != "" {
		function.Set("name", name)
	}
	if text, _ := pyvalue.Field[string](more, "arguments"); text != "" {
		before, _ := pyvalue.Field[string](function, "arguments")
		function.Set("arguments", before+text)
	}
}

// decodeChunks decodes a text or a list of texts.
func decodeChunks(raw json.RawMessage) (chunks []string, whole string, list bool) {
	if json.Unmarshal(raw, &chunks) == nil && chunks != nil {
		return chunks, "", true
	}
	if json.Unmarshal(raw, &whole) != nil {
		whole = ""
	}
	return nil, whole, false
}

func appendFrom(all []byte, chunks []string, from int) []byte {
	for i := from; i < len(chunks); i++ {
		all = append(all, chunks[i]...)
	}
	return all
}

// eventLine is a line of events.jsonl. Its slices refer to the line's bytes.
type eventLine struct {
	kind   []byte
	sample []byte
	at     int64 // ns
	data   []byte
}

// parseEvent reads the required keys of an object. It skips all other values without decoding them.
func parseEvent(line []byte) (e eventLine, ok bool) {
	if line[0] != '{' || line[len(line)-1] != '}' {
		return e, false
	}
	s := jsonScanner{line, 1}
	for s.skipSpace(); s.at < len(line) && line[s.at] != '}'; s.skipSpace() {
		key, found := s.nextValue()
		if s.skipSpace(); !found || len(key) < 2 || key[0] != '"' || !s.skipByte(':') {
			return e, false
		}
		s.skipSpace()
		value, found := s.nextValue()
		if !found || !e.setKey(key[1:len(key)-1], value) {
			return e, false
		}
		if s.skipSpace(); !s.skipByte(',') {
			break
		}
	}
	return e, s.at == len(line)-1 && len(e.kind) > 0
}

// setKey sets the field of a key.
func (e *eventLine) setKey(key, value []byte) bool {
	switch string(key) {
	case "event_type":
		e.kind = unquoteText(value)
	case "sample_uuid":
		e.sample = unquoteText(value)
	case "timestamp_ns":
		at, err := strconv.ParseInt(string(value), 10, 64)
		e.at = at
		return err == nil
	case "data":
		e.data = value
	}
	return true
}

// unquoteText returns a text without its quotes, or nil if the value is not a text.
func unquoteText(value []byte) []byte {
	if len(value) < 2 || value[0] != '"' {
		return nil
	}
	if text := value[1 : len(value)-1]; bytes.IndexByte(text, '\\') < 0 {
		return text
	}
	var text string
	if json.Unmarshal(value, &text) != nil {
		return nil
	}
	return []byte(text)
}

// jsonScanner finds the ends of JSON values.
type jsonScanner struct {
	text []byte
	at   int
}

func (s *jsonScanner) skipSpace() {
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\t') {
		s.at++
	}
}

func (s *jsonScanner) skipByte(c byte) bool {
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

// nextValue returns the bytes of the next value.
func (s *jsonScanner) nextValue() ([]byte, bool) {
	from, depth := s.at, 0
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case '"':
			if !s.skipQuoted() {
				return nil, false
			}
			if depth == 0 {
				return s.text[from:s.at], true
			}
			continue
		case '[', '{':
			depth++
		case ']', '}', ',', ':', ' ':
			if depth == 0 {
				return s.text[from:s.at], s.at > from
			}
			if c == ']' || c == '}' {
				depth--
			}
			if depth == 0 {
				s.at++
				return s.text[from:s.at], true
			}
		}
		s.at++
	}
	return nil, false
}

// skipQuoted skips a quoted text.
func (s *jsonScanner) skipQuoted() bool {
	for at := s.at + 1; ; {
		end := bytes.IndexByte(s.text[at:], '"')
		if end < 0 {
			return false
		}
		at += end
		slashes := 0
		for s.text[at-1-slashes] == '\\' {
			slashes++
		}
		if at++; slashes%2 == 0 {
			s.at = at
			return true
		}
	}
}
