package mllog

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"unicode/utf8"
)

// mostKept bounds what a Detail keeps of one key, of errors, warnings and faults.
const mostKept = 64

// Detail is what a whole detail log says, by key, whatever is wrong with single lines. The lists of samples
// (loaded_qsl_set) are left out: they are most of a log and no fact of its result.
type Detail struct {
	entries map[string]*keyEntries

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
	NotUTF8    int  // number of the first line that is no UTF-8; 0 where there is none
}

type keyEntries struct {
	list  []DetailEntry
	count int
}

// ScanDetail reads a whole detail log as a stream. It takes LoadGen's lines, and lines whose JSON another program has
// written anew. The error is that of r: what is wrong with the text is in the Detail.
func ScanDetail(r io.Reader) (*Detail, error) {
	d := &Detail{entries: map[string]*keyEntries{}}
	lines := newLineReader(r)
	for {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			d.CRLF, d.Open = lines.crlf, lines.open
			return d, nil
		}
		if err != nil {
			return d, err
		}
		d.Lines = lines.line
		d.add(line)
	}
}

// Has says whether the log has the key.
func (d *Detail) Has(key string) bool { return d.Count(key) > 0 }

// Count is how many entries have the key.
func (d *Detail) Count(key string) int {
	if k := d.entries[key]; k != nil {
		return k.count
	}
	return 0
}

// First is the first entry of a key, the one that counts for the official tools.
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

func (d *Detail) add(line []byte) {
	if d.NotUTF8 == 0 && !utf8.Valid(line) {
		d.NotUTF8 = d.Lines
	}
	if !bytes.HasPrefix(line, []byte(DetailPrefix)) {
		d.Foreign = kept(d.Foreign, d.Lines)
		d.NumForeign++
		return
	}
	e, fault := scanDetailLine(line)
	if fault != "" {
		d.Faults = kept(d.Faults, &LineError{Log: "detail log", Line: d.Lines, Text: fault})
		d.NumFaults++
		return
	}
	d.keep(e)
}

func (d *Detail) keep(e DetailEntry) {
	k := d.entries[e.Key]
	if k == nil {
		k = &keyEntries{}
		d.entries[e.Key] = k
	}
	k.count++
	k.list = kept(k.list, e)
	if e.Error {
		d.NumErrors++
		d.Errors = kept(d.Errors, e)
	}
	if e.Warning {
		d.Warnings = kept(d.Warnings, e)
	}
}

func kept[T any](list []T, v T) []T {
	if len(list) < mostKept {
		return append(list, v)
	}
	return list
}

// scanDetailLine is parseDetail for a line of any writer, without the samples of loaded_qsl_set.
func scanDetailLine(line []byte) (DetailEntry, string) {
	const samples = DetailPrefix + `{"key": "loaded_qsl_set", "value": [`
	if bytes.HasPrefix(line, []byte(samples)) {
		if end := bytes.LastIndexByte(line, ']'); end > 0 {
			line = append(line[:len(samples)], line[end:]...)
		}
	}
	e, fault := parseDetail(line)
	if fault == "" {
		return e, ""
	}
	if e, ok := jsonDetail(line[len(DetailPrefix):]); ok {
		return e, ""
	}
	return e, fault
}

// jsonDetail reads an entry that is JSON, which LoadGen's strings need not be.
func jsonDetail(text []byte) (DetailEntry, bool) {
	var raw struct {
		Key      *string         `json:"key"`
		Value    json.RawMessage `json:"value"`
		Metadata struct {
			Error   bool `json:"is_error"`
			Warning bool `json:"is_warning"`
		} `json:"metadata"`
	}
	if json.Unmarshal(text, &raw) != nil || raw.Key == nil {
		return DetailEntry{}, false
	}
	value, ok := jsonValue(raw.Value)
	return DetailEntry{Key: *raw.Key, Value: value, Error: raw.Metadata.Error, Warning: raw.Metadata.Warning}, ok
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
