// Package scrape reads a server's own metrics during a measurement, from pages in Prometheus' text format.
//
// In scope: pages, once a second and at both ends of a measurement; the engines' different names for a metric. Out of
// scope: requests and the clients' view of them (package engine).
package scrape

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// ErrPage reports that a page cannot be read as metrics.
var ErrPage = errors.New("page of metrics")

// maxPage is the maximum size of a page in bytes. vLLM's page has about 100 kB.
const maxPage = 16 << 20

// readTimeout is the maximum time to read a page.
const readTimeout = 5 * time.Second

// DefaultInterval is the usual time between two readings.
const DefaultInterval = time.Second

// Page is the page with a server's metrics.
type Page struct {
	URL    string
	Client *http.Client // nil: a client that follows no redirects
}

// directClient is a client that does not follow redirects to other addresses.
var directClient = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// FindPage looks for a server's metrics page. base is the address of the server's API, such as
// http://localhost:8000/v1. Find tries /metrics, then TensorRT-LLM's /prometheus/metrics. ok is false if neither
// contains metrics.
func FindPage(ctx context.Context, client *http.Client, base string) (p Page, ok bool) {
	scheme, rest, found := strings.Cut(base, "://")
	if !found {
		return p, false
	}
	host, _, _ := strings.Cut(rest, "/")
	for _, path := range []string{"/metrics", "/prometheus/metrics"} {
		p = Page{URL: scheme + "://" + host + path, Client: client}
		if r, err := p.read(ctx); err == nil && len(r.families) > 0 {
			return p, true
		}
	}
	return Page{}, false
}

// Check reads the page once and returns an error if it cannot be read.
func (p Page) Check(ctx context.Context) error {
	_, err := p.read(ctx)
	return err
}

// pageReading is the content of a page at one time.
type pageReading struct {
	at       int64 // ns
	families map[string]*dto.MetricFamily
}

// read reads the page. Its errors wrap ErrPage.
func (p Page) read(ctx context.Context) (r pageReading, err error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL, http.NoBody)
	if err != nil {
		return r, fmt.Errorf("%w: %w", ErrPage, err)
	}
	request.Header.Set("Accept", "text/plain; version=0.0.4")
	response, err := cmp.Or(p.Client, directClient).Do(request)
	if err != nil {
		return r, fmt.Errorf("%w: %w", ErrPage, err)
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case response.StatusCode != http.StatusOK:
		return r, fmt.Errorf("%w %s: the server answers %s", ErrPage, p.URL, response.Status)
	case kind != "" && kind != "text/plain" && kind != "application/openmetrics-text":
		return r, fmt.Errorf("%w %s: its content is %.100q, want text/plain", ErrPage, p.URL, kind)
	}
	if r.families, err = parsePage(io.LimitReader(response.Body, maxPage)); err != nil {
		return r, fmt.Errorf("%w %s: %w", ErrPage, p.URL, err)
	}
	return r, nil
}

// parsePage parses a page's text.
func parsePage(text io.Reader) (map[string]*dto.MetricFamily, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	return parser.TextToMetricFamilies(text)
}

// Watch reads a page at intervals until it is stopped.
type Watch struct {
	page Page
	now  func() int64
	stop context.CancelFunc
	done sync.WaitGroup

	readings []pageReading
	failed   int
	fault    error // the last failure
}

// StartWatch starts to read a page, once immediately and then once per interval every. now is the measurement's clock
// in nanoseconds.
func StartWatch(ctx context.Context, p Page, every time.Duration, now func() int64) *Watch {
	w := &Watch{page: p, now: now}
	inner, cancel := context.WithCancel(ctx)
	w.stop = cancel
	w.addReading(ctx)
	w.done.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				w.addReading(inner)
			case <-inner.Done():
				return
			}
		}
	})
	return w
}

// addReading adds a reading. Its time is the middle between request and response.
func (w *Watch) addReading(ctx context.Context) {
	asked := w.now()
	r, err := w.page.read(ctx)
	if err != nil {
		if ctx.Err() == nil {
			w.failed, w.fault = w.failed+1, err
		}
		return
	}
	r.at = asked + (w.now()-asked)/2
	w.readings = append(w.readings, r)
}

// Stop reads the page a last time and returns its values between two times of the clock, in nanoseconds. ok is false if
// fewer than two readings succeeded.
func (w *Watch) Stop(ctx context.Context, from, to int64) (s ServerMetrics, ok bool) {
	w.stop()
	w.done.Wait()
	w.addReading(ctx)
	if len(w.readings) < 2 {
		return ServerMetrics{URL: w.page.URL, Failed: w.failed, Fault: w.faultText()}, false
	}
	s = summarize(w.readings, from, to)
	s.URL, s.Failed, s.Fault = w.page.URL, w.failed, w.faultText()
	return s, true
}

func (w *Watch) faultText() string {
	if w.fault == nil {
		return ""
	}
	return w.fault.Error()
}
