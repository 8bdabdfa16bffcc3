package scrape

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// page is what vLLM shows, with numbers that grow with k.
func page(k int) string {
	return fmt.Sprintf(`# HELP vllm:num_requests_running Number of requests.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="m"} %d
vllm:num_requests_running{engine="1",model_name="m"} 1
# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{engine="0"} 0.5
vllm:kv_cache_usage_perc{engine="1"} 0.7
# TYPE vllm:prefix_cache_queries_total counter
vllm:prefix_cache_queries_total{engine="0"} %d
# TYPE vllm:prefix_cache_hits_total counter
vllm:prefix_cache_hits_total{engine="0"} %d
# TYPE vllm:time_to_first_token_seconds histogram
vllm:time_to_first_token_seconds_bucket{le="0.1"} %d
vllm:time_to_first_token_seconds_bucket{le="0.2"} %d
vllm:time_to_first_token_seconds_bucket{le="+Inf"} %d
vllm:time_to_first_token_seconds_sum %g
vllm:time_to_first_token_seconds_count %d
# TYPE vllm:new_thing_total counter
vllm:new_thing_total %d
# TYPE DCGM_FI_DEV_POWER_USAGE gauge
DCGM_FI_DEV_POWER_USAGE{gpu="0"} %d
DCGM_FI_DEV_POWER_USAGE{gpu="1"} 100
`, k, 1000*k, 10*k, 50*k, 100*k, 100*k, 12.5*float64(k), 100*k, 7*k, 100*k)
}

// server shows a page at a path, and a page of HTML elsewhere.
func server(t *testing.T, path string, text func() string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != path {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<html>"))
			return
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = w.Write([]byte(text()))
	}))
	t.Cleanup(s.Close)
	return s
}

func TestFind(t *testing.T) {
	for _, path := range []string{"/metrics", "/prometheus/metrics"} {
		s := server(t, path, func() string { return page(1) })
		p, ok := FindPage(t.Context(), nil, s.URL+"/v1")
		if !ok || p.URL != s.URL+path {
			t.Errorf("%s: %+v, %v", path, p, ok)
		}
	}
	if p, ok := FindPage(t.Context(), nil, server(t, "/other", func() string { return "" }).URL); ok {
		t.Errorf("found %+v", p)
	}
}

// TestWatch reads a page at times 0, 10 and so on; the window lies between two readings.
func TestWatch(t *testing.T) {
	k, at := 0, int64(0)
	s := server(t, "/metrics", func() string { k++; return page(k) })
	w := StartWatch(t.Context(), Page{URL: s.URL + "/metrics"}, time.Hour, func() int64 { return at })
	for range 3 {
		at += 10
		w.addReading(t.Context())
	}
	at += 10
	got, ok := w.Stop(t.Context(), 15, 25)
	if !ok || got.Engine != "vllm" || got.From != 10 || got.To != 30 || len(got.Times) != 3 || got.Failed != 0 {
		t.Fatalf("%+v", got)
	}
	if got.Counters[CacheQueries] != 2000 || got.Counters[CacheHits] != 20 || got.Others.Counters["vllm:new_thing"] != 14 {
		t.Errorf("counters %v, others %v", got.Counters, got.Others)
	}
	if g := got.Gauges[Running]; g.Mean != 4 || g.Max != 5 {
		t.Errorf("running %+v", g)
	}
	if g := got.Gauges[CacheUse]; math.Abs(g.Mean-.6) > 1e-12 {
		t.Errorf("use of the cache %+v", g)
	}
	if h := got.Histograms[TTFT]; h.Count != 200 || math.Abs(h.Mean-.125) > 1e-12 || math.Abs(h.P50-.1) > 1e-12 ||
		math.Abs(h.P99-.198) > 1e-12 {
		t.Errorf("TTFT %+v", h)
	}
	// watts 300, 400 and 500 at the times 10, 20 and 30: 350 W at 15 to 450 W at 25
	if j, ok := got.Energy(15, 25); !ok || math.Abs(j-400*10e-9) > 1e-15 {
		t.Errorf("energy %v, %v", j, ok)
	}
}

