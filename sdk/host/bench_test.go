package host_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// counter is a Responder that counts, and signals when all answers have arrived.
type counter struct {
	n, want atomic.Int64
	done    chan struct{}
}

func newCounter(want int) *counter {
	c := &counter{done: make(chan struct{}, 1)}
	c.want.Store(int64(want))
	return c
}

func (c *counter) QuerySamplesComplete(rs []loadgen.QuerySampleResponse) {
	if c.n.Add(int64(len(rs))) == c.want.Load() {
		c.done <- struct{}{}
	}
}

func (c *counter) FirstTokenComplete([]loadgen.QuerySampleResponse) {}

const benchSamples = 1024

// openBench opens the null workload with its samples loaded.
func openBench(b *testing.B, s loadgen.Scenario, o host.LaunchOptions) loadgen.SUT {
	sut, _ := openBenchOn(b, s, o)
	return sut
}

// openBenchOn also returns a function that reports the processor time of both processes per query of b.N.
func openBenchOn(b *testing.B, s loadgen.Scenario, o host.LaunchOptions) (loadgen.SUT, func() float64) {
	b.Helper()
	p := launchOwn(b, o)
	w, err := p.Open(b.Context(), sdk.Options{Scenario: s})
	if err != nil {
		b.Fatal(err)
	}
	indices := make([]loadgen.SampleIndex, benchSamples)
	for i := range indices {
		indices[i] = loadgen.SampleIndex(i)
	}
	if err := w.QSL().LoadSamplesToRAM(b.Context(), indices); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	before := processorTime(b, os.Getpid(), p.PID())
	return w.SUT(), func() float64 { return float64(processorTime(b, os.Getpid(), p.PID())-before) / float64(b.N) }
}

// ways runs a benchmark for each transport of frames. Without shared memory both are the stream.
func ways(b *testing.B, bench func(b *testing.B, o host.LaunchOptions)) {
	b.Run("ring", func(b *testing.B) { bench(b, host.LaunchOptions{}) })
	b.Run("stream", func(b *testing.B) { bench(b, host.LaunchOptions{StreamOnly: true}) })
}

// One query at a time: the round trip. p50-ns is its median.
func BenchmarkSingleStream(b *testing.B) {
	ways(b, func(b *testing.B, o host.LaunchOptions) {
		sut := openBench(b, loadgen.SingleStream, o)
		reportTimes(b, roundTrips(b, sut, b.N, 0))
	})
}

// One query every millisecond, so both sides sleep before each. The time between does not count.
func BenchmarkRareQueries(b *testing.B) {
	ways(b, func(b *testing.B, o host.LaunchOptions) {
		sut := openBench(b, loadgen.SingleStream, o)
		reportTimes(b, roundTrips(b, sut, b.N, time.Millisecond))
	})
}

// roundTrips issues n queries, one at a time, and returns their times, sorted.
func roundTrips(b *testing.B, sut loadgen.SUT, n int, pause time.Duration) []time.Duration {
	b.Helper()
	c := newCounter(0)
	times := make([]time.Duration, n)
	samples := make([]loadgen.QuerySample, 1)
	for i := range n {
		if pause > 0 {
			time.Sleep(pause)
		}
		c.want.Store(int64(i + 1))
		samples[0] = loadgen.QuerySample{ID: loadgen.ResponseID(i), Index: loadgen.SampleIndex(i % benchSamples)}
		start := time.Now()
		if err := sut.IssueQuery(b.Context(), loadgen.Query{Samples: samples}, c); err != nil {
			b.Fatal(err)
		}
		<-c.done
		times[i] = time.Since(start)
	}
	slices.Sort(times)
	return times
}

func reportTimes(b *testing.B, times []time.Duration) {
	b.ReportMetric(float64(times[len(times)/2]), "p50-ns")
	b.ReportMetric(float64(times[len(times)*99/100]), "p99-ns")
}

// Queries of one sample as fast as they can be issued.
func BenchmarkServer(b *testing.B) {
	ways(b, func(b *testing.B, o host.LaunchOptions) {
		sut, processor := openBenchOn(b, loadgen.Server, o)
		c := newCounter(b.N)
		samples := make([]loadgen.QuerySample, 1)
		for i := range b.N {
			samples[0] = loadgen.QuerySample{ID: loadgen.ResponseID(i), Index: loadgen.SampleIndex(i % benchSamples)}
			if err := sut.IssueQuery(b.Context(), loadgen.Query{Samples: samples}, c); err != nil {
				b.Fatal(err)
			}
		}
		<-c.done
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mq/s")
		b.ReportMetric(processor(), "cpu-ns/query")
	})
}

// One query of all samples.
func BenchmarkOffline(b *testing.B) {
	ways(b, func(b *testing.B, o host.LaunchOptions) {
		samples := make([]loadgen.QuerySample, b.N)
		for i := range samples {
			samples[i] = loadgen.QuerySample{ID: loadgen.ResponseID(i), Index: loadgen.SampleIndex(i % benchSamples)}
		}
		sut, processor := openBenchOn(b, loadgen.Offline, o)
		c := newCounter(b.N)
		if err := sut.IssueQuery(b.Context(), loadgen.Query{Samples: samples}, c); err != nil {
			b.Fatal(err)
		}
		<-c.done
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Msamples/s")
		b.ReportMetric(processor(), "cpu-ns/sample")
	})
}

// Large payloads, one at a time.
func BenchmarkLargePayloads(b *testing.B) {
	for _, size := range []int{1 << 20, 16 << 20} {
		b.Run(fmt.Sprintf("%dMiB", size>>20), func(b *testing.B) { benchPayloads(b, size) })
	}
}

func benchPayloads(b *testing.B, size int) {
	ways(b, func(b *testing.B, o host.LaunchOptions) {
		p := launchOwn(b, o)
		w, err := p.Open(b.Context(), sdk.Options{Scenario: loadgen.SingleStream,
			Params: map[string]string{"payload": strconv.Itoa(size)}})
		if err != nil {
			b.Fatal(err)
		}
		if err := w.QSL().LoadSamplesToRAM(b.Context(), []loadgen.SampleIndex{0}); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(size))
		c := newCounter(0)
		samples := make([]loadgen.QuerySample, 1)
		for i := range b.N {
			c.want.Store(int64(i + 1))
			samples[0].ID = loadgen.ResponseID(i)
			if err := w.SUT().IssueQuery(b.Context(), loadgen.Query{Samples: samples}, c); err != nil {
				b.Fatal(err)
			}
			<-c.done
		}
	})
}
