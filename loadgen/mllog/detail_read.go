package mllog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// DetailReader reads a detail log line by line.
type DetailReader struct {
	lines *lineReader
}

// NewDetailReader returns a reader of r.
func NewDetailReader(r io.Reader) *DetailReader { return &DetailReader{newLineReader(r)} }

// Line returns the number of the last line read, counted from 1.
func (d *DetailReader) Line() int { return d.lines.line }

// Next returns the next entry, or io.EOF after the last one. After a [*LineError] the caller may read on from the next
// line.
func (d *DetailReader) Next() (DetailEntry, error) {
	line, err := d.lines.nextLine()
	if err != nil {
		return DetailEntry{}, err
	}
	e, fault := parseDetail(line)
	if fault != "" {
		return DetailEntry{}, &LineError{Log: "detail log", Line: d.lines.line, Text: fault}
	}
	return e, nil
}

// ReadDetail reads a whole detail log.
func ReadDetail(r io.Reader) ([]DetailEntry, error) {
	d := NewDetailReader(r)
	var list []DetailEntry
	for {
		e, err := d.Next()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		list = append(list, e)
	}
}

// parseDetail splits a line at its fixed parts, because strings are not escaped. The value ends at the last time_ms of
// the line. The second result describes a fault, or is "".
func parseDetail(line []byte) (DetailEntry, string) {
	rest, ok := bytes.CutPrefix(line, []byte(detailHead))
	if !ok {
		return DetailEntry{}, "want " + detailHead + `..., found ` + quoteText(line)
	}
	key, rest, ok := bytes.Cut(rest, []byte(detailSep))
	if !ok {
		return DetailEntry{}, "no value: " + quoteText(line)
	}
	i := bytes.LastIndex(rest, []byte(detailAfter))
	if i < 0 {
		return DetailEntry{}, "no time_ms after the value"
	}
	e := DetailEntry{Key: string(key)}
	if fault := parseTail(rest[i+len(detailAfter):], &e); fault != "" {
		return e, fault
	}
	value, ok := parseDetailValue(rest[:i])
	if !ok {
		return e, fmt.Sprintf("key %s: the value %s is neither a number, a bool, a string, a list nor a map",
			key, quoteText(rest[:i]))
	}
	e.Value = value
	return e, ""
}

// The fixed texts before the key, between key and value, and after the value.
const (
	detailHead  = DetailPrefix + `{"key": "`
	detailSep   = `", "value": `
	detailAfter = `, "time_ms": `
)

// tailParts lists the fixed texts between the fields after the value.
var tailParts = [...]string{
	`, "namespace": "mlperf::logging", "event_type": "POINT_IN_TIME", "metadata": {"is_error": `,
	`, "is_warning": `, `, "file": "`, `", "line_no": `, `, "pid": `, `, "tid": `, `}}`,
}

func parseTail(tail []byte, e *DetailEntry) string {
	var fields [len(tailParts)]string
	rest := string(tail)
	for i, part := range tailParts {
		var ok bool
		if fields[i], rest, ok = strings.Cut(rest, part); !ok {
			return fmt.Sprintf("want %s after the entry's field %d", strings.Trim(part, ", "), i+2)
		}
	}
	if rest != "" {
		return "text after the entry: " + quoteText([]byte(rest))
	}
	var ok [len(fields)]bool
	var line int64
	e.Time, ok[0] = parseMillis(fields[0])
	e.Error, ok[1] = parseBool(fields[1])
	e.Warning, ok[2] = parseBool(fields[2])
	e.File, ok[3] = fields[3], true
	line, ok[4] = parseInt(fields[4])
	e.Line = int(line)
	e.PID, ok[5] = parseInt(fields[5])
	e.TID, ok[6] = parseInt(fields[6])
	names := [...]string{"time_ms", "is_error", "is_warning", "file", "line_no", "pid", "tid"}
	for i, good := range ok {
		if !good {
			return names[i] + ": cannot read " + quoteText([]byte(fields[i]))
		}
	}
	return ""
}

func parseBool(text string) (v, ok bool) { return text == "true", text == "true" || text == "false" }

// parseInt parses a whole number. An unsigned 64-bit number, such as a thread id on some systems, wraps.
func parseInt(text string) (int64, bool) {
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		var u uint64
		u, err = strconv.ParseUint(text, 10, 64)
		v = int64(u)
	}
	return v, err == nil
}

// parseMillis parses milliseconds with six decimals as nanoseconds. The number may have wrapped below zero.
func parseMillis(text string) (time.Duration, bool) {
	whole, frac, ok := strings.Cut(text, ".")
	ms, err := strconv.ParseUint(whole, 10, 64)
	ns, err2 := strconv.ParseUint(frac, 10, 64)
	return time.Duration(ms*1e6 + ns), ok && err == nil && err2 == nil && len(frac) == 6 && ms <= math.MaxUint64/1_000_000
}

func parseDetailValue(raw []byte) (any, bool) {
	if len(raw) == 0 {
		return nil, false
	}
	text := string(raw)
	inner := ""
	if len(raw) >= 2 {
		inner = text[1 : len(text)-1]
	}
	switch last := raw[len(raw)-1]; {
	case text == "true" || text == "false":
		return text == "true", true
	case raw[0] == '"':
		return inner, len(raw) >= 2 && last == '"'
	case raw[0] == '[':
		return parseList(inner, last == ']' && len(raw) >= 2)
	case raw[0] == '{':
		return parseMap(inner, last == '}' && len(raw) >= 2)
	}
	return parseNumber(text)
}

// parseNumber parses an integer or else a double.
func parseNumber(text string) (any, bool) {
	if v, err := strconv.ParseUint(text, 10, 64); err == nil {
		return v, true
	}
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		return v, true
	}
	switch text {
	case "nan":
		return math.NaN(), true
	case "-nan":
		return math.Copysign(math.NaN(), -1), true
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !strings.ContainsAny(text, "_xXpP")
}

func parseList(inner string, ok bool) (any, bool) {
	if !ok {
		return nil, false
	}
	list := make([]uint64, 0, strings.Count(inner, ",")+1)
	for text := range strings.SplitSeq(inner, ",") {
		if inner == "" {
			break
		}
		v, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, false
		}
		list = append(list, v)
	}
	return list, true
}

func parseMap(inner string, ok bool) (any, bool) {
	m := map[string]string{}
	if !ok || inner == "" {
		return m, ok
	}
	inner, ok = strings.CutPrefix(inner, `"`)
	if !ok || !strings.HasSuffix(inner, `"`) {
		return nil, false
	}
	for pair := range strings.SplitSeq(strings.TrimSuffix(inner, `"`), `","`) {
		k, v, ok := strings.Cut(pair, `":"`)
		if !ok {
			return nil, false
		}
		m[k] = v
	}
	return m, true
}

// Float returns the entry's number as a double. A log contains 1000 for 1000.0.
func (e DetailEntry) Float() (float64, bool) {
	switch v := e.Value.(type) {
	case float64:
		return v, true
	case uint64:
		return float64(v), true
	case int64:
		return float64(v), true
	}
	return 0, false
}

// Uint returns the entry's number as an unsigned integer.
func (e DetailEntry) Uint() (uint64, bool) {
	v, ok := e.Value.(uint64)
	return v, ok
}

// Text returns the entry's string.
func (e DetailEntry) Text() (string, bool) {
	v, ok := e.Value.(string)
	return v, ok
}
