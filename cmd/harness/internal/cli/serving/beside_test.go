package serving_test

import (
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/record/series"
	"github.com/plumbline-ml/plumbline/internal/serving/scrape"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
)

// TestBeside: what the server counts itself, and what its accelerators draw, stand beside what was measured.
func TestBeside(t *testing.T) {
	dcgm := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write([]byte("# TYPE DCGM_FI_DEV_POWER_USAGE gauge\nDCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 300\n" +
			"DCGM_FI_DEV_POWER_USAGE{gpu=\"1\"} 200\n"))
	}))
	t.Cleanup(dcgm.Close)
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true})
	s := clitest.New(t)
	t.Chdir(s.Dir)
	s.Want(0, bench(s, url, "--concurrency", "2", "--gpu-metrics", dcgm.URL))
	p := readSweep(t, "bench-1").Points[0].Serving
	if p.Told == nil || p.Told.Engine != "vllm" || p.Told.Counters[scrape.GeneratedTokens] < 4*20 {
		t.Errorf("%+v", p.Told)
	}
	e := p.Energy
	if e == nil || math.Abs(e.Watts-500) > 1e-6 || math.Abs(e.PerToken*80/e.Joules-1) > 1e-6 {
		t.Errorf("%+v", e)
	}
	var all struct{ Server, GPUs *scrape.ServerMetrics }
	if err := json.Unmarshal([]byte(file(t, filepath.Join("bench-1", "users-2", "server.json"))), &all); err != nil ||
		all.Server == nil || len(all.Server.Times) < 2 || len(all.GPUs.Series[scrape.Power]) < 2 {
		t.Errorf("%v: %+v", err, all)
	}
	over, err := series.Read(filepath.Join("bench-1", "users-2"))
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for _, line := range over.Collected {
		told[line.Unit] = true
	}
	page := file(t, filepath.Join("bench-1", "index.html"))
	if !told["W"] || !told["tokens/s"] || !strings.Contains(page, `id="run-1-told-power"`) ||
		!strings.Contains(page, `id="run-1-under-way"`) || !strings.Contains(page, `id="run-1-ttft"`) {
		charts := regexp.MustCompile(`id="run-[^"]*"`).FindAllString(page, -1)
		t.Errorf("told %v, and the page has no chart of it: %v", told, charts)
	}

	s.Want(0, bench(s, url, "--concurrency", "3", "--server-metrics", "off"))
	if p := readSweep(t, "bench-2").Points[0].Serving; p.Told != nil || p.Energy != nil {
		t.Errorf("%+v, %+v", p.Told, p.Energy)
	}
	s.Want(6, bench(s, url, "--concurrency", "4", "--gpu-metrics", url), "--gpu-metrics", "404")
}
