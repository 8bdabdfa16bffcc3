package metrics

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/settings"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/feed"
)

// ended is a feed of one Server run that has ended, of 700 samples.
func ended(t *testing.T) *feed.Feed {
	t.Helper()
	s := loadgen.DefaultTestSettings()
	s.Scenario, s.MinDuration, s.MinQueryCount, s.ServerTargetQPS = loadgen.Server, 0, 700, 1e5
	r := bench.PlannedRun{Model: "m\xff", Scenario: s.Scenario,
		Settings: settings.Settings{Settings: mlconf.Settings{TestSettings: s}}}
	f, p := feed.New(time.Now), &loadgen.Progress{}
	f.Plan("out", record.Identity{}, []bench.PlannedRun{r, r})
	f.Open(record.Run{Workload: &record.Workload{Dataset: "a \"b\"\n\xff"}})
	stop := f.WatchTest(r, p)
	result, err := loadgen.StartTest(t.Context(), &loadgentest.NullSUT{}, loadgentest.QSL{Total: 64}, s,
		loadgen.LogSettings{Progress: p})
	if err != nil {
		t.Fatal(err)
	}
	stop()
	var rec record.Run
	rec.FromResult(result)
	f.Done(rec)
	return f
}

func TestRegistryIsSound(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(newCollector(ended(t)))
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, f := range families {
		names[f.GetName()] = true
		if h := f.Metric[0].Histogram; h != nil && h.GetSampleCount() != 700 {
			t.Errorf("%s has %d samples, want 700", f.GetName(), h.GetSampleCount())
		}
	}
	for _, name := range []string{"plumbline_sample_latency_seconds", "plumbline_issue_delay_seconds",
		"plumbline_samples_completed_total", "plumbline_run_result", "plumbline_run_info"} {
		if !names[name] {
			t.Errorf("no %s among %v", name, names)
		}
	}
}

func TestScrape(t *testing.T) {
	e, err := Listen("0")
	if err != nil {
		t.Fatal(err)
	}
	e.Serve(ended(t))
	defer e.Close(t.Context())
	if e.ScrapeWait() != 0 {
		t.Errorf("it waits %v for nobody", e.ScrapeWait())
	}
	for range 2 {
		r, err := http.Get("http://" + e.Server().Address())
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || !strings.Contains(string(text), `plumbline_samples_completed_total{mode="performance",model="m?",`) {
			t.Errorf("%v: %s", err, text)
		}
	}
	if e.ScrapeWait() <= 0 {
		t.Error("it does not wait for one who came twice")
	}
	e.AwaitScrape(t.Context(), time.Millisecond)
}

// unread is the answer to a client that reads nothing.
type unread struct {
	http.ResponseWriter
	begun chan<- bool
	ends  <-chan struct{}
}

func (u unread) Write([]byte) (int, error) {
	u.begun <- true
	<-u.ends
	return 0, net.ErrClosed
}

// TestClientsThatNeverRead shut nobody out, however many there are, and are no scrapes.
func TestClientsThatNeverRead(t *testing.T) {
	e := &Exporter{scrapes: scrapeTimes{arrived: make(chan struct{}, 1)}}
	h := e.newHandler(ended(t))
	begun, ends := make(chan bool), make(chan struct{})
	var unreading sync.WaitGroup
	for range 10 * maxConcurrentScrapes {
		unreading.Go(func() {
			h.ServeHTTP(unread{httptest.NewRecorder(), begun, ends}, httptest.NewRequest(http.MethodGet, Path, http.NoBody))
		})
		<-begun
	}
	for range 2 {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, Path, http.NoBody))
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "plumbline_run_info") {
			t.Errorf("%d: %s", w.Code, w.Body)
		}
	}
	last := e.scrapes.last
	close(ends)
	unreading.Wait()
	if !e.scrapes.last.Equal(last) {
		t.Error("a client that read nothing counts as a scrape")
	}
}

func TestAwaitScrape(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &Exporter{scrapes: scrapeTimes{arrived: make(chan struct{}, 1)}}
		start := time.Now()
		e.scrapes.addScrape(start)
		e.scrapes.addScrape(start.Add(10 * time.Second))
		if got := e.ScrapeWait(); got != 16*time.Second {
			t.Errorf("it waits %v, want 16 s", got)
		}
		go func() {
			time.Sleep(3 * time.Second)
			e.scrapes.addScrape(time.Now())
		}()
		e.AwaitScrape(t.Context(), e.ScrapeWait())
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("it waited %v, want 3 s", took)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		e.AwaitScrape(ctx, time.Hour)
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("it waited until %v for a user who does not", took)
		}
	})
}
