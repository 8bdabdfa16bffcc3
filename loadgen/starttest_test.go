package loadgen_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

// quick are settings under which every scenario ends at once.
func quick(s loadgen.Scenario, m loadgen.Mode) loadgen.TestSettings {
	t := loadgen.DefaultTestSettings()
	t.Scenario, t.Mode = s, m
	t.MinDuration, t.MinQueryCount = 0, 700
	t.ServerTargetQPS = 1e6
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

func BenchmarkStartTest(b *testing.B) {
	for _, c := range []struct {
		scenario loadgen.Scenario
		samples  uint64
	}{{loadgen.SingleStream, 2e6}, {loadgen.MultiStream, 5e5}, {loadgen.Server, 2e6}, {loadgen.Offline, 2e7}} {
		b.Run(c.scenario.String(), func(b *testing.B) {
			s := quick(c.scenario, loadgen.PerformanceOnly)
			s.MinQueryCount = c.samples
			s.ServerTargetQPS = 1e9
			b.ReportAllocs()
			for b.Loop() {
				run(b, s)
			}
			n := c.samples
			if c.scenario == loadgen.MultiStream {
				n *= s.MultiStreamSamplesPerQuery
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Msamples/s")
		})
	}
}

func run(b *testing.B, s loadgen.TestSettings) {
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	_, err := loadgen.StartTest(ctx, &loadgentest.NullSUT{}, loadgentest.QSL{Total: 50000, Performance: 1024}, s, loadgen.LogSettings{OutDir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
}
