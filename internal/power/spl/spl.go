// Package spl reads and writes spl.txt, the samples of a power meter, and computes the power result by the rules.
//
// Each line is a sample, for example Time,11-22-2026 08:47:00.000,Watts,100.0,Volts,230.0,Amps,1.0,PF,1.0,Mark,run_1.
// Times are in UTC. Samples count between the entries power_begin and power_end of the detail log.
//
// In scope: the layout, the average, the metric. Out of scope: taking samples (package power), judging a submission
// with them (package internal/submission/power).
package spl

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// FileName is the name of the file in the folder of a run's logs.
const FileName = "spl.txt"

// timeForm is that of times in the file and in the detail log: digits are those of all scripts where a second digit
// may stand, and blanks all of Unicode's, as in the official tools.
var timeForm = regexp.MustCompile(`^(1[0-2]|0[1-9]|[1-9])-(3[01]|[12]\p{Nd}|0[1-9]| ?[1-9])-(\p{Nd}{4})` +
	`[\s\v\x1c-\x1f\x{85}\p{Z}]+` +
	`(2[0-3]|[01]\p{Nd}|\p{Nd}):([0-5]\p{Nd}|\p{Nd}):([0-5]\p{Nd}|\p{Nd})\.([0-9]{1,6})$`)

// ParseTime reads a time of the file, or the value of power_begin or power_end: month, day, year, and a fraction of a
// second of one to six digits.
func ParseTime(text string) (time.Time, error) {
	m := timeForm.FindStringSubmatch(text)
	if m == nil {
		return time.Time{}, fmt.Errorf("found the time %.40q, want one as 11-22-2026 08:47:00.000", text)
	}
	var n [8]int
	for i, digits := range m {
		n[i], _ = strconv.Atoi(strings.TrimSpace(pyfloat.Digits(digits)))
	}
	micros, _ := strconv.Atoi((m[7] + "000000")[:6])
	t := time.Date(n[3], time.Month(n[1]), n[2], n[4], n[5], n[6], micros*1000, time.UTC)
	if n[3] == 0 || t.Day() != n[2] {
		return time.Time{}, fmt.Errorf("found the time %.40q, want a day that there is", text)
	}
	return t, nil
}

// Sample is what a meter read at a time.
type Sample struct {
	Time  time.Time // UTC
	Watts float64   // zero or below: no reading
	// Line is the text that it was read from, without the line's end.
	Line string
}

// The fields of a line: names and values in turn.
const (
	fieldTime  = 1
	fieldWatts = 3
)

// maxLine bounds a line, which has some hundred bytes.
const maxLine = 64 << 10

// Reader reads the samples of a file one by one.
type Reader struct {
	lines *bufio.Scanner
	line  int
}

// NewReader reads from r.
func NewReader(r io.Reader) *Reader {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	return &Reader{lines: lines}
}

// Next returns the next sample; io.EOF after the last. Lines that do not begin with "Time" are none and passed over, as
// the official tools do. After a [*mllog.LineError] reading may go on: the sample then has its time, unless that is the
// fault.
func (r *Reader) Next() (Sample, error) {
	for r.lines.Scan() {
		r.line++
		if line := r.lines.Text(); strings.HasPrefix(line, "Time") {
			return r.parseLine(line)
		}
	}
	err := r.lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		return Sample{}, fmt.Errorf("%s, line %d: longer than %d bytes: %w", FileName, r.line+1, maxLine, mllog.ErrFormat)
	}
	if err != nil {
		return Sample{}, err
	}
	return Sample{}, io.EOF
}

func (r *Reader) parseLine(line string) (s Sample, err error) {
	s.Line = line
	fields := strings.Split(line, ",")
	if len(fields) <= fieldTime+1 { // a line's end behind a time is part of it for the official tools
		return s, r.lineError("want Time,TIME,Watts,NUMBER,..., found %.60q", line)
	}
	if s.Time, err = ParseTime(fields[fieldTime]); err != nil {
		return s, r.lineError("%v", err)
	}
	if len(fields) <= fieldWatts {
		return s, r.lineError("want Time,TIME,Watts,NUMBER,..., found %.60q", line)
	}
	var ok bool
	if s.Watts, ok = pyfloat.Parse(fields[fieldWatts]); !ok {
		return s, r.lineError("watts: found %.40q, want a number", fields[fieldWatts])
	}
	return s, nil
}

func (r *Reader) lineError(format string, args ...any) error {
	return &mllog.LineError{Log: FileName, Line: r.line, Text: fmt.Sprintf(format, args...)}
}

// AppendSample appends a line for a sample, of which volts, amperes and power factor are not known: -1, as meters write
// it. The mark says which measurement it belongs to; it holds no comma.
func AppendSample(text []byte, s Sample, mark string) []byte {
	return fmt.Appendf(text, "Time,%s,Watts,%.6f,Volts,-1.000000,Amps,-1.000000,PF,-1.000000,Mark,%s\n",
		s.Time.UTC().Format("01-02-2006 15:04:05.000"), s.Watts, mark)
}
