package mllog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxKept is the maximum number of kept entries of one key, errors, warnings and faults. maxKeys is the maximum number
// of keys in a Detail; LoadGen has some hundreds.
const (
	maxKept = 64
	maxKeys = 10_000
)

// Detail contains the entries of a whole detail log by key. It tolerates faulty lines and old logs: the text form of
// LoadGens before v1.0 appears under the keys of later ones. Lists of samples (loaded_qsl_set), which fill most of a
// log, are omitted except for FirstLoaded.
type Detail struct {
	entries map[string]*keyEntries

	// Text reports whether the log is in the text form. Such a log has no results; see [Detail.AddSummary].
	Text bool
	// FirstLoaded contains the first samples of the first loaded set, in order; the maximum is 64.
	FirstLoaded []uint64

	Lines    int           // number of all lines
	Errors   []DetailEntry // entries marked is_error; the maximum is 64
	Warnings []DetailEntry // entries marked is_warning; the maximum is 64
	Faults   []*LineError  // unreadable lines with the marker; the maximum is 64
	Foreign  []int         // numbers of lines without the marker; the maximum is 64

	NumErrors  int  // number of entries marked is_error
	NumFaults  int  // number of unreadable lines with the marker
	NumForeign int  // number of lines without the marker
	CRLF       bool // a line ends with a carriage return and a line feed
	Open       bool // the last line has no line feed

	// Faults that make other readers of the log fail, each as the number of the first such line; 0 if there is none.

	NotUTF8  int // not UTF-8
	NotJSON  int // a readable entry that is not JSON: LoadGen does not escape quotes in names
	Unmarked int // an entry without is_error
	Broken   int // a line with a carriage return inside, which other readers treat as the end of a line
}

// loadedSet is the key of the samples that were loaded together.
const loadedSet = "loaded_qsl_set"

type keyEntries struct {
	list  []DetailEntry
	count int
}

// ScanDetail reads a whole detail log as a stream. It accepts LoadGen's lines, and lines whose JSON another program has
// rewritten. It returns only r's error; faults of the text are in the Detail.
func ScanDetail(r io.Reader) (*Detail, error) {
	s := detailScanner{Detail: &Detail{entries: map[string]*keyEntries{}}}
	d, lines := s.Detail, newLineReader(r)
	lines.squeeze = true
	for {
		line, err := lines.nextLine()
		if errors.Is(err, io.EOF) {
			s.keepAll(s.text.endTitle())
			d.CRLF, d.Open = lines.crlf, lines.endMissing
			return d, nil
		}
		if err != nil {
			return d, err
		}
		d.Lines = lines.line
		s.addLine(line)
	}
}

// detailScanner builds a Detail from lines.
type detailScanner struct {
	*Detail
	text textForm
}

// Has reports whether the log contains the key.
func (d *Detail) Has(key string) bool { return d.Count(key) > 0 }

// Count returns the number of entries with the key.
func (d *Detail) Count(key string) int {
	if k := d.entries[key]; k != nil {
		return k.count
	}
	return 0
}

// First returns the first entry of a key. The official tools use this entry.
func (d *Detail) First(key string) (e DetailEntry, ok bool) {
	if k := d.entries[key]; k != nil {
		return k.list[0], true
	}
	return DetailEntry{}, false
}

// Repeated calls yield with each key that the log contains more than once and its entries, like All. The keys are
// sorted.
func (d *Detail) Repeated(yield func(key string, list []DetailEntry) bool) {
	for _, key := range slices.Sorted(maps.Keys(d.entries)) {
		if list := d.entries[key].list; len(list) > 1 && !yield(key, list) {
			return
		}
	}
}

// All returns the first 64 entries of a key in the log's order.
func (d *Detail) All(key string) []DetailEntry {
	if k := d.entries[key]; k != nil {
		return k.list
	}
	return nil
}

func (d *detailScanner) addLine(line []byte) {
	note := func(at *int, is bool) {
		if *at == 0 && is {
			*at = d.Lines
		}
	}
	note(&d.NotUTF8, !utf8.Valid(line))
	note(&d.Broken, bytes.IndexByte(line, '\r') >= 0)
	if !bytes.HasPrefix(line, detailMark) {
		d.addText(line)
		return
	}
	d.keepAll(d.text.endTitle())
	r := scanDetailLine(line)
	if r.fault != "" {
		d.addFault(r.fault)
		return
	}
	note(&d.NotJSON, r.notJSON)
	note(&d.Unmarked, r.unmarked)
	d.keepEntry(r.DetailEntry)
}

// addText adds a line without the marker: a line of the text form or a foreign line.
func (d *detailScanner) addText(line []byte) {
	list, fault, mine := d.text.addLine(line)
	d.Text = d.Text || mine
	d.keepAll(list)
	switch {
	case fault != "":
		d.addFault(fault)
	case !mine:
		d.Foreign = keepBounded(d.Foreign, d.Lines)
		d.NumForeign++
	}
}

func (d *Detail) addFault(text string) {
	d.Faults = keepBounded(d.Faults, &LineError{Log: "detail log", Line: d.Lines, Text: text})
	d.NumFaults++
}

func (d *Detail) keepAll(list []DetailEntry) {
	for _, e := range list {
		d.keepEntry(e)
	}
}

