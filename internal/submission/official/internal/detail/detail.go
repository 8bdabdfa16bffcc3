// Package detail reads detail logs like the present official checker (package official/checker) and the one before it
// (package official/prepare): with Python's JSON rules, and the first value of each key.
//
// In scope: a log. Out of scope: judging its values (the rows of each checker).
package detail

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// Log is a log as the official checkers read it: the first value of each key, and the entries marked as errors.
type Log struct {
	values map[string]any  // for a list, its first item
	absent map[string]bool // keys whose record has no value

	Errors []any // values of records marked as errors; type missing for a record without a value
	// Unmarked reports that a record lacks is_error, so errors cannot be counted.
	Unmarked bool
}

// NewLog returns a log with these values and no errors, for a run whose log is not a list of records.
func NewLog(values map[string]any) *Log { return &Log{values: values, absent: map[string]bool{}} }

// missingValue represents the value of a record without one.
type missingValue struct{}

// Keys of logs that both checkers read.
const (
	KeyScenario       = "effective_scenario"
	KeySUT            = "sut_name"
	KeyDuration       = "effective_min_duration_ms"
	KeyTokenLatencies = "requested_use_token_latencies"
)

// MinDurationMillis is both checkers' minimum duration of a performance run in milliseconds.
const MinDurationMillis = 600_000

// The marks of records: LoadGen's, and those of endpoints runs.
const (
	LoadGenMark   = ":::MLLOG"
	EndpointsMark = ":::ENDPTS"
)

// ReadLog reads a log. The mark of its first line must be one of marks and applies to all records. It returns an error
// if the checkers would end, for example for a record that is not JSON.
func ReadLog(r io.Reader, marks ...string) (*Log, error) {
	d := &Log{values: map[string]any{}, absent: map[string]bool{}}
	mark, n := "", 0
	err := eachLine(r, func(line string) error {
		n++
		line = strings.TrimRightFunc(line, pyfloat.IsSpace)
		if n == 1 {
			if mark = markInLine(line, marks); mark == "" {
				return fmt.Errorf("the first line does not begin with %s: %.80q", marks[0], line)
			}
		}
		rest, ok := strings.CutPrefix(line, mark)
		if !ok {
			return nil
		}
		if err := d.addRecord(rest); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		return nil
	})
	return d, err
}

// ReadLoadGenLog reads a log with LoadGen's mark. It skips lines without the mark and accepts a log without records. It
// returns an error if the checkers before v5.0 would end.
func ReadLoadGenLog(r io.Reader) (*Log, error) {
	d := &Log{values: map[string]any{}, absent: map[string]bool{}}
	n := 0
	err := eachLine(r, func(line string) error {
		n++
		rest, ok := strings.CutPrefix(strings.TrimRightFunc(line, pyfloat.IsSpace), LoadGenMark)
		if !ok {
			return nil
		}
		if err := d.addRecord(rest); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		return nil
	})
	return d, err
}

func markInLine(line string, marks []string) string {
	for _, mark := range marks {
		if strings.HasPrefix(line, mark) {
			return mark
		}
	}
	return ""
}

// eachLine calls use with each line of a UTF-8 text. Lines end with \n, \r or both.
func eachLine(r io.Reader, use func(line string) error) error {
	b := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := b.ReadString('\n')
		if !utf8.ValidString(line) {
			return errors.New("the file is not UTF-8")
		}
		if line != "" {
			line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
			for part := range strings.SplitSeq(line, "\r") {
				if err := use(part); err != nil {
					return err
				}
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// addRecord adds a record in JSON.
func (d *Log) addRecord(text string) error {
	v, err := pyvalue.DecodeShort(text)
	if err != nil {
		return err
	}
	record, ok := v.(*pyvalue.Dict)
	if !ok {
		return errors.New("the record is no object")
	}
	k, ok := record.Get("key")
	if !ok {
		return errors.New("the record has no key")
	}
	value, hasValue := record.Get("value")
	switch key := k.(type) {
	case []any, *pyvalue.Dict:
		return errors.New("the record's key is a list or an object")
	case string:
		d.addValue(key, value, hasValue)
	}
	metadata, _ := record.Get("metadata")
	flags, _ := metadata.(*pyvalue.Dict)
	isError, ok := flags.Get("is_error")
	d.Unmarked = d.Unmarked || !ok
	if pyvalue.IsTrue(isError) {
		if !hasValue {
			value = missingValue{}
		}
		d.Errors = append(d.Errors, value)
	}
	return nil
}

func (d *Log) addValue(key string, value any, hasValue bool) {
	if _, seen := d.values[key]; seen || d.absent[key] {
		return
	}
	if !hasValue {
		d.absent[key] = true
		return
	}
	d.values[key] = value
}

// Get returns the first value of a key, or nil if the log does not contain it.
func (d *Log) Get(key string) any { return d.values[key] }

// LacksValue reports whether the first record of a key has no value.
func (d *Log) LacksValue(key string) bool { return d.absent[key] }

// Has reports whether the log has a record of a key, with or without a value.
func (d *Log) Has(key string) bool {
	_, ok := d.values[key]
	return ok || d.absent[key]
}
