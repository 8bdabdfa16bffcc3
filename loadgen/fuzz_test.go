package loadgen_test

import (
	"errors"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
)

// FuzzStartTest runs arbitrary settings on virtual time. StartTest must refuse them with ErrBadSettings or ErrBadQSL,
// or the test must end by itself and request only existing samples.
func FuzzStartTest(f *testing.F) {
	f.Add(uint8(0), uint8(2), int64(1e6), 1000.0, int64(0), int64(0), uint64(20), uint64(0), uint16(100), uint16(30),
		uint64(8), uint8(0), uint64(1))
	f.Add(uint8(1), uint8(0), int64(8e6), 10.0, int64(2e8), int64(0), uint64(3), uint64(0), uint16(20), uint16(5),
		uint64(8), uint8(4), uint64(2))
	f.Add(uint8(2), uint8(0), int64(1e6), 1e4, int64(1e7), int64(1e6), uint64(50), uint64(9), uint16(10), uint16(10),
		uint64(1), uint8(1), uint64(3))
	f.Add(uint8(3), uint8(1), int64(1e6), 2.5, int64(1e9), int64(0), uint64(0), uint64(0), uint16(7), uint16(3), uint64(0),
		uint8(2), uint64(4))
	f.Add(uint8(2), uint8(2), int64(1e7), 1e3, int64(0), int64(1e6), uint64(50), uint64(0), uint16(10), uint16(10),
		uint64(1), uint8(0x38), uint64(5))
	f.Add(uint8(2), uint8(3), int64(1e7), 1e2, int64(0), int64(0), uint64(50), uint64(0), uint16(10), uint16(10),
		uint64(1), uint8(0x18), uint64(6))
	f.Add(uint8(9), uint8(9), int64(-1), -1.0, int64(-1), int64(-1), uint64(0), uint64(0), uint16(0), uint16(0), uint64(0),
		uint8(255), uint64(0))
	f.Fuzz(func(
		t *testing.T, scenario, mode uint8, latency int64, qps float64, least, most int64, minCount, maxCount uint64,
		total, performance uint16, wide uint64, flags uint8, seed uint64,
	) {
		s := loadgen.TestSettings{
			Scenario: loadgen.Scenario(scenario), Mode: loadgen.Mode(mode),
			SingleStreamExpectedLatency: time.Duration(latency), SingleStreamTargetLatencyPercentile: 0.9,
			MultiStreamExpectedLatency: time.Duration(latency), MultiStreamTargetLatencyPercentile: 0.99,
			MultiStreamSamplesPerQuery: wide,
			ServerTargetQPS:            qps, ServerTargetLatency: time.Duration(latency), ServerTargetLatencyPercentile: 0.99,
			OfflineExpectedQPS: qps, MinDuration: time.Duration(least), MaxDuration: time.Duration(most),
			MinQueryCount: minCount, MaxQueryCount: maxCount, QSLRNGSeed: seed, SampleIndexRNGSeed: seed, ScheduleRNGSeed: seed,
			AccuracyLogRNGSeed: seed, AccuracyLogProbability: 0.1,
			PerformanceIssueUnique: flags&1 != 0, PerformanceIssueSame: flags&2 != 0, PerformanceIssueSameIndex: seed % 4,
			SampleConcatenatePermutation: flags&4 != 0, PerformanceSampleCountOverride: uint64(flags >> 6),
			UseTokenLatencies: flags&8 != 0, ServerTTFTLatency: time.Duration(latency), ServerTPOTLatency: time.Duration(most),
			ServerNumIssueQueryThreads: uint64(flags >> 4 & 3), ServerMaxAsyncQueries: uint64(flags >> 5 & 1 * 9),
			ServerCoalesceQueries:             flags&16 != 0,
			ServerFindPeakQPSBoundaryStepSize: 1,
		}
		if qps > 1e6 || minCount > 1000 || least > int64(time.Second) || latency < 1e5 || wide > 50 || total > 2000 ||
			least > 0 && (qps > 1e3 || s.Mode == loadgen.FindPeakPerformance) {
			t.Skip("larger than takes a moment")
		}
		clock := &loadgentest.Clock{}
		sut := &loadgentest.Script{Clock: clock, Latency: func(q loadgen.QuerySample) time.Duration {
			if int(q.Index) >= int(total) {
				t.Errorf("sample %d of %d", q.Index, total)
			}
			return time.Millisecond
		}}
		sut.FirstToken = func(loadgen.QuerySample) time.Duration { return time.Microsecond }
		sut.Tokens = func(s loadgen.QuerySample) int64 { return 2 + int64(s.Index%3) }
		qsl := loadgentest.QSL{Total: int(total), Performance: int(performance)}
		r, err := loadgen.StartTest(loadgentest.WithClock(t.Context(), clock), sut, qsl, s, loadgen.LogSettings{})
		if err != nil {
			if !errors.Is(err, loadgen.ErrBadSettings) && !errors.Is(err, loadgen.ErrBadQSL) {
				t.Fatal(err)
			}
			return
		}
		if s.Mode != loadgen.AccuracyOnly && r.QueryCount == 0 {
			t.Error("a test without a query")
		}
	})
}
