package checker

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/submission/internal/pyvalue"
)

// detail is a log as the official checker has it: the first value of each key, and what is marked as an error.
type detail struct {
	values map[string]any  // of lists the first item alone
	absent map[string]bool // keys whose record has no value
	errors []any           // values of records marked as errors; missing{} where there is none
	// unmarked says that a record has no is_error, so that errors cannot be counted.
	unmarked bool
}

// missing stands for the value of a record that has none.
type missing struct{}

// The marks of records.
const (
	markLoadgen   = ":::MLLOG"
	markEndpoints = ":::ENDPTS"
)

// log reads a detail log; nil where there is none. Errors are crashes.
func (f files) log(name string) (*detail, error) {
	if !f.exists(name) {
		return nil, nil
	}
	file, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	d, err := readDetail(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return d, nil
}

func readDetail(r io.Reader) (*detail, error) {
	d := &detail{values: map[string]any{}, absent: map[string]bool{}}
	mark, n := "", 0
	err := eachLine(r, func(line string) error {
		n++
		line = strings.TrimRightFunc(line, pyfloat.IsSpace)
		if n == 1 {
			if mark = markOf(line); mark == "" {
				return fmt.Errorf("the first line does not begin with %s: %.80q", markLoadgen, line)
			}
		}
		rest, ok := strings.CutPrefix(line, mark)
		if !ok {
			return nil
		}
		if err := d.add(rest); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		return nil
	})
	return d, err
}

func markOf(line string) string {
	for _, mark := range []string{markLoadgen, markEndpoints} {
		if strings.HasPrefix(line, mark) {
			return mark
		}
	}
	return ""
}

// eachLine calls use with each line of UTF-8, which \n, \r or both end.
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

// add takes the JSON of a record.
func (d *detail) add(text string) error {
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
		d.keep(key, value, hasValue)
	}
	metadata, _ := record.Get("metadata")
	flags, _ := metadata.(*pyvalue.Dict)
	isError, ok := flags.Get("is_error")
	d.unmarked = d.unmarked || !ok
	if pyvalue.True(isError) {
		if !hasValue {
			value = missing{}
		}
		d.errors = append(d.errors, value)
	}
	return nil
}

func (d *detail) keep(key string, value any, hasValue bool) {
	if _, seen := d.values[key]; seen || d.absent[key] {
		return
	}
	if !hasValue {
		d.absent[key] = true
		return
	}
	d.values[key] = value
}

// get is the first value of a key, nil where the log does not have it.
func (d *detail) get(key string) any { return d.values[key] }

func (d *detail) has(key string) bool {
	_, ok := d.values[key]
	return ok || d.absent[key]
}
