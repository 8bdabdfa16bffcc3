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

// CountMessage counts the tokens of a part of an answer that has reasoning or calls of tools (dicts of pyvalue), as the
// reference chat template renders it.
type CountMessage func(content, reasoning string, calls []any) int

// Events contains the data of a run in the client's events.jsonl.
type Events struct {
	Passes   []Pass
	Samples  int // issued while performance was tracked
	Complete int // of them
	Skipped  int // lines that are no event
	Messages int // answers with reasoning or calls of tools
	// Back is the farthest, in ns, that the time of an event of a sample lies before that of the sample's issue: the clock
	// was set back.
	Back int64
}

// ClockDoubt says what is wrong with the clock of a run; empty: nothing.
func (e *Events) ClockDoubt() string {
	if e.Back == 0 {
		return ""
	}
	return fmt.Sprintf("the clock was set back by at least %.3f s during the run: its times, and the window, are not to "+
		"be trusted; measure again", float64(e.Back)/1e9)
}

// maxLine is the longest line that is read, in bytes: an answer of a million tokens has some.
const maxLine = 64 << 20

// maxRemembered is the number of completed samples that are remembered for late events of theirs.
const maxRemembered = 1 << 16

// ErrEvents is wrapped by the errors of ReadEvents where the text does not say what is needed.
var ErrEvents = errors.New("not the events of a run")

// ReadEvents reads events.jsonl and makes super-passes of size samples: that of the data set, at least 1. Lines that
// are no event are counted and skipped, as the official detector skips them. Memory is that of the times of the
// samples, 24 bytes each; texts are not kept. Without message, answers with reasoning or calls of tools are counted as
// texts, without the calls. Without count, no tokens are counted, and passes have no TPOT.
func ReadEvents(r io.Reader, size int, count CountTokens, message CountMessage) (Events, error) {
	e, err := NewEventReader(size, count, message)
	if err == nil {
		err = e.Take(r)
	}
	if err != nil {
		return Events{}, err
	}
	return e.Events()
}

// EventReader reads events.jsonl as it grows: the reader of ReadEvents, in steps. It is not safe for concurrent use.
type EventReader struct {
	gatherer passGatherer
	part     []byte // of the last line, whose end has not come yet
}

// NewEventReader begins a log, with ReadEvents' arguments.
func NewEventReader(size int, count CountTokens, message CountMessage) (*EventReader, error) {
	if size < 1 {
		return nil, fmt.Errorf("%w: super-passes of %d samples, want at least 1", ErrEvents, size)
	}
	return &EventReader{gatherer: passGatherer{size: size, count: count, message: message,
		under: map[string]*pendingSample{}}}, nil
}

