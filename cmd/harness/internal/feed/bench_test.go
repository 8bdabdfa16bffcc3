package feed_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/events"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/feed"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/metrics"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/otlp"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/web"
)

// BenchmarkBeside measures LoadGen with a null SUT alone and, in turn, watched: by nobody but the feed, in each way,
// and by everybody. Those who watch are in the same process, which they are not elsewhere.
func BenchmarkBeside(b *testing.B) {
	for _, c := range []struct {
		scenario loadgen.Scenario
		queries  uint64
		qps      float64
	}{{loadgen.SingleStream, 2e7, 0}, {loadgen.Offline, 1e8, 0}, {loadgen.Server, 2e4, 1e4}} {
		r := planned(c.scenario)
		s := &r.Settings.TestSettings
		s.MinQueryCount, s.ServerTargetQPS = c.queries, max(c.qps, 1)
		for _, by := range []string{"alone", "feed", "events", "page", "metrics", "otlp", "events page metrics otlp"} {
			b.Run(fmt.Sprintf("%v/%s", c.scenario, strings.ReplaceAll(by, " ", "+")), func(b *testing.B) {
				for b.Loop() {
					measure(b, r, by)
				}
			})
		}
	}
}

func measure(b *testing.B, r bench.PlannedRun, by string) {
	progress, stop := &loadgen.Progress{}, func() {}
	if by != "alone" {
		stop = watch(b, r, progress, by)
	}
	result, err := loadgen.StartTest(b.Context(), &loadgentest.NullSUT{}, loadgentest.QSL{Total: 1024},
		r.Settings.TestSettings, loadgen.LogSettings{Progress: progress, OutDir: b.TempDir()})
	stop()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(result.SampleCount)/result.Duration.Seconds()/1e6, "Msamples/s")
	for _, p := range result.IssueDelay.Percentiles {
		switch p.P {
		case 0.5, 0.99:
			b.ReportMetric(float64(p.Latency)/1e3, fmt.Sprintf("p%.0f-us", 100*p.P))
		}
	}
}

// watch watches a run in the ways that by names, until the function that it returns is called.
func watch(b *testing.B, r bench.PlannedRun, p *loadgen.Progress, by string) (stop func()) {
	b.Helper()
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	page, err1 := web.Listen("0")
	exporter, err2 := metrics.Listen("0")
	sender, err3 := otlp.NewSender(receiver.URL)
	if err1 != nil || err2 != nil || err3 != nil {
		b.Fatal(err1, err2, err3)
	}
	stream := events.NewStream(io.Discard, "discard")
	var sinks []feed.Sink
	if strings.Contains(by, "events") {
		sinks = append(sinks, stream)
	}
	if strings.Contains(by, "page") {
		sinks = append(sinks, page)
		page.Serve()
		go readPage(page)
	}
	f, done := feed.New(time.Now, sinks...), make(chan struct{})
	if strings.Contains(by, "metrics") {
		exporter.Serve(f)
		go scrapeEachSecond(exporter, done)
	}
	if strings.Contains(by, "otlp") {
		sender.Send(f, "bench")
	}
	f.Plan("out", record.Identity{}, []bench.PlannedRun{r})
	f.Open(record.Run{Workload: &record.Workload{}})
	seen := f.WatchTest(r, p)
	return func() {
		seen()
		close(done)
		_ = stream.Close(time.Second)
		page.Close(b.Context())
		exporter.Close(b.Context())
		_ = sender.Close()
		receiver.Close()
	}
}

func readPage(p *web.Page) {
	if r, err := http.Get("http://" + p.Server().Address() + web.EventsPath); err == nil {
		_, _ = io.Copy(io.Discard, r.Body)
		r.Body.Close()
	}
}

func scrapeEachSecond(e *metrics.Exporter, done <-chan struct{}) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		if r, err := http.Get("http://" + e.Server().Address() + metrics.Path); err == nil {
			_, _ = io.Copy(io.Discard, r.Body)
			r.Body.Close()
		}
		select {
		case <-tick.C:
		case <-done:
			return
		}
	}
}
