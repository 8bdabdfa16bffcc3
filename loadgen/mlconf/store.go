package mlconf

import (
	"math"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

type confSettings = loadgen.TestSettings

// ignoredWithout returns the name of the missing setting without which the official LoadGen ignores the field's key. It
// returns "" if LoadGen reads the key.
func ignoredWithout(f loadgen.Field, s *confSettings) string {
	switch {
	case f.Form == loadgen.TokenMillisForm && !s.UseTokenLatencies:
		return "use_token_latencies"
	case f.Form == loadgen.TokenCountForm && !s.InferTokenLatencies:
		return "infer_token_latencies"
	}
	return ""
}

// storeValue stores a value like the official LoadGen. If the mode does not exist, it changes nothing and returns
// false.
func storeValue(f loadgen.Field, s *confSettings, v confValue) (changed bool) {
	switch p := f.At(s).(type) {
	case *uint64:
		*p = v.integer
		if f.Form == loadgen.Count32Form {
			*p = uint64(int64(int32(v.integer)))
		}
	case *int:
		*p = int(v.integer)
	case *bool:
		*p = v.integer == 1 || f.Form == loadgen.BooleanForm && v.integer != 0
	case *loadgen.Mode:
		if v.integer > uint64(loadgen.FindPeakPerformance) {
			return false
		}
		*p = loadgen.Mode(v.integer)
	case *float64:
		*p = v.double
		if f.Form == loadgen.PercentForm {
			*p = v.double * 0.01
		}
	case *time.Duration:
		storeDuration(f, s, p, v)
	}
	return true
}

// maxMillis is the longest duration in milliseconds.
const maxMillis = math.MaxInt64 / int64(time.Millisecond)

func storeDuration(f loadgen.Field, s *confSettings, p *time.Duration, v confValue) {
	switch f.Form {
	case loadgen.MillisForm:
		*p = math.MaxInt64 // stands for a duration out of range
		if ms := int64(v.integer); ms <= maxMillis && ms >= -maxMillis {
			*p = time.Duration(ms) * time.Millisecond
		}
		return
	case loadgen.WrapMillisForm, loadgen.TokenMillisForm:
		*p = time.Duration(v.integer * uint64(time.Millisecond))
		return
	case loadgen.NearMillisForm:
		*p = math.MaxInt64
		if ns := math.Round(v.double * 1e6); math.Abs(ns) < math.MaxInt64 {
			*p = time.Duration(ns)
		}
		return
	}
	whole, fraction := math.Modf(v.double * 1e6)
	if !(math.Abs(whole) < math.MaxInt64) { // NaN or too large for a duration
		whole, fraction = 0, v.double*1e6
	}
	*p, *f.FractionAt(s) = time.Duration(whole), fraction
}
