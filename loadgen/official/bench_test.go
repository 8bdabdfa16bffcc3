package official_test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/loadgen/official"
)

// BenchmarkNullSUT measures a whole test with a SUT that answers inside IssueQuery. With make bench-official, the
// LoadGen itself runs a test of the same length before each.
func BenchmarkNullSUT(b *testing.B) {
	l := golden.Library(b, official.Open)
	for scenario, queries := range map[loadgen.Scenario]uint64{
		loadgen.SingleStream: 1e6, loadgen.MultiStream: 2e5, loadgen.Server: 1e6, loadgen.Offline: 4e6,
	} {
		b.Run(scenario.String(), func(b *testing.B) {
			var alone, driven, samples float64 // in seconds; samples: number in one of the two tests
			for b.Loop() {
				alone += aloneSeconds(b, scenario, queries)
				seconds, n := drivenSeconds(b, l, scenario, queries)
				driven, samples = driven+seconds, samples+float64(n)
			}
			b.ReportMetric(samples/driven/1e6, "Msamples/s")
			if alone > 0 {
				b.ReportMetric(samples/alone/1e6, "alone-Msamples/s")
				b.ReportMetric(100*alone/driven, "%-of-alone")
			}
		})
	}
}

func drivenSeconds(b *testing.B, l *official.Library, scenario loadgen.Scenario, queries uint64) (float64, uint64) {
	b.Helper()
	s := loadgen.DefaultTestSettings()
	s.Scenario, s.MinDuration, s.MinQueryCount, s.ServerTargetQPS = scenario, 0, queries, 1e9
	s.ServerTargetLatency = time.Hour
	logs := loadgen.LogSettings{OutDir: b.TempDir()}
	began := time.Now()
	r, err := l.StartTest(b.Context(), &loadgentest.NullSUT{}, loadgentest.QSL{Total: 50000, Performance: 1024}, s, logs)
	if err != nil {
		b.Fatal(err)
	}
	return time.Since(began).Seconds(), r.SampleCount
}

// aloneSeconds returns the time of the LoadGen itself with a SUT in C++, or 0 if there is no such program.
func aloneSeconds(b *testing.B, scenario loadgen.Scenario, queries uint64) float64 {
	b.Helper()
	program := os.Getenv("PLUMBLINE_OFFICIAL_NULL")
	if program == "" {
		return 0
	}
	out, err := exec.CommandContext(b.Context(), program, b.TempDir(), strconv.Itoa(int(scenario)),
		strconv.FormatUint(queries, 10)).Output()
	var seconds float64
	if err == nil {
		_, err = fmt.Sscanf(string(out), "%f s", &seconds)
	}
	if err != nil {
		b.Fatalf("%s: %v, it printed %q", program, err, out)
	}
	return seconds
}
