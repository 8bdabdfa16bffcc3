// Package metrics exports a feed to Prometheus.
package metrics

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/endpoint"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/feed"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/measure"
)

// Path is the URL path of the metrics.
const Path = "/metrics"

// Exporter answers the scrapes at one address.
type Exporter struct {
	server  *endpoint.Server
	scrapes scrapeTimes
}

// Listen opens the address.
func Listen(address string) (*Exporter, error) {
	s, err := endpoint.Listen(address)
	if err != nil {
		return nil, err
	}
	return &Exporter{server: s, scrapes: scrapeTimes{arrived: make(chan struct{}, 1)}}, nil
}

// Server returns the server of the exporter.
func (e *Exporter) Server() *endpoint.Server { return e.server }

// Serve answers scrapes with the runs of f.
func (e *Exporter) Serve(f *feed.Feed) { e.server.Serve(e.newHandler(f)) }

// maxConcurrentScrapes is the number of responses produced concurrently. Other requests wait.
const maxConcurrentScrapes = 4

func (e *Exporter) newHandler(f *feed.Feed) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(newCollector(f))
	shown := promhttp.HandlerFor(registry, promhttp.HandlerOpts{DisableCompression: true})
	making := make(chan struct{}, maxConcurrentScrapes)
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Path, func(w http.ResponseWriter, r *http.Request) {
		select {
		case making <- struct{}{}:
		case <-r.Context().Done():
			return
		}
		made := bufferedAnswer{header: w.Header(), status: http.StatusOK}
		shown.ServeHTTP(&made, r)
		<-making // released before sending, so a client that does not read delays no other
		w.WriteHeader(made.status)
		if _, err := w.Write(made.text.Bytes()); err == nil {
			e.scrapes.addScrape(time.Now())
		}
	})
	mux.HandleFunc("GET "+DashboardPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(DashboardJSON()) // a client that closes the connection needs no response
	})
	mux.Handle("GET /{$}", http.RedirectHandler(Path, http.StatusFound))
	return mux
}

// bufferedAnswer is an http.ResponseWriter that stores the response.
type bufferedAnswer struct {
	header http.Header
	status int
	text   bytes.Buffer
}

func (a *bufferedAnswer) Header() http.Header                { return a.header }
func (a *bufferedAnswer) WriteHeader(status int)             { a.status = status }
func (a *bufferedAnswer) Write(text []byte) (n int, _ error) { return a.text.Write(text) }

// ScrapeWait returns how long to wait for a regular scraper to read the last values; 0: there is no regular scraper.
func (e *Exporter) ScrapeWait() time.Duration { return e.scrapes.waitTime() }

// AwaitScrape returns after the next scrape, after maxTime, or when ctx ends.
func (e *Exporter) AwaitScrape(ctx context.Context, maxTime time.Duration) {
	select {
	case <-e.scrapes.arrived: // discards an earlier scrape
	default:
	}
	timer := time.NewTimer(maxTime)
	defer timer.Stop()
	select {
	case <-e.scrapes.arrived:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Close closes the server.
func (e *Exporter) Close(ctx context.Context) { e.server.Close(ctx) }

// scrapeTimes contains the times of the last two scrapes.
type scrapeTimes struct {
	mu             sync.Mutex
	previous, last time.Time
	arrived        chan struct{}
}

func (s *scrapeTimes) addScrape(at time.Time) {
	s.mu.Lock()
	s.previous, s.last = s.last, at
	s.mu.Unlock()
	select {
	case s.arrived <- struct{}{}:
	default:
	}
}

// maxWait limits the wait for a scrape after the command's end. Prometheus scrapes once a minute by default.
const maxWait = 65 * time.Second

// waitTime returns one and a half times the interval of the last two scrapes plus a second, up to maxWait.
func (s *scrapeTimes) waitTime() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.previous.IsZero() {
		return 0
	}
	return min(s.last.Sub(s.previous)*3/2+time.Second, maxWait)
}

// measureCollector converts the table of measures to Prometheus' metrics.
type measureCollector struct {
	feed   *feed.Feed
	rows   []measure.Measure
	descs  []*prometheus.Desc
	bounds []time.Duration
}

func newCollector(f *feed.Feed) *measureCollector {
	c := &measureCollector{feed: f, rows: measure.AllMeasures(), bounds: feed.CoarseBounds()}
	for _, m := range c.rows {
		c.descs = append(c.descs, prometheus.NewDesc(m.PrometheusName(), m.Help, m.LabelNames(), nil))
	}
	return c
}

// Describe implements prometheus.Collector.
func (c *measureCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c *measureCollector) Collect(out chan<- prometheus.Metric) {
	c.feed.EachRun(func(r *feed.Run) {
		for i, m := range c.rows {
			m.EachPoint(r, func(p measure.MeasurePoint) { out <- c.newMetric(c.descs[i], m, p) })
		}
	})
}

func (c *measureCollector) newMetric(desc *prometheus.Desc, m measure.Measure,
	p measure.MeasurePoint) prometheus.Metric {
	switch m.Kind {
	case measure.Distribution:
		buckets := make(map[float64]uint64, len(c.bounds))
		for i, n := range p.Times.CountUpTo(c.bounds) {
			buckets[c.bounds[i].Seconds()] = n
		}
		return prometheus.MustNewConstHistogram(desc, p.Times.N, p.Times.Sum/1e9, buckets, p.Labels...)
	case measure.Counter:
		return prometheus.MustNewConstMetric(desc, prometheus.CounterValue, p.Value, p.Labels...)
	}
	return prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, p.Value, p.Labels...)
}
