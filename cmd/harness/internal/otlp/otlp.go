// Package otlp sends a feed to a receiver of OpenTelemetry's metrics over HTTP.
package otlp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/feed"
)

// defaultPath is the path of receivers for metrics.
const defaultPath = "/v1/metrics"

// ParseURL parses the user's address. Without a path it uses the default path.
func ParseURL(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "", fmt.Errorf("%q is no URL of a receiver: want one such as http://localhost:4318", text)
	case u.User != nil:
		return "", errors.New("a URL with a password would be in every result: give it in the variable " +
			"OTEL_EXPORTER_OTLP_HEADERS, as authorization=VALUE")
	case u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("%q has more than host and path: want one such as http://localhost:4318", text)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = defaultPath
	}
	return u.String(), nil
}

// The interval of exports, and the time limit of one export.
const (
	exportInterval = 5 * time.Second
	exportTimeout  = 3 * time.Second
)

// Sender sends measurements until it is closed. A receiver that hangs or fails delays only the sender.
type Sender struct {
	url      string
	reader   *metric.ManualReader
	exporter *otlpmetrichttp.Exporter
	stop     chan struct{}
	done     chan struct{}

	sent, failed int
	last         error // error of the last export
}

// NewSender returns a sender to an address. It sends nothing yet. The variables OTEL_EXPORTER_OTLP_* configure headers
// and certificates.
func NewSender(address string) (*Sender, error) {
	address, err := ParseURL(address)
	if err != nil {
		return nil, err
	}
	exporter, err := otlpmetrichttp.New(context.Background(), otlpmetrichttp.WithEndpointURL(address),
		otlpmetrichttp.WithTimeout(exportTimeout), otlpmetrichttp.WithRetry(otlpmetrichttp.RetryConfig{Enabled: false}))
	if err != nil {
		return nil, fmt.Errorf("preparing to send to %s: %w", address, err)
	}
	return &Sender{url: address, exporter: exporter, stop: make(chan struct{}), done: make(chan struct{})}, nil
}

// Send starts to send the runs of f. version is the program's version.
func (s *Sender) Send(f *feed.Feed, version string) {
	s.reader = metric.NewManualReader(metric.WithProducer(newProducer(f)))
	metric.NewMeterProvider(metric.WithReader(s.reader), metric.WithResource(resource.NewSchemaless(
		attribute.String("service.name", "plumbline"), attribute.String("service.version", version))))
	go s.sendLoop()
}

func (s *Sender) sendLoop() {
	defer close(s.done)
	tick := time.NewTicker(exportInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.exportNow()
		case <-s.stop:
			s.exportNow()
			return
		}
	}
}

// exportNow exports the current values.
func (s *Sender) exportNow() {
	ctx, cancel := context.WithTimeout(context.Background(), exportTimeout)
	defer cancel()
	var all metricdata.ResourceMetrics
	err := s.reader.Collect(ctx, &all)
	if err == nil {
		err = s.exporter.Export(ctx, &all)
	}
	if s.last = err; err != nil {
		s.failed++
		return
	}
	s.sent++
}

// Close exports the last values and stops the sender. The error states the number of failed exports.
func (s *Sender) Close() error {
	if s.reader != nil {
		close(s.stop)
		<-s.done
	}
	ctx, cancel := context.WithTimeout(context.Background(), exportTimeout)
	defer cancel()
	_ = s.exporter.Shutdown(ctx) // all values are sent
	switch {
	case s.failed == 0:
		return nil
	case s.last == nil:
		return fmt.Errorf("--otlp %s: %d of %d times the receiver did not take the metrics; it has the last ones", s.url,
			s.failed, s.failed+s.sent)
	}
	return fmt.Errorf("--otlp %s: %d of %d times the receiver did not take the metrics, the last ones among them: %w",
		s.url, s.failed, s.failed+s.sent, s.last)
}
