package results

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/power"
)

const windowYAML = "concurrency: 4\nsteady_state: {status: windowable, verdict: STEADY STATE, window: " +
	"{super_pass_start: %v, super_pass_end: %v, super_pass_size: %v, n_samples: 4, duration_s: %v}}\n"

// eventsOf are the client's events of requests that are sent at some seconds, and take a second each.
func eventsOf(sent ...int) string {
	var b strings.Builder
	line := func(kind string, at int, id string) {
		fmt.Fprintf(&b, `{"event_type":"%s","timestamp_ns":%d000000000,"sample_uuid":"%s","data":["t",["a","b"]]}`+"\n", kind,
			at, id)
	}
	line("session.start_performance_tracking", 0, "")
	for i, at := range sent {
		id := fmt.Sprint("s", i)
		line("sample.issued", at, id)
		line("sample.recv_first", at, id)
		line("sample.complete", at+1, id)
	}
	line("session.stop_performance_tracking", 1000, "")
	return b.String()
}

// TestWindow: the window of point.yaml stands in the table and the file of points, and the events of the folder say how
// the run went.
func TestWindow(t *testing.T) {
	files := pointFiles()
	files["point.yaml"] = fmt.Sprintf(windowYAML, 1, 2, 2, 7.5)
	files["events.jsonl"] = eventsOf(10, 11, 12, 16, 17, 21, 22, 23)
	r, p := read(t, files)
	if p.Window == nil || *p.Window != (Window{1, 2, 2, 7.5}) {
		t.Fatalf("window %v", p.Window)
	}
	c, err := p.Course()
	if err != nil {
		t.Fatal(err)
	}
	// Super-passes begin at 10, 12, 17 and 22 s; the last request is sent at 23 s.
	if !slices.Equal(c.Ends, []float64{0, 2, 7, 12, 13}) || !slices.Equal(c.PerSec, []float64{1, .4, .4, 2}) ||
		c.From != 2 || c.To != 11 {
		t.Errorf("%+v", c)
	}
	r.Curves[0].Power = []power.Figure{{Name: "cpu", Value: 350, Unit: "W", Kind: "vendor_spec", Source: "a page"}}
	r.Curves = append(r.Curves, r.Curves[0])
	var table, points bytes.Buffer
	if err := r.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	if text := table.String(); !strings.Contains(text, "windowable, super-passes 1 to 2, 7.5000 s") ||
		strings.Count(text, "box: power: cpu: 350 W (vendor_spec, a page)\n") != 1 {
		t.Error(text)
	}
	if err := r.WriteCSV(&points); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&points).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"window_first": "1", "window_last": "2", "window_seconds": "7.5"} {
		if got := lines[1][slices.Index(lines[0], name)]; got != want {
			t.Errorf("%s is %q, want %s", name, got, want)
		}
	}
}

// TestNoWindow: a window whose figures cannot be is none, and events that do not fit one are a fault.
func TestNoWindow(t *testing.T) {
	for _, w := range [][4]any{{-1, 2, 2, 1}, {3, 2, 2, 1}, {1, 2, 0, 1}, {1, 2, 2, "soon"}, {1, 2, ".nan", 1},
		{1, 1e300, 2, 1}, {1, 2, 2, ".inf"}} {
		files := pointFiles()
		files["point.yaml"] = fmt.Sprintf(windowYAML, w[0], w[1], w[2], w[3])
		if _, p := read(t, files); p.Window != nil || p.WindowText() != "windowable" {
			t.Errorf("%v: %v", w, p.Window)
		}
	}
	for text, want := range map[string]string{
		eventsOf(1, 2, 3):          "the window ends with number 2",
		eventsOf(5, 5, 5, 5, 5, 5): "take no time",
		"{}\n":                     "not the events",
	} {
		files := pointFiles()
		files["point.yaml"], files["events.jsonl"] = fmt.Sprintf(windowYAML, 0, 2, 2, 1), text
		_, p := read(t, files)
		if c, err := p.Course(); err == nil || !strings.Contains(err.Error(), want) || c != nil {
			t.Errorf("%v, %v, want %q", c, err, want)
		}
	}
	files := pointFiles()
	files["point.yaml"] = fmt.Sprintf(windowYAML, 0, 2, 2, 1)
	if _, p := read(t, files); p.Window == nil {
		t.Error("no window")
	} else if c, err := p.Course(); c != nil || err != nil {
		t.Errorf("without events: %v, %v", c, err)
	}
	if w := (Window{0, 0, 1, math.Pi}); w.String() != "super-passes 0 to 0, 3.1416 s" {
		t.Error(w.String())
	}
}
