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

// maxKept bounds what a Detail keeps of one key, of errors, warnings and faults; maxKeys how many keys it knows, of
// which LoadGen has some hundreds.
const (
	maxKept = 64
	maxKeys = 10_000
)

// Detail is the content of a whole detail log by key. It tolerates faulty lines and old logs: the text form of LoadGens
// before v1.0 appears under the keys of later ones. Lists of samples (loaded_qsl_set), which fill most of a log, are
// omitted except for FirstLoaded.
type Detail struct {
	entries map[string]*keyEntries

	// Text reports whether the log is in the text form, which has no results: [Detail.AddSummary].
	Text bool
	// FirstLoaded are the first samples of the set that was loaded first, in order, at most 64.
	FirstLoaded []uint64

	Lines    int           // all lines
	Errors   []DetailEntry // entries marked is_error, at most 64
	Warnings []DetailEntry // entries marked is_warning, at most 64
	Faults   []*LineError  // lines with the marker that cannot be read, at most 64
	Foreign  []int         // numbers of lines without the marker, at most 64

	NumErrors  int  // entries marked is_error
	NumFaults  int  // lines with the marker that cannot be read
	NumForeign int  // lines without the marker
	CRLF       bool // a line ends with carriage return and line feed
	Open       bool // the last line has no end

	// What other readers of the log stop at, each as the number of the first such line; 0 where there is none.

	NotUTF8  int // no UTF-8
	NotJSON  int // an entry that could be read and is not JSON: LoadGen writes a quote in a name as it is
	Unmarked int // an entry that does not say whether it is an error
	Broken   int // a line with a carriage return inside, which others take for its end
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
			d.CRLF, d.Open = lines.crlf, lines.open
			return d, nil
		}
		if err != nil {
			return d, err
		}
		d.Lines = lines.line
		s.addLine(line)
	}
}

// detailScanner makes a Detail of lines.
type detailScanner struct {
	*Detail
	text textForm
}

// Has reports whether the log has the key.
func (d *Detail) Has(key string) bool { return d.Count(key) > 0 }

// Count returns the number of entries with the key.
func (d *Detail) Count(key string) int {
	if k := d.entries[key]; k != nil {
		return k.count
	}
	return 0
}

// First returns the first entry of a key, which is the one that the official tools use.
func (d *Detail) First(key string) (e DetailEntry, ok bool) {
	if k := d.entries[key]; k != nil {
		return k.list[0], true
	}
	return DetailEntry{}, false
}

// Repeated calls yield with the keys that the log has more than once and their entries as in All, sorted by key.
func (d *Detail) Repeated(yield func(key string, list []DetailEntry) bool) {
	for _, key := range slices.Sorted(maps.Keys(d.entries)) {
		if list := d.entries[key].list; len(list) > 1 && !yield(key, list) {
			return
		}
	}
}

// All are the entries of a key in the log's order, at most 64.
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

// addText takes a line of the text form, or of none.
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

// scannedLine is a line with the marker.
type scannedLine struct {
	DetailEntry
	fault             string // why it cannot be read; "" where it can
	notJSON, unmarked bool
}

// detailMark begins the lines that readers take for entries; LoadGen writes a blank behind it.
var detailMark = []byte(strings.TrimSuffix(DetailPrefix, " "))

// scanDetailLine reads a line of any writer, without the samples of loaded_qsl_set. An entry that is JSON says what it
// says to readers of JSON; one that is not is taken apart as LoadGen wrote it.
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

// withoutSamples cuts the list of loaded_qsl_set in its line short, if that is one of numbers.
func withoutSamples(line []byte) []byte {
	const samples = DetailPrefix + `{"key": "` + loadedSet + `", "value": [`
	if !bytes.HasPrefix(line, []byte(samples)) {
		return line
	}
	end := bytes.IndexByte(line, ']')
	if end <= len(samples) || !isNumberList(line[len(samples):end]) {
		return line
	}
	few := len(samples)
	for range maxKept {
		next := bytes.IndexByte(line[few+1:end], ',')
		if next < 0 {
			return line
		}
		few += 1 + next
	}
	return append(line[:few], line[end:]...)
}

// isNumberList says whether a text is whole numbers as JSON has them, with commas between them.
func isNumberList(list []byte) bool {
	for i, c := range list {
		begins, ends := i == 0 || list[i-1] == ',', i+1 == len(list) || list[i+1] == ','
		if c == ',' && (begins || i+1 == len(list)) || c == '0' && begins && !ends || c != ',' && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// isLiteral says whether a text in LoadGen's form, from which e was read, is JSON of the same meaning: nothing in its
// strings is a quote or an escape.
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

// detailQuotes are the quotes of LoadGen's form, but for those of the value.
var detailQuotes = strings.Count(detailHead+detailSep+detailAfter+strings.Join(tailParts[:], ""), `"`)

// jsonDetail reads an entry that is JSON; ok is false where it is none, and where others stop reading: deep in lists
// and objects, or at a number of thousands of digits.
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
	_ = json.Unmarshal(all["metadata"], &metadata) // where it is no object, nothing is marked
	var marked, marked2 bool
	r.Error, marked = parseBool(string(metadata["is_error"]))
	r.Warning, marked2 = parseBool(string(metadata["is_warning"]))
	r.unmarked = !marked || metadata["is_warning"] != nil && !marked2
	return r, true
}

// maxDepth and maxDigits are how deep lists and objects may lie in one another, and how long a number may be, for
// any reader of JSON to read them.
const maxDepth, mostDigits = 900, 4000

// isBounded says whether a text keeps to maxDepth and maxDigits. What stands in strings counts, too.
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
		if depth > maxDepth || digits > mostDigits {
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
