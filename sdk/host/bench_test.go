package host_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
)

// counter is a Responder that counts, and tells when all are there.
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

// open opens the null workload with its samples loaded.
func openBench(b *testing.B, s loadgen.Scenario) loadgen.SUT {
	b.Helper()
	p := launch(b)
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
	return w.SUT()
}

// One query at a time: the round trip. p50-ns is its median.
func BenchmarkSingleStream(b *testing.B) {
	sut := openBench(b, loadgen.SingleStream)
	c := newCounter(0)
	times := make([]time.Duration, b.N)
	samples := make([]loadgen.QuerySample, 1)
	for i := range b.N {
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
	b.ReportMetric(float64(times[len(times)/2]), "p50-ns")
	b.ReportMetric(float64(times[len(times)*99/100]), "p99-ns")
}

// Queries of one sample as fast as they can be issued.
func BenchmarkServer(b *testing.B) {
	sut := openBench(b, loadgen.Server)
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
}

// One query of all samples.
func BenchmarkOffline(b *testing.B) {
	samples := make([]loadgen.QuerySample, b.N)
	for i := range samples {
		samples[i] = loadgen.QuerySample{ID: loadgen.ResponseID(i), Index: loadgen.SampleIndex(i % benchSamples)}
	}
	sut := openBench(b, loadgen.Offline)
	c := newCounter(b.N)
	if err := sut.IssueQuery(b.Context(), loadgen.Query{Samples: samples}, c); err != nil {
		b.Fatal(err)
	}
	<-c.done
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Msamples/s")
}
