package otlp

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/settings"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/feed"
)

func TestURL(t *testing.T) {
	for text, want := range map[string]string{
		"http://localhost:4318": "http://localhost:4318/v1/metrics", "https://h/": "https://h/v1/metrics",
		"http://h:1/x/y": "http://h:1/x/y",
	} {
		if got, err := ParseURL(text); err != nil || got != want {
			t.Errorf("URL(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", "localhost:4318", "ftp://h", "http://", "http://:80", "http://u:p@h", "http://h?a=b",
		"http://h#a", "http://h:x", "%"} {
		if got, err := ParseURL(text); err == nil || strings.Contains(err.Error(), "u:p") {
			t.Errorf("URL(%q) = %q, %v", text, got, err)
		}
	}
}

func FuzzURL(f *testing.F) {
	f.Add("http://localhost:4318")
	f.Fuzz(func(t *testing.T, text string) {
		if u, err := ParseURL(text); err == nil {
			if again, err := ParseURL(u); err != nil || again != u {
				t.Errorf("%q becomes %q, and that %q: %v", text, u, again, err)
			}
		}
	})
}

// measured is a feed of one run of 700 samples.
func measured(t *testing.T) *feed.Feed {
	t.Helper()
	s := loadgen.DefaultTestSettings()
	s.Scenario, s.MinDuration, s.MinQueryCount, s.ServerTargetQPS = loadgen.Server, 0, 700, 1e5
	r := bench.PlannedRun{Model: "m", Scenario: s.Scenario,
		Settings: settings.Settings{Settings: mlconf.Settings{TestSettings: s}}}
	f, p := feed.New(time.Now), &loadgen.Progress{}
	f.Plan("out", record.Identity{}, []bench.PlannedRun{r})
	stop := f.WatchTest(r, p)
	if _, err := loadgen.StartTest(t.Context(), &loadgentest.NullSUT{}, loadgentest.QSL{Total: 64}, s,
		loadgen.LogSettings{Progress: p}); err != nil {
		t.Fatal(err)
	}
	stop()
	return f
}

// send sends the run to a receiver once, at the end.
func send(t *testing.T, receiver http.HandlerFunc) error {
	t.Helper()
	server := httptest.NewServer(receiver)
	defer server.Close()
	s, err := NewSender(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	s.Send(measured(t), "1.2.3")
	return s.Close()
}

func TestReceiverGetsTheRun(t *testing.T) {
	var got collector.ExportMetricsServiceRequest
	err := send(t, func(_ http.ResponseWriter, r *http.Request) {
		body := io.Reader(r.Body)
		if r.Header.Get("Content-Encoding") == "gzip" {
			body, _ = gzip.NewReader(r.Body)
		}
		text, err := io.ReadAll(body)
		if err != nil || r.URL.Path != defaultPath || proto.Unmarshal(text, &got) != nil {
			t.Errorf("%s: %v", r.URL, err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]*metrics.Metric{}
	for _, m := range got.ResourceMetrics[0].ScopeMetrics[0].Metrics {
		of[m.Name] = m
	}
	latency := of["plumbline.sample.latency"].GetHistogram().GetDataPoints()
	if len(latency) != 1 || latency[0].Count != 700 || len(latency[0].BucketCounts) != len(latency[0].ExplicitBounds)+1 {
		t.Fatalf("latency %v", latency)
	}
	var n uint64
	for _, count := range latency[0].BucketCounts {
		n += count
	}
	done := of["plumbline.samples.completed"].GetSum()
	if n != 700 || !done.IsMonotonic || done.DataPoints[0].GetAsDouble() != 700 {
		t.Errorf("%d in buckets, completed %v", n, done)
	}
	if name := got.ResourceMetrics[0].Resource.Attributes[0]; name.Value.GetStringValue() != "plumbline" {
		t.Errorf("resource %v", got.ResourceMetrics[0].Resource)
	}
}

func TestReceiverThatFails(t *testing.T) {
	err := send(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	if err == nil || !strings.Contains(err.Error(), "1 of 1 times the receiver did not take the metrics") {
		t.Errorf("error %v", err)
	}
}

func TestReceiverThatHangs(t *testing.T) {
	let := make(chan struct{})
	defer time.AfterFunc(2*exportTimeout, func() { close(let) }).Stop()
	err := send(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-let:
		}
	})
	if err == nil || !strings.Contains(err.Error(), "the last ones among them") {
		t.Errorf("error %v", err)
	}
}

func TestCloseWithoutSend(t *testing.T) {
	s, err := NewSender("http://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