// Take takes what follows in the log, up to its end for now. After an error the log cannot be read on.
func (e *EventReader) Take(r io.Reader) error {
	lines := bufio.NewReaderSize(r, 1<<20)
	for {
		part, err := lines.ReadSlice('\n')
		if err == nil && len(e.part) == 0 {
			e.gatherer.takeLine(bytes.TrimSpace(part))
			continue
		}
		if len(e.part)+len(part) > maxLine {
			return fmt.Errorf("%w: a line of more than %d MiB", ErrEvents, maxLine>>20)
		}
		e.part = append(e.part, part...)
		switch {
		case err == nil:
			e.gatherer.takeLine(bytes.TrimSpace(e.part))
			e.part = e.part[:0]
		case errors.Is(err, io.EOF):
			return nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// Events is what the log says until now, a last line without its end included. Its passes change with the next Take.
func (e *EventReader) Events() (Events, error) {
	if len(e.part) > 0 {
		e.gatherer.takeLine(bytes.TrimSpace(e.part))
		e.part = e.part[:0]
	}
	return e.gatherer.toEvents()
}

// Span is from the first issue to the last event of a sample, in ns of the log's clock; false: none was issued yet.
func (e *EventReader) Span() (first, last int64, ok bool) {
	all := e.gatherer.out.Passes
	if len(all) == 0 {
		return 0, 0, false
	}
	for _, p := range all {
		last = max(last, p.LastEvent)
	}
	return all[0].FirstIssue, last, true
}

// Ended are the passes of which as many samples have completed as they have, and all samples that have.
func (e *EventReader) Ended() (passes []Pass, completed int) {
	g := &e.gatherer
	return g.out.Passes[:min(g.out.Complete/g.size, len(g.out.Passes))], g.out.Complete
}

// pendingSample is what is known of a request under way.
type pendingSample struct {
	pass          int
	issued, first int64
	answered      bool // first is known
	done          bool
}

// passGatherer makes passes of events as they come.
type passGatherer struct {
	size     int
	count    CountTokens
	message  CountMessage
	tracking bool
	tracked  bool // at any time
	under    map[string]*pendingSample
	done     [maxRemembered]string // the ids that completed last, in a ring
	out      Events
}

func (g *passGatherer) takeLine(line []byte) {
	if len(line) == 0 {
		return
	}
	e, ok := parseEvent(line)
	if !ok {
		g.out.Skipped++
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
		if _, again := g.under[string(e.sample)]; !again && g.tracking && len(e.sample) > 0 {
			g.beginSample(string(e.sample), e.at)
			return
		}
	}
	if s := g.under[string(e.sample)]; s != nil {
		g.takeEvent(s, e)
	}
}

// beginSample begins a sample.
func (g *passGatherer) beginSample(id string, at int64) {
	number := g.out.Samples / g.size
	if g.out.Samples++; number == len(g.out.Passes) {
		g.out.Passes = append(g.out.Passes, Pass{FirstIssue: at, LastIssue: at, LastEvent: at})
	}
	p := &g.out.Passes[number]
	p.Issued++
	p.FirstIssue, p.LastIssue, p.LastEvent = min(p.FirstIssue, at), max(p.LastIssue, at), max(p.LastEvent, at)
	g.under[id] = &pendingSample{pass: number, issued: at}
}

// takeEvent takes a later event of a sample.
func (g *passGatherer) takeEvent(s *pendingSample, e eventLine) {
	p := &g.out.Passes[s.pass]
	g.out.Back = max(g.out.Back, s.issued-e.at)
	p.LastEvent = max(p.LastEvent, e.at)
	switch string(e.kind) {
	case "sample.issued": // a retry
		s.issued, p.LastIssue = e.at, max(p.LastIssue, e.at)
	case "sample.recv_first":
		if !s.answered {
			s.answered, s.first = true, e.at
			p.TTFT = append(p.TTFT, float64(e.at-s.issued))
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
	p.Latency = append(p.Latency, float64(e.at-s.issued))
	if !s.answered {
		return
	}
	if tokens := g.countTokens(e.data); tokens > 0 {
		p.OutTokens += int64(tokens)
		p.TPOT = append(p.TPOT, float64(e.at-s.first)/float64(tokens))
	}
}

// countTokens are those of an answer after its first chunk.
func (g *passGatherer) countTokens(data []byte) int {
	if g.count == nil {
		return 0
	}
	var parts []json.RawMessage
	if json.Unmarshal(data, &parts) != nil || len(parts) < 2 {
		return 0
	}
	a := laterOf(parts)
	if a.structured {
		if g.out.Messages++; g.message != nil {
			return g.message(a.content, a.reasoning, a.calls)
		}
	}
	text := a.reasoning + a.content
	if text == "" {
		return 0
	}
	return g.count(text)
}

// rememberSample keeps a completed sample for a while, and forgets the one that completed longest ago.
func (g *passGatherer) rememberSample(id string) {
	at := &g.done[g.out.Complete%maxRemembered]
	if *at != "" {
		delete(g.under, *at)
	}
	*at = id
	g.out.Complete++
}

func (g *passGatherer) toEvents() (Events, error) {
	switch {
	case !g.tracked:
		return g.out, fmt.Errorf("%w: performance was never tracked (no session.start_performance_tracking)", ErrEvents)
	case g.out.Samples == 0:
		return g.out, fmt.Errorf("%w: no sample was issued while performance was tracked", ErrEvents)
	}
	return g.out, nil
}

// laterChunks is what came of an answer after its first chunk.
type laterChunks struct {
	content, reasoning string
	calls              []any
	structured         bool // the answer has reasoning or calls of tools
}

// laterOf reads what a completion carries: a tag, the output, and, where there are such, the reasoning and the calls of
// tools. Output and reasoning are a text or a list of chunks. The first chunk is the reasoning's where there is any; a
// text as a whole cannot be told from its first chunk and does not count, unless chunks of reasoning came before it.
func laterOf(parts []json.RawMessage) (a laterChunks) {
	listed, reasoned := false, false
	if len(parts) > 2 {
		chunks, whole, list := chunksOf(parts[2])
		listed, reasoned = list && len(chunks) > 0, len(chunks) > 0 || whole != ""
		a.reasoning = string(appendFrom(nil, chunks, 1))
	}
	chunks, whole, list := chunksOf(parts[1])
	switch {
	case list && reasoned:
		a.content = string(appendFrom(nil, chunks, 0))
	case list:
		a.content = string(appendFrom(nil, chunks, 1))
	case listed:
		a.content = whole
	}
	if len(parts) > 3 {
		a.calls = callsOf(parts[3], len(chunks) == 0 && whole == "" && !reasoned)
	}
	a.structured = reasoned || len(parts) > 3 && !isEmpty(parts[3])
	return a
}

// isEmpty tells whether a value is null or a list of nothing.
func isEmpty(raw json.RawMessage) bool {
	var all []json.RawMessage
	return json.Unmarshal(raw, &all) != nil || len(all) == 0
}

// callsOf are the calls of tools: a list of them, or of chunks, whose parts are put together by their index. Of chunks
// the first does not count where the answer began with it.
func callsOf(raw json.RawMessage, first bool) []any {
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
				addPart(calls, d)
			}
		}
	}
	var out []any
	for _, i := range slices.Sorted(maps.Keys(calls)) {
		out = append(out, calls[i])
	}
	return out
}

// addPart adds a part of a call to the call of its index.
func addPart(calls map[int64]*pyvalue.Dict, part *pyvalue.Dict) {
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

// chunksOf reads a text, or a list of them.
func chunksOf(raw json.RawMessage) (chunks []string, whole string, list bool) {
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

// eventLine is a line of events.jsonl; its slices are those of the line.
type eventLine struct {
	kind   []byte
	sample []byte
	at     int64 // ns
	data   []byte
}

// parseEvent reads the keys of an object that are wanted, and skips all else without decoding it.
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

// setKey takes the value of a key.
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

// unquoteText is a text without its quotes; nil of another value.
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

// nextValue is the next value as it stands.
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

// skipQuoted goes behind a text in quotes.
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
