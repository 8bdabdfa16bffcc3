package evidence

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// detailLog contains the entries with the wanted keys of a detail log, in the form of the official log_parser.py.
type detailLog struct {
	wantedKeys map[string]bool
	records    map[string]*pyvalue.Dict // first record of each key
	count      map[string]int
	errors     int
	lacksFlag  bool // an entry lacks is_error
	out        *strings.Builder
}

func readDetail(path string, wanted map[string]bool) (*detailLog, error) {
	f, err := OpenText(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return scanDetail(f, wanted)
}

func scanDetail(f *os.File, wanted map[string]bool) (*detailLog, error) {
	log := &detailLog{wantedKeys: wanted, records: map[string]*pyvalue.Dict{}, count: map[string]int{}}
	marker := ""
	err := eachLine(f, func(i int, line string) error {
		line = strings.TrimRightFunc(line, pyfloat.IsSpace)
		if i == 0 {
			if marker = markerOf(line); marker == "" {
				return ErrDiedf("RuntimeError: Marker not found in first line: %.200s", line)
			}
		}
		text, marked := strings.CutPrefix(line, marker)
		if !marked {
			return nil
		}
		return log.addLine(text)
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

func (l *detailLog) addLine(text string) error {
	v, err := pyvalue.DecodeShort(text)
	if err != nil {
		return ErrDiedf("RuntimeError: Encountered invalid line: %.200s", text)
	}
	record, ok := v.(*pyvalue.Dict)
	if !ok {
		return ErrDiedf("TypeError: an entry is no object but %s", pyvalue.Name(v))
	}
	k, ok := record.Get("key")
	if !ok {
		return ErrDiedf("KeyError: 'key'")
	}
	switch key := k.(type) {
	case []any, *pyvalue.Dict:
		return ErrDiedf("TypeError: unhashable type: %s", pyvalue.Name(k))
	case string:
		if !l.wantedKeys[key] {
			break
		}
		if l.count[key]++; l.count[key] == 1 {
			l.records[key] = record
		}
	}
	metadata, _ := record.Get("metadata")
	flags, _ := metadata.(*pyvalue.Dict)
	isError, ok := flags.Get("is_error")
	l.lacksFlag = l.lacksFlag || !ok
	if pyvalue.IsTrue(isError) {
		l.errors++
	}
	return nil
}

// firstValue returns the value of a key's first entry, or nil if there is none. It prints the official warning if there
// are several.
func (l *detailLog) firstValue(key string) (any, error) {
	if l.count[key] > 1 {
		fmt.Fprintf(l.out, "[%s log_parser.py WARNING] There are multiple messages with key %s in the log. "+
			"Emprically choosing the first one.\n", logTime(), key)
	}
	v, ok := l.records[key].Get("value")
	if l.count[key] > 0 && !ok {
		return nil, ErrDiedf("KeyError: 'value'")
	}
	return v, nil
}

func (l *detailLog) hasErrors() (bool, error) {
	if l.count["num_errors"] > 0 {
		n, err := l.firstValue("num_errors")
		return !pyvalue.Equal(n, 0), err
	}
	if l.lacksFlag {
		return false, ErrDiedf("KeyError: 'is_error'")
	}
	return l.errors > 0, nil
}

// equalInPython reports whether two values are equal in Python, such as 15 and 15.0.
func equalInPython(a, b any) bool {
	below, err := pyvalue.Less(a, b)
	above, err2 := pyvalue.Less(b, a)
	if err == nil && err2 == nil {
		return !below && !above && pyvalue.Text(a) != "nan" // NaN is not equal to itself
	}
	return pyvalue.JSON(a) == pyvalue.JSON(b)
}

// logTime returns a time stamp in the form of Python's logging module.
func logTime() string { return time.Now().Format("2006-01-02 15:04:05,000") }
