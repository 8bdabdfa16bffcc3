package metrics

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/measure"
)

var update = flag.Bool("update", false, "rewrite the dashboard in examples/monitoring")

// TestDashboard holds the one in examples/monitoring to the table of measures, and its form to what Grafana reads.
func TestDashboard(t *testing.T) {
	const path = "../../../../examples/monitoring/dashboard.json"
	text := DashboardJSON()
	if *update {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, text) {
		t.Errorf("%s is not what the measures make: %v; run go test ./cmd/harness/internal/metrics -update", path, err)
	}
	var d dashboard
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	ids, cells, asks := map[int]bool{}, map[panelPosition]string{}, ""
	for _, p := range d.Panels {
		if ids[p.ID] || p.ID == 0 || p.Title == "" || p.Description == "" || len(p.Targets) == 0 {
			t.Errorf("panel %+v: want an own number, a title, a description and a query", p)
		}
		ids[p.ID] = true
		for x := range p.GridPos.W {
			at := panelPosition{X: p.GridPos.X + x, Y: p.GridPos.Y}
			if cells[at] != "" || at.X >= gridColumns {
				t.Errorf("%s lies on %q, or outside", p.Title, cells[at])
			}
			cells[at] = p.Title
		}
		for _, q := range p.Targets {
			asks += q.Expr + "\n"
		}
	}
	for _, m := range measure.AllMeasures() {
		if !regexp.MustCompile(`\b` + m.PrometheusName() + `(_bucket)?\{`).MatchString(asks) {
			t.Errorf("no panel asks for %s", m.PrometheusName())
		}
	}
}

// TestComposeMountsWhatIsThere holds the files that compose.yaml names to those beside it.
func TestComposeMountsWhatIsThere(t *testing.T) {
	const dir = "../../../../examples/monitoring"
	text, err := os.ReadFile(filepath.Join(dir, "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Services map[string]struct{ Volumes []string }
	}
	if err := yaml.Unmarshal(text, &c); err != nil || len(c.Services) != 2 {
		t.Fatalf("%+v, %v", c, err)
	}
	for name, service := range c.Services {
		for _, volume := range service.Volumes {
			file, _, _ := strings.Cut(volume, ":")
			if info, err := os.Stat(filepath.Join(dir, file)); err != nil || !info.Mode().IsRegular() {
				t.Errorf("%s mounts %s: %v", name, file, err)
			}
		}
		if len(service.Volumes) == 0 {
			t.Errorf("%s mounts nothing", name)
		}
	}
}

func TestDashboardIsServed(t *testing.T) {
	e := &Exporter{scrapes: scrapeTimes{arrived: make(chan struct{}, 1)}}
	w := httptest.NewRecorder()
	e.newHandler(ended(t)).ServeHTTP(w, httptest.NewRequest(http.MethodGet, DashboardPath, http.NoBody))
	if w.Header().Get("Content-Type") != "application/json" || !bytes.Equal(w.Body.Bytes(), DashboardJSON()) {
		t.Errorf("%d: %v %s", w.Code, w.Header(), w.Body)
	}
	if e.ScrapeWait() != 0 || !e.scrapes.last.IsZero() {
		t.Error("it counts as a scrape")
	}
}