// TestLines: gauges over time as they are, counters per second, shares and means since the reading before.
func TestLines(t *testing.T) {
	k, at := 0, int64(0)
	s := server(t, "/metrics", func() string { k++; return page(k) })
	w := StartWatch(t.Context(), Page{URL: s.URL + "/metrics"}, time.Hour, func() int64 { return at })
	for range 2 {
		at += int64(2e9)
		w.addReading(t.Context())
	}
	at += int64(2e9)
	got, ok := w.Stop(t.Context(), 15, 25)
	want := map[string]string{ // by unit and title: from which time on, and the values
		"requests running at the server": "0 [2 3 4 5]",
		"% KV cache in use":              "0 [60 60 60 60]",
		"% hits in the prefix cache":     "2 [1 1 1]",
		"ns to the first token":          "2 [1.25e+08 1.25e+08 1.25e+08]",
		"W accelerators":                 "0 [200 300 400 500]",
	}
	if !ok || len(got.Lines) != len(want) {
		t.Fatalf("%d lines: %+v", len(got.Lines), got.Lines)
	}
	for _, l := range got.Lines {
		for i := range l.V {
			l.V[i] = math.Round(l.V[i]*1e6) / 1e6
		}
		if text := fmt.Sprintf("%d %v", l.T[0]/1e9, l.V); text != want[l.Unit+" "+l.Title] {
			t.Errorf("%s %s: %s, want %s", l.Unit, l.Title, text, want[l.Unit+" "+l.Title])
		}
	}
}

// TestServerThatBeginsAnew: its counters are what it has counted since.
func TestServerThatBeginsAnew(t *testing.T) {
	k := 9
	s := server(t, "/metrics", func() string { k -= 3; return page(k) })
	w := StartWatch(t.Context(), Page{URL: s.URL + "/metrics"}, time.Hour, func() int64 { return int64(9 - k) })
	got, ok := w.Stop(t.Context(), 0, 100)
	if !ok || !got.Restarted || got.Counters[CacheQueries] != 3000 || len(got.Histograms) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestFaultsAreCounted(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"404":          http.NotFound,
		"text/html":    func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "text/html") },
		"text format":  func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}{}\n")) },
		"unexpected E": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`a{b="`)) },
	} {
		s := httptest.NewServer(answer)
		w := StartWatch(t.Context(), Page{URL: s.URL + "/metrics"}, time.Hour, func() int64 { return 0 })
		got, ok := w.Stop(t.Context(), 0, 1)
		s.Close()
		if ok || got.Failed != 2 || got.Fault == "" || !errors.Is(w.fault, ErrPage) {
			t.Errorf("%s: %+v", name, got)
		}
		t.Log(got.Fault)
	}
}

// TestNames: every name is one of an engine that is known, whatever ending a counter has.
func TestNames(t *testing.T) {
	for family, name := range metricNames {
		known := name == Power
		for _, e := range engines {
			known = known || strings.HasPrefix(family, e.prefix)
		}
		if got, ok := knownName(family + "_total"); !known || !ok || got != name {
			t.Errorf("%s is called %s, want %s, of an engine that is known", family, got, name)
		}
	}
	if got, ok := knownName("trtllm:kv_cache_hit_rate"); !ok || got != CacheHitRate {
		t.Errorf("%s, %v", got, ok)
	}
}

// FuzzPages: whatever two pages say, what is made of them can be written as JSON.
func FuzzPages(f *testing.F) {
	f.Add(page(1), page(2))
	f.Add(page(1), "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running NaN\n")
	f.Add(page(3), "# TYPE vllm:prompt_tokens_total counter\nvllm:prompt_tokens_total +Inf\n")
	f.Add(page(3), strings.ReplaceAll(page(1), "0.1", "-Inf"))
	f.Fuzz(func(t *testing.T, a, b string) {
		var all []pageReading
		for i, text := range []string{a, b} {
			families, err := parsePage(strings.NewReader(text))
			if err != nil {
				return
			}
			all = append(all, pageReading{int64(i), families})
		}
		s := summarize(all, 0, 1)
		if _, err := json.Marshal(s); err != nil {
			t.Error(err)
		}
		s.Energy(0, 1)
	})
}

// TestRedirects: a page that names another address is none, and the other one is not asked.
func TestRedirects(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		t.Error("the other address is asked")
		_, _ = w.Write([]byte(page(1))) // a client that is gone needs none
	}))
	defer other.Close()
	server := httptest.NewServer(http.RedirectHandler(other.URL+"/metrics", http.StatusTemporaryRedirect))
	defer server.Close()
	if p, ok := FindPage(t.Context(), nil, server.URL+"/v1"); ok {
		t.Errorf("found %s", p.URL)
	}
	err := Page{URL: server.URL + "/metrics"}.Check(t.Context())
	if err == nil || !strings.Contains(err.Error(), "307") {
		t.Errorf("%v, want the server's answer", err)
	}
}
