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

// timeForm matches times in the file and in the detail log. As in the official tools, second digits may be digits of
// any script, and blanks may be any of Unicode's.
var timeForm = regexp.MustCompile(`^(1[0-2]|0[1-9]|[1-9])-(3[01]|[12]\p{Nd}|0[1-9]| ?[1-9])-(\p{Nd}{4})` +
	`[\s\v\x1c-\x1f\x{85}\p{Z}]+` +
	`(2[0-3]|[01]\p{Nd}|\p{Nd}):([0-5]\p{Nd}|\p{Nd}):([0-5]\p{Nd}|\p{Nd})\.([0-9]{1,6})$`)

// ParseTime reads a time of the file, or the value of power_begin or power_end: month, day, year, time of day, and a
// fraction of a second with one to six digits.
func ParseTime(text string) (time.Time, error) {
	m := timeForm.FindStringSubmatch(text)
	if m == nil {
		return time.Time{}, fmt.Errorf("found the time %.40q, want one as 11-22-2026 08:47:00.000", text)
	}
	var n [8]int
	for i, digits := range m {
		n[i], _ = strconv.Atoi(strings.TrimSpace(pyfloat.ToASCIIDigits(digits)))
	}
	micros, _ := strconv.Atoi((m[7] + "000000")[:6])
	t := time.Date(n[3], time.Month(n[1]), n[2], n[4], n[5], n[6], micros*1000, time.UTC)
	if n[3] == 0 || t.Day() != n[2] {
		return time.Time{}, fmt.Errorf("found the time %.40q, want a day that there is", text)
	}
	return t, nil
}

// Sample is a reading of a meter.
type Sample struct {
	Time  time.Time // in UTC
	Watts float64   // zero or negative: not a valid reading
	// Line is the line that was parsed, without its end.
	Line string
}

// Positions of the fields in a line. Names and values alternate.
const (
	fieldTime  = 1
	fieldWatts = 3
)

// maxLine limits the bytes of a line. Usual lines have some hundred bytes.
const maxLine = 64 << 10

// SampleReader reads the samples of a file one by one.
type SampleReader struct {
	lines *bufio.Scanner
	line  int
}

// NewSampleReader returns a SampleReader that reads from r.
func NewSampleReader(r io.Reader) *SampleReader {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	return &SampleReader{lines: lines}
}

// Next returns the next sample, or io.EOF after the last one. Like the official tools, it skips lines that do not begin
// with "Time". After a [*mllog.LineError] the caller may continue; the sample then contains its time unless the time is
// the fault.
func (r *SampleReader) Next() (Sample, error) {
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

func (r *SampleReader) parseLine(line string) (s Sample, err error) {
	s.Line = line
	fields := strings.Split(line, ",")
	if len(fields) <= fieldTime+1 { // for the official tools, a line end after the time belongs to the time
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

func (r *SampleReader) lineError(format string, args ...any) error {
	return &mllog.LineError{Log: FileName, Line: r.line, Text: fmt.Sprintf(format, args...)}
}

// AppendSample appends a line for a sample to text. Volts, amperes and power factor are unknown and written as -1, as
// meters do. The mark identifies the measurement; it must not contain a comma.
func AppendSample(text []byte, s Sample, mark string) []byte {
	return fmt.Appendf(text, "Time,%s,Watts,%.6f,Volts,-1.000000,Amps,-1.000000,PF,-1.000000,Mark,%s\n",
		s.Time.UTC().Format("01-02-2006 15:04:05.000"), s.Watts, mark)
}
