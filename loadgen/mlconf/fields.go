package mlconf

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// Field describes one setting: how configuration files write it and what it means.
type Field struct {
	Name     string // the field of loadgen.TestSettings
	Official string // the official LoadGen's name of it
	// Key is the last part of a configuration key; empty where no configuration file can set the field.
	// An [Override] of such a field uses Official as its key.
	Key string
	// Scenario is the scenario under whose name the key is read; empty: under that of the run.
	Scenario string
	Unit     string // of the value in files: "ms", "%", "queries/s", "samples", ...; empty for numbers and switches
	Doc      string
	// RulesOnly fields come from the rules' defaults; in a user.conf they are an error (the official LoadGen ignores them).
	RulesOnly bool

	kind kind
	at   func(*loadgen.TestSettings) any
}

// kind says how the official LoadGen turns a number into the setting.
type kind int

const (
	count       kind = iota // unsigned integer
	count32                 // unsigned integer, of which the low 32 bits count, as those of a signed number
	tokenCount              // unsigned integer, ignored unless tokens are inferred
	number                  // double
	percent                 // double, times 0.01
	millis                  // integer milliseconds
	wrapMillis              // integer milliseconds, held as nanoseconds modulo 2^64
	fracMillis              // double milliseconds
	tokenMillis             // wrapMillis, ignored unless token latencies are on
	boolean                 // anything but 0 is on
	exactlyOne              // 1 is on, everything else off
	mode                    // 0 to 3, others are ignored
	small                   // int
)

type settings = loadgen.TestSettings

// Fields lists all settings in the order of TestSettings.
func Fields() []Field { return slices.Clone(fields) }

// Text is the field's value in s as a configuration file writes it, in Unit.
func (f Field) Text(s loadgen.TestSettings) string {
	switch p := f.at(&s).(type) {
	case *uint64:
		return strconv.FormatUint(*p, 10)
	case *int:
		return strconv.Itoa(*p)
	case *bool:
		if *p {
			return "1"
		}
		return "0"
	case *loadgen.Mode:
		return strconv.Itoa(int(*p))
	case *time.Duration:
		return strconv.FormatFloat((float64(*p)+f.fraction(&s))/1e6, 'f', -1, 64)
	case *float64:
		if f.kind == percent {
			return strconv.FormatFloat(math.Round(*p*1e14)/1e12, 'f', -1, 64)
		}
		return strconv.FormatFloat(*p, 'f', -1, 64)
	}
	panic(fmt.Sprintf("mlconf: field %s has no text form", f.Name))
}

// Applies says whether the field means something in a run of scenario.
func (f Field) Applies(scenario loadgen.Scenario) bool {
	return f.Scenario == "" || f.Scenario == scenario.String() || f.kind == tokenMillis && scenario != loadgen.Offline
}

// fraction is the part of an expected latency below a nanosecond.
func (f Field) fraction(s *settings) float64 {
	if p := f.fractionAt(s); p != nil {
		return *p
	}
	return 0
}

func (f Field) fractionAt(s *settings) *float64 {
	switch f.at(s) {
	case any(&s.SingleStreamExpectedLatency):
		return &s.SingleStreamExpectedLatencyFraction
	case any(&s.MultiStreamExpectedLatency):
		return &s.MultiStreamExpectedLatencyFraction
	}
	return nil
}

// ignored names the setting without which the official LoadGen does not read the field's key; empty where it reads it.
func (f Field) ignored(s *settings) string {
	switch {
	case f.kind == tokenMillis && !s.UseTokenLatencies:
		return "use_token_latencies"
	case f.kind == tokenCount && !s.InferTokenLatencies:
		return "infer_token_latencies"
	}
	return ""
}

// set stores a value as the official LoadGen does; a mode that does not exist changes nothing, and set says so.
func (f Field) set(s *settings, v value) (changed bool) {
	switch p := f.at(s).(type) {
	case *uint64:
		*p = v.integer
		if f.kind == count32 {
			*p = uint64(int64(int32(v.integer)))
		}
	case *int:
		*p = int(v.integer)
	case *bool:
		*p = v.integer == 1 || f.kind == boolean && v.integer != 0
	case *loadgen.Mode:
		if v.integer > uint64(loadgen.FindPeakPerformance) {
			return false
		}
		*p = loadgen.Mode(v.integer)
	case *float64:
		*p = v.double
		if f.kind == percent {
			*p = v.double * 0.01
		}
	case *time.Duration:
		f.setDuration(s, p, v)
	}
	return true
}

// mostMillis is the longest duration in milliseconds.
const mostMillis = math.MaxInt64 / int64(time.Millisecond)

func (f Field) setDuration(s *settings, p *time.Duration, v value) {
	switch f.kind {
	case millis:
		*p = math.MaxInt64 // stands for what is no duration of ours
		if ms := int64(v.integer); ms <= mostMillis && ms >= -mostMillis {
			*p = time.Duration(ms) * time.Millisecond
		}
		return
	case wrapMillis, tokenMillis:
		*p = time.Duration(v.integer * uint64(time.Millisecond))
		return
	}
	whole, fraction := math.Modf(v.double * 1e6)
	if !(math.Abs(whole) < math.MaxInt64) { // not a number, or too large for a duration
		whole, fraction = 0, v.double*1e6
	}
	*p, *f.fractionAt(s) = time.Duration(whole), fraction
}
