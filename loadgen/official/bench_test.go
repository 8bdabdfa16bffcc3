package official_test

import (
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/loadgen/official/officialtest"
)

// BenchmarkNullSUT is a whole test with a SUT that answers inside IssueQuery, with the numbers of queries that
// make bench-official gives the LoadGen alone.
func BenchmarkNullSUT(b *testing.B) {
	l := officialtest.Library(b)
	for scenario, queries := range map[loadgen.Scenario]uint64{
		loadgen.SingleStream: 1e6, loadgen.MultiStream: 2e5, loadgen.Server: 1e6, loadgen.Offline: 4e6,
	} {
		b.Run(scenario.String(), func(b *testing.B) {
			s := loadgen.DefaultTestSettings()
			s.Scenario, s.MinDuration, s.MinQueryCount, s.ServerTargetQPS = scenario, 0, queries, 1e9
			s.ServerTargetLatency = time.Hour
			samples := 0.0
			for b.Loop() {
				r, err := l.StartTest(b.Context(), &loadgentest.NullSUT{}, loadgentest.QSL{Total: 50000, Performance: 1024}, s,
					loadgen.LogSettings{OutDir: b.TempDir()})
				if err != nil {
					b.Fatal(err)
				}
				samples += float64(r.SampleCount)
			}
			b.ReportMetric(samples/b.Elapsed().Seconds()/1e6, "Msamples/s")
		})
	}
}
