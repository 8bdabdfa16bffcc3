package loadgen_test

import (
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

// quick returns settings under which every scenario ends at once. No latency is above the limit, so a busy machine
// cannot make a run INVALID.
func quick(s loadgen.Scenario, m loadgen.Mode) loadgen.TestSettings {
	t := loadgen.DefaultTestSettings()
	t.Scenario, t.Mode = s, m
	t.MinDuration, t.MinQueryCount = 0, 700
	t.ServerTargetQPS, t.ServerTargetLatency = 1e6, time.Hour
	return t
}

func TestStartTestEveryScenarioAndMode(t *testing.T) {
	for _, sc := range loadgen.Scenarios() {
		for _, mode := range []loadgen.Mode{loadgen.PerformanceOnly, loadgen.AccuracyOnly, loadgen.SubmissionRun} {
			t.Run(fmt.Sprintf("%v/%v", sc, mode), func(t *testing.T) {
				sut := &loadgentest.NullSUT{Data: binary.LittleEndian.AppendUint32(nil, 7)}
				l := loadgen.LogSettings{OutDir: t.TempDir(), EnableTrace: true}
				r, err := loadgen.StartTest(t.Context(), sut, loadgentest.QSL{Total: 100, Performance: 30}, quick(sc, mode), l)
				if err != nil {
					t.Fatal(err)
				}
				if want := mode != loadgen.AccuracyOnly; (r.Verdict == loadgen.Valid) != want {
					t.Errorf("verdict %q, reasons %+v", r.Verdict, r.Reasons)
				}
				if mode != loadgen.PerformanceOnly && r.AccuracySampleCount < 100 {
					t.Errorf("%d samples in the accuracy log, want all 100", r.AccuracySampleCount)
				}
				if len(r.Errors) > 0 {
					t.Errorf("errors %v", r.Errors)
				}
			})
		}
	}
}
