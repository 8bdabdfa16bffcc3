package openai

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// streamEvent is one server-sent event of a stream (WHATWG HTML, section 9.2). data is valid until the next event is
// read.
type streamEvent struct {
	data      []byte
	isError   bool // the event's name or its field is "error"
	isComment bool // the event contains only comments
}

// maxEventBytes is the maximum size of an incomplete event.
const maxEventBytes = 4 << 20

// errLongEvent means that an event exceeds maxEventBytes.
var errLongEvent = fmt.Errorf("an event of the stream has more than %d MiB", maxEventBytes>>20)

// eventReader reads the events of a stream. Its memory is reused.
type eventReader struct {
	from        io.Reader
	buffer      []byte
	start, end  int // read but unused part of buffer
	searched    int // length of that part without the end of an event
	joined      []byte
	unknownLine []byte // the first line that is not a field of an event
	received    int64  // bytes received
	maxBytes    int64  // maximum number of bytes; 0: any number

	clock       func() int64   // nil: times are not recorded
	source      arrivalCounter // nil: each read is a separate arrival
	arrival     int            // number of the last read's arrival
	read        int64          // time at which the first read of that arrival returned
	longestRead int64          // longest time from the return of a read to the delivery of its content
	comments    bool           // deliver comments as events
	ended       bool           // the stream has ended; stop reading
	full        bool           // the last read filled the buffer
}

// startBuffer is the initial size of a buffer: an event with a token or two has about 300 bytes. A smaller buffer grows
// up to usualBuffer while reads fill it.
const (
	startBuffer = 4096
	usualBuffer = 1 << 10
)

func (e *eventReader) reset(from io.Reader) {
	if e.buffer == nil {
		e.buffer = make([]byte, startBuffer)
	}
	*e = eventReader{from: from, buffer: e.buffer, joined: e.joined[:0], unknownLine: e.unknownLine[:0]}
}

// observeArrivals makes the reader record the time of each arrival and deliver comments.
func (e *eventReader) observeArrivals(clock func() int64, source arrivalCounter) {
	e.clock, e.source, e.comments = clock, source, true
}

// noteArrival records the time if a read returned data of a new arrival.
func (e *eventReader) noteArrival() {
	if e.clock == nil {
		return
	}
	before := e.arrival
	if e.source != nil {
		e.arrival = e.source.arrivals()
	}
	if e.source == nil || e.received == 0 || e.arrival != before {
		e.read = e.clock()
	}
}

// nextEvent returns the next event with data. At the end of the stream the error is io.EOF, or io.ErrUnexpectedEOF
// within an event.
func (e *eventReader) nextEvent() (streamEvent, error) {
	for {
		if block, found := e.nextBlock(); found {
			if ev := e.parseEvent(block); len(ev.data) > 0 || ev.isError || ev.isComment && e.comments {
				return ev, nil
			}
			continue
		}
		switch err := e.fillBuffer(); {
		case errors.Is(err, io.EOF):
			return e.lastEvent()
		case err != nil:
			return streamEvent{}, err
		}
	}
}

// eventTaker receives the events of an answer. An error stops the reading.
type eventTaker interface {
	noteEvent() error // called for each event, including the last
	takeEvent(ev streamEvent) error
}

// eachEvent delivers the events of an answer except the last. ended is the reason why the stream ended before the last
// event. fault is the error of the taker.
func (e *eventReader) eachEvent(to eventTaker) (ended, fault error) {
	for {
		ev, err := e.nextEvent()
		if err != nil {
			return err, nil
		}
		if err := to.noteEvent(); err != nil {
			return nil, err
		}
		if ev.isLast() {
			return nil, nil
		}
		if err := to.takeEvent(ev); err != nil {
			return nil, err
		}
	}
}

// lastEvent returns the remaining event at the end of the stream. The last event need not be followed by an empty line.
func (e *eventReader) lastEvent() (streamEvent, error) {
	left := e.buffer[e.start:e.end]
	if len(bytes.TrimSpace(left)) == 0 {
		return streamEvent{}, io.EOF
	}
	e.start = e.end
	if ev := e.parseEvent(left); ev.isLast() {
		return ev, nil
	}
	return streamEvent{}, io.ErrUnexpectedEOF
}

// doneData is the data of the event that ends an answer.
const doneData = "[DONE]"

func (ev streamEvent) isLast() bool { return string(bytes.TrimSpace(ev.data)) == doneData }

// nextBlock removes and returns the lines up to the next empty line. A line ends with LF, CRLF, or CR alone.
func (e *eventReader) nextBlock() (lines []byte, found bool) {
	unused := e.buffer[e.start:e.end]
	for at := e.searched; ; {
		n, length := lineEnd(unused[at:])
		if n < 0 {
			e.searched = at
			return nil, false
		}
		at += n + length
		if n == 0 {
			e.start += at
			e.searched = 0
			return unused[:at], true
		}
	}
}

