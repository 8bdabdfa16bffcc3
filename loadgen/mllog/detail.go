package mllog

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"
)

// DetailPrefix is the beginning of every line of the detail log.
const DetailPrefix = ":::MLLOG "

// DetailEntry is one line of the detail log.
type DetailEntry struct {
	Key string
	// Value is a bool, int64, uint64, float64, string, []uint64 or map[string]string. AppendDetail accepts int too. A
	// double without a fraction is written as an integer and therefore read as one: see [DetailEntry.Float].
	Value any
	// Time is the time of the entry since the start of logging. It is negative for earlier entries (configuration errors).
	// The log contains it as an unsigned number of nanoseconds.
	Time    time.Duration
	Error   bool
	Warning bool
	File    string // source file of the code that wrote the entry
	Line    int
	PID     int64
	TID     int64 // thread
}

// AppendDetail appends e as one line with a newline, in the official byte layout: doubles with six significant digits
// (%g), strings without escapes, lists and maps without spaces, map keys sorted.
func AppendDetail(dst []byte, e DetailEntry) []byte {
	dst = append(dst, DetailPrefix+`{"key": "`...)
	dst = append(dst, e.Key...)
	dst = append(dst, `", "value": `...)
	dst = appendValue(dst, e.Value)
	ns := uint64(e.Time)
	return fmt.Appendf(dst, `, "time_ms": %d.%06d, "namespace": "mlperf::logging", "event_type": "POINT_IN_TIME", `+
		`"metadata": {"is_error": %t, "is_warning": %t, "file": "%s", "line_no": %d, "pid": %d, "tid": %d}}`+"\n",
		ns/1e6, ns%1e6, e.Error, e.Warning, e.File, e.Line, e.PID, e.TID)
}

func appendValue(dst []byte, v any) []byte {
	switch v := v.(type) {
	case bool, int, int64, uint64:
		return fmt.Append(dst, v)
	case float64:
		return AppendDouble(dst, v)
	case []uint64:
		return appendList(dst, v)
	case map[string]string:
		return appendMap(dst, v)
	case string:
		return append(append(append(dst, '"'), v...), '"')
	}
	panic("mllog: no log form for this type of value")
}

func appendList(dst []byte, list []uint64) []byte {
	dst = append(dst, '[')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendUint(dst, v, 10)
	}
	return append(dst, ']')
}

func appendMap(dst []byte, m map[string]string) []byte {
	dst = append(dst, '{')
	for i, k := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), k...), `":"`...)
		dst = append(append(dst, m[k]...), '"')
	}
	return append(dst, '}')
}

// AppendDouble appends v in the default format of C++ streams: %g with six significant digits and an exponent of two or
// more digits. Non-finite values are nan, -nan, inf and -inf.
func AppendDouble(dst []byte, v float64) []byte {
	switch {
	case math.IsNaN(v) && math.Signbit(v):
		return append(dst, "-nan"...)
	case math.IsNaN(v):
		return append(dst, "nan"...)
	case math.IsInf(v, 1):
		return append(dst, "inf"...)
	case math.IsInf(v, -1):
		return append(dst, "-inf"...)
	}
	return strconv.AppendFloat(dst, v, 'g', 6, 64)
}

// DetailWriter writes a detail log. It is unbuffered, so pass a buffered writer. It is not safe for concurrent use.
type DetailWriter struct {
	w    io.Writer
	line []byte
	err  error
}

// NewDetailWriter returns a writer of detail entries to w.
func NewDetailWriter(w io.Writer) *DetailWriter { return &DetailWriter{w: w} }

// Write writes one entry. After an error it writes nothing and returns that error again.
func (d *DetailWriter) Write(e DetailEntry) error {
	if d.err != nil {
		return d.err
	}
	d.line = AppendDetail(d.line[:0], e)
	_, d.err = d.w.Write(d.line)
	return d.err
}
