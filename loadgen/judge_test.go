package loadgen

import (
	"bytes"
	"testing"
	"time"
)

func TestThinLogs(t *testing.T) {
	s := DefaultTestSettings()
	e := EffectiveSettings{Scenario: SingleStream, Mode: PerformanceOnly, SamplesPerQuery: 1, TargetQPS: 1000, TargetLatencyPercentile: 0.9, MinQueryCount: 100, MinSampleCount: 100}
	p := &series{Start: time.Now(), GeneratedQueries: 100, SamplesPerQuery: 1, Queries: 100}
	for i := range 100 {
		p.Issued = append(p.Issued, int64(i)*1000)
		p.Done = append(p.Done, int64(i)*1000+500)
	}
	p.Scheduled = p.Issued
	var b bytes.Buffer
	g, err := openLogs(LogSettings{OutDir: t.TempDir(), EnableTrace: true, CopySummaryTo: &b})
	if err != nil {
		t.Fatal(err)
	}
	r := &Result{SUTName: "sut"}
	g.start("sut", 1, "qsl", 100, 10)
	g.requested(s)
	g.effective(e, s)
	g.mode(PerformanceOnly)
	g.loadedSet([]SampleIndex{1, 2, 3})
	g.generated(p)
	for i := range 10 {
		g.accuracy().Write(uint64(i), 5, []byte{1, 2, 255})
	}
	g.seriesDone(p)
	judge(s, e, p, r)
	if err := g.trace(p, func(i int) SampleIndex { return 0 }, 0, 0); err != nil {
		t.Fatal(err)
	}
	if err := g.finish(r); err != nil {
		t.Fatal(err)
	}
	if r.Verdict != Valid {
		t.Fatalf("%+v", r)
	}
	t.Log(b.String())
}