// lineEnd returns the position and the length of a line's end; -1: not yet, or not known.
func lineEnd(text []byte) (at, length int) {
	n := bytes.IndexByte(text, '\n')
	line := text
	if n >= 0 {
		line = text[:n]
	}
	switch cr := bytes.IndexByte(line, '\r'); {
	case cr < 0:
		return n, 1
	case cr+1 < len(line), cr == 0 && n < 0: // an empty line ends here regardless of what follows
		return cr, 1
	case n < 0: // LF may follow
		return -1, 0
	default:
		return cr, 2
	}
}

func (e *eventReader) fillBuffer() error {
	if e.start > 0 {
		e.end = copy(e.buffer, e.buffer[e.start:e.end])
		e.start = 0
	}
	if e.end == len(e.buffer) {
		if len(e.buffer) >= maxEventBytes {
			return errLongEvent
		}
		e.full = true
	}
	if e.full && (e.end == len(e.buffer) || len(e.buffer) < usualBuffer) {
		e.buffer = append(e.buffer, make([]byte, len(e.buffer))...)
	}
	if e.ended {
		return io.EOF
	}
	if e.maxBytes > 0 && e.received > e.maxBytes {
		return fmt.Errorf("%w: it goes on behind %d MiB, more than the tokens that it was asked for may take", ErrStream,
			e.maxBytes>>20)
	}
	if e.clock != nil && e.received > 0 {
		e.longestRead = max(e.longestRead, e.clock()-e.read)
	}
	n, err := e.from.Read(e.buffer[e.end:])
	e.noteArrival()
	e.ended = errors.Is(err, io.EOF)
	e.end += n
	e.full = e.end == len(e.buffer)
	e.received += int64(n)
	switch {
	case n > 0:
		return nil
	case err == nil:
		return io.ErrNoProgress
	}
	return err
}

// skipRest reads until the stream ends or fails, or until half a buffer more has arrived.
func (e *eventReader) skipRest() {
	for e.start, e.end, e.searched = 0, 0, 0; !e.ended && e.end <= len(e.buffer)/2; {
		if e.fillBuffer() != nil {
			return
		}
	}
}

// errLongAnswer means that an unstreamed answer exceeds its maximum length.
var errLongAnswer = fmt.Errorf("%w: it has more bytes than it may have", ErrStream)

// readAll reads the whole stream. If it has more than maxBytes, it returns its beginning and errLongAnswer. The result
// is valid until the next reset.
func (e *eventReader) readAll(maxBytes int) ([]byte, error) {
	for {
		if e.end == len(e.buffer) {
			if e.end >= maxBytes {
				return e.buffer[:e.end], errLongAnswer
			}
			e.buffer = append(e.buffer, make([]byte, len(e.buffer))...)
		}
		switch err := e.fillBuffer(); {
		case errors.Is(err, io.EOF):
			return e.buffer[:e.end], nil
		case err != nil:
			return nil, err
		}
	}
}

// parseEvent parses the fields of an event. Comments have no data; some servers send such events to keep a connection
// alive.
func (e *eventReader) parseEvent(block []byte) (ev streamEvent) {
	e.joined = e.joined[:0]
	ev.isComment = len(block) > 0 && block[0] == ':'
	for len(block) > 0 {
		line := bytes.TrimSuffix(block, []byte("\r"))
		if n, length := lineEnd(block); n >= 0 {
			line, block = block[:n], block[n+length:]
		} else {
			block = nil
		}
		name, value, hasValue := bytes.Cut(line, []byte(":"))
		if !hasValue {
			value = line[len(line):] // empty, not absent
		}
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(bytes.TrimPrefix(name, []byte("\ufeff"))) {
		case "data":
			ev.data = e.joinLines(ev.data, value)
		case "event":
			ev.isError = ev.isError || string(value) == "error"
		case "error": // used by llama.cpp
			ev.isError = true
			ev.data = e.joinLines(ev.data, value)
		case "", "id", "retry":
		default:
			if len(e.unknownLine) == 0 {
				e.unknownLine = append(e.unknownLine, line[:min(len(line), maxErrorBody)]...)
			}
		}
	}
	ev.isComment = ev.isComment && len(ev.data) == 0 && !ev.isError
	return ev
}

// joinLines joins the lines of an event's data.
func (e *eventReader) joinLines(data, line []byte) []byte {
	if data == nil {
		return line[:len(line):len(line)]
	}
	if len(e.joined) == 0 { // otherwise data is the joined text
		e.joined = append(e.joined, data...)
	}
	e.joined = append(append(e.joined, '\n'), line...)
	return e.joined
}
