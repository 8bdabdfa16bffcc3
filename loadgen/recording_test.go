package loadgen_test

import (
	"errors"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

// The recorded latencies are those of the result.
func TestRecording(t *testing.T) {
	for _, scenario := range loadgen.Scenarios() {
		for _, mode := range []loadgen.Mode{loadgen.PerformanceOnly, loadgen.SubmissionRun} {
			t.Run(scenario.String()+"/"+mode.String(), func(t *testing.T) {
				var calls, samples int
				var sum, most time.Duration
				l := loadgen.LogSettings{Record: func(r loadgen.Recording, _ string) error {
					calls++
					samples = r.Samples()
					for i := range samples {
						s := r.Slot(i)
						if s.Index >= 30 || s.Issued < s.Scheduled || s.Done < s.Issued {
							t.Fatalf("slot %d: %+v", i, s)
						}
						if i > 0 && s.Sample != r.Slot(i-1).Sample+1 {
							t.Fatalf("slot %d: sample %d after %d", i, s.Sample, r.Slot(i-1).Sample)
						}
						sum += time.Duration(s.Done - s.Scheduled)
						most = max(most, time.Duration(s.Done-s.Scheduled))
					}
					return nil
				}}
				qsl := loadgentest.QSL{Total: 30, Performance: 30}
				res, err := loadgen.StartTest(t.Context(), &loadgentest.NullSUT{}, qsl, quick(scenario, mode), l)
				if err != nil {
					t.Fatal(err)
				}
				if calls != 1 || uint64(samples) != res.SampleCount || most != res.Latency.Max {
					t.Errorf("%d calls, %d samples, longest %v, want those of %+v", calls, samples, most, res.Latency)
				}
				if mean := sum / time.Duration(samples); mean != res.Latency.Mean {
					t.Errorf("mean %v, want %v", mean, res.Latency.Mean)
				}
			})
		}
	}
}

// If recording fails, the error is one of the logs, and the result is complete. An accuracy run is not recorded.
func TestRecordingFails(t *testing.T) {
	full := errors.New("disk full")
	l := loadgen.LogSettings{Record: func(loadgen.Recording, string) error { return full }}
	qsl := loadgentest.QSL{Total: 30, Performance: 30}
	s := quick(loadgen.Server, loadgen.PerformanceOnly)
	res, err := loadgen.StartTest(t.Context(), &loadgentest.NullSUT{}, qsl, s, l)
	if !errors.Is(err, full) || !errors.Is(err, loadgen.ErrLogs) || res.Verdict != loadgen.Valid {
		t.Errorf("%v, %v", res.Verdict, err)
	}
	s.Mode = loadgen.AccuracyOnly
	if _, err := loadgen.StartTest(t.Context(), &loadgentest.NullSUT{}, qsl, s, l); err != nil {
		t.Error(err)
	}
}