func (d *Detail) keepEntry(e DetailEntry) {
	if samples, ok := e.Value.([]uint64); ok && e.Key == loadedSet {
		if !d.Has(loadedSet) {
			d.FirstLoaded = samples[:min(maxKept, len(samples))]
		}
		e.Value = []uint64{}
	}
	switch k := d.entries[e.Key]; {
	case k != nil:
		k.count++
		k.list = keepBounded(k.list, e)
	case len(d.entries) < maxKeys:
		d.entries[e.Key] = &keyEntries{list: []DetailEntry{e}, count: 1}
	default:
		d.addFault(fmt.Sprintf("key %s: the log has %d other keys, more than LoadGen writes", quoteText([]byte(e.Key)),
			maxKeys))
	}
	if e.Error {
		d.NumErrors++
		d.Errors = keepBounded(d.Errors, e)
	}
	if e.Warning {
		d.Warnings = keepBounded(d.Warnings, e)
	}
}

func keepBounded[T any](list []T, v T) []T {
	if len(list) < maxKept {
		return append(list, v)
	}
	return list
}

// scannedLine is the content of a line with the marker.
type scannedLine struct {
	DetailEntry
	fault             string // why the line cannot be read; "" if it can
	notJSON, unmarked bool
}

// detailMark is the beginning by which other readers recognize entries. LoadGen writes a blank after it.
var detailMark = []byte(strings.TrimSuffix(DetailPrefix, " "))

// scanDetailLine reads a line of any writer and omits the samples of loaded_qsl_set. It parses valid JSON as JSON, and
// other text by LoadGen's form.
func scanDetailLine(line []byte) scannedLine {
	line = withoutSamples(line)
	e, fault := parseDetail(line)
	text := line[len(detailMark):]
	if fault == "" && isLiteral(text, e) {
		return scannedLine{DetailEntry: e}
	}
	if r, ok := jsonDetail(text); ok {
		return r
	}
	return scannedLine{DetailEntry: e, fault: fault, notJSON: true}
}

// withoutSamples shortens the list of numbers in a line of loaded_qsl_set.
func withoutSamples(line []byte) []byte {
	const samples = DetailPrefix + `{"key": "` + loadedSet + `", "value": [`
	if !bytes.HasPrefix(line, []byte(samples)) {
		return line
	}
	end := bytes.IndexByte(line, ']')
	if end <= len(samples) || !isNumberList(line[len(samples):end]) {
		return line
	}
	kept := len(samples)
	for range maxKept {
		next := bytes.IndexByte(line[kept+1:end], ',')
		if next < 0 {
			return line
		}
		kept += 1 + next
	}
	return append(line[:kept], line[end:]...)
}

// isNumberList reports whether a text consists of whole JSON numbers separated by commas.
func isNumberList(list []byte) bool {
	for i, c := range list {
		begins, ends := i == 0 || list[i-1] == ',', i+1 == len(list) || list[i+1] == ','
		if c == ',' && (begins || i+1 == len(list)) || c == '0' && begins && !ends || c != ',' && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// isLiteral reports whether a text in LoadGen's form is also JSON with the same meaning. It is if the strings of its
// entry e contain no quotes or escapes.
func isLiteral(text []byte, e DetailEntry) bool {
	quotes := detailQuotes
	switch v := e.Value.(type) {
	case string:
		quotes += 2
	case map[string]string:
		quotes += 4 * len(v)
	}
	return bytes.Count(text, []byte{'"'}) == quotes && bytes.IndexByte(text, '\\') < 0 && json.Valid(text)
}

// detailQuotes is the number of quotes in LoadGen's form, without those of the value.
var detailQuotes = strings.Count(detailHead+detailSep+detailAfter+strings.Join(tailParts[:], ""), `"`)

// jsonDetail reads an entry in JSON. ok is false if the text is not JSON or exceeds the limits of common parsers: the
// depth of lists and objects, and the length of numbers.
func jsonDetail(text []byte) (r scannedLine, ok bool) {
	var all, metadata map[string]json.RawMessage
	var key *string
	switch {
	case !isBounded(text) || !json.Valid(text):
		return r, false
	case json.Unmarshal(text, &all) != nil:
		r.fault = "want an object, found " + quoteText(text)
	case json.Unmarshal(all["key"], &key) != nil || key == nil:
		r.fault = "no key: " + quoteText(text)
	default:
		r.Key = *key
		if r.Value, ok = jsonValue(all["value"]); !ok {
			r.fault = fmt.Sprintf("key %s: no value that LoadGen writes: %s", r.Key, quoteText(all["value"]))
		}
	}
	_ = json.Unmarshal(all["metadata"], &metadata) // if the metadata is not an object, no field is marked
	var marked, marked2 bool
	r.Error, marked = parseBool(string(metadata["is_error"]))
	r.Warning, marked2 = parseBool(string(metadata["is_warning"]))
	r.unmarked = !marked || metadata["is_warning"] != nil && !marked2
	return r, true
}

// maxDepth is the maximum depth of lists and objects, and maxDigits the maximum length of a number. Every JSON parser
// accepts texts within these limits.
const maxDepth, maxDigits = 900, 4000

// isBounded reports whether a text keeps to maxDepth and maxDigits. It also counts brackets and digits in strings.
func isBounded(text []byte) bool {
	depth, digits := 0, 0
	for _, c := range text {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if digits++; c < '0' || c > '9' {
			digits = 0
		}
		if depth > maxDepth || digits > maxDigits {
			return false
		}
	}
	return true
}

func jsonValue(raw json.RawMessage) (any, bool) {
	if number, ok := parseNumber(string(raw)); ok {
		return number, true
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return nil, false
	}
	switch v.(type) {
	case nil, bool, string:
		return v, true
	}
	var list []uint64
	if json.Unmarshal(raw, &list) == nil {
		return list, true
	}
	var m map[string]string
	return m, json.Unmarshal(raw, &m) == nil
}
