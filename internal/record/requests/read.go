package requests

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"

	"github.com/plumbline-ml/plumbline/serving/metrics"
)

const (
	// maxLineBytes limits the bytes of a line. An answer of a million tokens takes some ten million.
	maxLineBytes = 64 << 20
	// maxFaults limits the reported faults.
	maxFaults = 20
	// latest is the latest accepted time, twenty years in ns.
	latest = int64(20 * 365 * 24 * 3600e9)
	// maxEventIDs limits the ids of an event.
	maxEventIDs = 1 << 24
)

// Read reads the records that Write wrote. The error reports up to twenty faults with their lines.
func Read(from io.Reader) ([]metrics.Request, error) {
	in := bufio.NewScanner(from)
	in.Buffer(make([]byte, 0, 1<<16), maxLineBytes)
	var all []metrics.Request
	var faults []error
	line := 0
	for in.Scan() {
		line++
		if len(bytes.TrimSpace(in.Bytes())) == 0 {
			continue
		}
		r, err := parseLine(in.Bytes())
		if err != nil {
			if faults = append(faults, fmt.Errorf("line %d: %w", line, err)); len(faults) == maxFaults {
				faults = append(faults, errors.New("and maybe more"))
				break
			}
			continue
		}
		all = append(all, r)
	}
	if err := in.Err(); errors.Is(err, bufio.ErrTooLong) {
		faults = append(faults, fmt.Errorf("line %d has more than %d bytes, want a request", line+1, maxLineBytes))
	} else if err != nil {
		return nil, err
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return all, nil
}

// parseLine parses a line.
func parseLine(text []byte) (metrics.Request, error) {
	var row Row
	if err := json.Unmarshal(text, &row); err != nil {
		return metrics.Request{}, fmt.Errorf("no request: %w", err)
	}
	return row.Request()
}

// statusPattern matches the valid values of a request's status.
var statusPattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)

// Request returns the record of the row. The error states the row's first impossible value.
func (row *Row) Request() (metrics.Request, error) {
	var faults []string
	need := func(ok bool, format string, a ...any) {
		if !ok {
			faults = append(faults, fmt.Sprintf(format, a...))
		}
	}
	for _, n := range []struct {
		name string
		v    int
	}{{"index", row.Index}, {"row", row.Row}, {"user", row.User}, {"turn", row.Turn}, {"server", row.Server}} {
		need(n.v >= 0 && n.v <= math.MaxInt32, "%s is %d, want 0 or more", n.name, n.v)
	}
	for _, t := range []struct {
		name string
		v    int64
	}{{"due_ns", row.Due}, {"sent_ns", row.Sent}, {"end_ns", row.End}, {"read_ns", row.Read}} {
		need(t.v >= -latest && t.v <= latest, "%s is %d, want within twenty years", t.name, t.v)
	}
	need(statusPattern.MatchString(string(row.Status)), "the status is %q, want ok, refused, http_429 or alike",
		row.Status)
	r := metrics.Request{
		Index: row.Index, Row: row.Row, User: row.User, Turn: row.Turn, Session: row.Session, Server: row.Server,
		Due: row.Due, Sent: row.Sent, End: row.End, Status: row.Status, Fault: row.Fault, Finish: row.Finish,
		WarmUp: row.WarmUp, Whole: row.Whole, Read: row.Read,
	}
	for _, n := range []struct {
		name string
		from *int64
		to   *int64
	}{
		{"prompt_tokens", row.Prompt, &r.Usage.Prompt}, {"completion_tokens", row.Completion, &r.Usage.Completion},
		{"reasoning_tokens", row.Reasoning, &r.Usage.Reasoning}, {"cached_tokens", row.Cached, &r.Usage.Cached},
		{"retokenized", row.Retokenized, &r.Retokenized}, {"asked_in", row.AskedIn, &r.AskedIn},
		{"asked_out", row.AskedOut, &r.AskedOut},
	} {
		if *n.to = metrics.Unknown; n.from != nil {
			*n.to = *n.from
			need(*n.from >= 0 && *n.from <= 1<<40, "%s is %d, want a number of tokens", n.name, *n.from)
		}
	}
	if fault := row.addEventsTo(&r.Events); fault != "" {
		faults = append(faults, fault)
	}
	if len(faults) > 0 {
		return metrics.Request{}, errors.New(strings.Join(faults, "; "))
	}
	return r, nil
}

// addEventsTo adds the token events to events. It returns a description of the first fault.
func (row *Row) addEventsTo(events *metrics.TokenEvents) (fault string) {
	n := 1 + len(row.Gaps)
	switch {
	case row.First == nil && len(row.Gaps)+len(row.Kinds)+len(row.IDs) > 0:
		return "there are token events, but no first_ns"
	case row.First == nil:
		return ""
	case len(row.Kinds) != 1 && len(row.Kinds) != n:
		return fmt.Sprintf("kinds has %d letters, want one, or one for each of %d token events", len(row.Kinds), n)
	case len(row.IDs) > 1 && len(row.IDs) != n:
		return fmt.Sprintf("ids has %d numbers, want one, or one for each of %d token events", len(row.IDs), n)
	}
	at := *row.First
	for i := range n {
		if i > 0 {
			gap := row.Gaps[i-1]
			if gap < 0 || gap > latest {
				return fmt.Sprintf("gap %d is %d ns: token events are in the order in which they came", i, gap)
			}
			at += gap
		}
		e, fault := row.event(i, at)
		if fault != "" {
			return fault
		}
		events.Add(e)
	}
	return ""
}

// event returns token event i, which arrived at a time in ns.
func (row *Row) event(i int, at int64) (e metrics.StreamEvent, fault string) {
	if at < -latest || at > latest {
		return e, fmt.Sprintf("token event %d came at %d ns, want within twenty years", i, at)
	}
	e, ok := eventOfLetter(row.Kinds[min(i, len(row.Kinds)-1)])
	if !ok {
		return e, fmt.Sprintf("kinds is %q, want letters of c, r, t, o and m, capital where there is no text",
			row.Kinds[:min(len(row.Kinds), 20)])
	}
	if e.At = at; len(row.IDs) > 0 {
		e.IDs = row.IDs[min(i, len(row.IDs)-1)]
	}
	if e.IDs < 0 || e.IDs > maxEventIDs || !e.IsToken() {
		return e, fmt.Sprintf("event %d, %c with %d ids, is no token event", i, letterOf(e), e.IDs)
	}
	return e, ""
}

// eventOfLetter returns the event for a letter.
func eventOfLetter(l byte) (metrics.StreamEvent, bool) {
	e := metrics.StreamEvent{Text: l >= 'a'}
	if !e.Text {
		l += 'a' - 'A'
	}
	at := strings.IndexByte(eventLetters, l)
	e.Kind = metrics.EventKind(max(at, 0))
	return e, at >= 0
}
