package loadgen

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/internal/schedule"
)

// FuzzCheckSettings sets every field of TestSettings, and the counts of a library, to arbitrary values. A test must be
// refused with a known error or be possible to run: all samples have ids, and its times do not overflow.
func FuzzCheckSettings(f *testing.F) {
	for _, s := range []TestSettings{DefaultTestSettings(), {}, {ServerTargetQPS: math.Inf(1), Scenario: Server},
		{Scenario: Offline, OfflineExpectedQPS: math.NaN()}} {
		f.Add(marshal(s), int64(100), int64(10))
	}
	for scenario := range Scenarios() {
		s := DefaultTestSettings()
		s.Scenario, s.Mode, s.MaxQueryCount, s.UseTokenLatencies = Scenario(scenario), SubmissionRun, 7, true
		f.Add(marshal(s), int64(math.MaxInt64), int64(-1))
	}
	f.Fuzz(func(t *testing.T, data []byte, total, performance int64) {
		s := unmarshal(data)
		test, err := newTest(echo{}, counting{total: int(total), performance: int(performance)}, s, LogSettings{})
		if err != nil {
			if !errors.Is(err, ErrBadSettings) && !errors.Is(err, ErrBadQSL) || test != nil {
				t.Fatalf("test %v, error %v", test, err)
			}
			return
		}
		e := test.effective
		if !(e.TargetQPS > 0) || math.IsInf(e.TargetQPS, 0) || !(e.TargetLatencyPercentile > 0 &&
			e.TargetLatencyPercentile < 1) || e.SamplesPerQuery == 0 && e.Mode != AccuracyOnly {
			t.Errorf("%+v is accepted", e)
		}
		set := schedule.Set{Size: int(min(e.PerformanceSampleCount, uint64(total)))}
		if n, err := schedule.Count(seriesParams(test.settings, e, set, false)); e.Mode != AccuracyOnly &&
			(err != nil || n == 0 || n*e.SamplesPerQuery > schedule.MaxSamples) {
			t.Errorf("%d queries of %d samples are accepted (%v)", n, e.SamplesPerQuery, err)
		}
		test.hopelessFromStart()
	})
}

// counting is a library with the counts of a fuzz input.
type counting struct {
	echo
	total, performance int
}

func (c counting) TotalSampleCount() int       { return c.total }
func (c counting) PerformanceSampleCount() int { return c.performance }

// marshal writes each field of s as eight bytes.
func marshal(s TestSettings) []byte {
	var data []byte
	for v := reflect.ValueOf(s); len(data) < 8*v.NumField(); {
		var word uint64
		switch f := v.Field(len(data) / 8); f.Kind() {
		case reflect.Float64:
			word = math.Float64bits(f.Float())
		case reflect.Uint64:
			word = f.Uint()
		case reflect.Bool:
			if f.Bool() {
				word = 1
			}
		default:
			word = uint64(f.Int())
		}
		data = binary.LittleEndian.AppendUint64(data, word)
	}
	return data
}

// unmarshal reads the output of marshal. Fields without bytes stay 0.
func unmarshal(data []byte) (s TestSettings) {
	v := reflect.ValueOf(&s).Elem()
	for i := 0; i < v.NumField() && len(data) >= 8; i, data = i+1, data[8:] {
		word := binary.LittleEndian.Uint64(data)
		switch f := v.Field(i); f.Kind() {
		case reflect.Float64:
			f.SetFloat(math.Float64frombits(word))
		case reflect.Uint64:
			f.SetUint(word)
		case reflect.Bool:
			f.SetBool(word&1 != 0)
		default:
			f.SetInt(int64(word))
		}
	}
	return s
}

func TestMarshalledSettingsComeBack(t *testing.T) {
	s := DefaultTestSettings()
	s.PerformanceIssueSame, s.ServerTargetQPS, s.MinDuration = true, 0.25, -1
	if got := unmarshal(marshal(s)); got != s {
		t.Errorf("got %+v, want %+v", got, s)
	}
}
