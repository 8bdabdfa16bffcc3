package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
)

// officialLog is a detail log as the official log_parser.py takes it.
type officialLog struct {
	values map[string]json.RawMessage // the first of each key
	count  map[string]int
	errors int
	noFlag bool // an entry has no is_error
	out    *strings.Builder
}

func readOfficialLog(path string) (*officialLog, error) {
	f, err := openText(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return scanOfficialLog(f)
}

func scanOfficialLog(f *os.File) (*officialLog, error) {
	log := &officialLog{values: map[string]json.RawMessage{}, count: map[string]int{}}
	marker := ""
	err := eachLine(f, func(i int, line string) error {
		line = strings.TrimRight(line, " \t\r\n\v\f")
		if i == 0 {
			if marker = markerOf(line); marker == "" {
				return died("RuntimeError: Marker not found in first line: %.200s", line)
			}
		}
		text, marked := strings.CutPrefix(line, marker)
		if !marked {
			return nil
		}
		return log.add(text)
	})
	return log, err
}

func markerOf(line string) string {
	for _, marker := range []string{":::MLLOG", ":::ENDPTS"} {
		if strings.HasPrefix(line, marker) {
			return marker
		}
	}
	return ""
}

func (l *officialLog) add(text string) error {
	var entry struct {
		Key      *string         `json:"key"`
		Value    json.RawMessage `json:"value"`
		Metadata *struct {
			Error any `json:"is_error"`
		} `json:"metadata"`
	}
	if json.Unmarshal([]byte(text), &entry) != nil {
		return died("RuntimeError: Encountered invalid line: %.200s", text)
	}
	if entry.Key == nil {
		return died("KeyError: 'key'")
	}
	if l.count[*entry.Key]++; l.count[*entry.Key] == 1 {
		l.values[*entry.Key] = entry.Value
	}
	switch {
	case entry.Metadata == nil || entry.Metadata.Error == nil:
		l.noFlag = true
	case entry.Metadata.Error != false:
		l.errors++
	}
	return nil
}

// first is the value of a key's first entry; where there are several the reader says so.
func (l *officialLog) first(key string) any {
	if l.count[key] > 1 {
		fmt.Fprintf(l.out, "[%s log_parser.py WARNING] There are multiple messages with key %s in the log. "+
			"Emprically choosing the first one.\n", logTime(), key)
	}
	var v any
	if raw := l.values[key]; raw != nil {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		_ = d.Decode(&v) // it was read before, as a part of its entry
	}
	return v
}

func (l *officialLog) hasErrors() (bool, error) {
	if l.count["num_errors"] > 0 {
		n, number := pyNumber(l.first("num_errors"))
		return !number || n != 0, nil
	}
	if l.noFlag {
		return false, died("KeyError: 'is_error'")
	}
	return l.errors > 0, nil
}

// pyNumber is a JSON value as Python's float() takes it.
func pyNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case json.Number:
		return pyfloat.Parse(v.String())
	case string:
		return pyfloat.Parse(v)
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// pyComparable is a JSON value that Python finds equal to those that it should: 15 and 15.0 are one.
func pyComparable(v any) any {
	switch v := v.(type) {
	case json.Number, bool:
		n, _ := pyNumber(v)
		return n
	case string, nil:
		return v
	}
	return fmt.Sprint(v)
}

// logTime is a time stamp as Python's logging writes it.
func logTime() string { return time.Now().Format("2006-01-02 15:04:05,000") }
