package runs

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/browser"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// shape describes how a run looks on the live page, with times in ns.
type shape struct {
	count    int // answers per half second
	low      int64
	high     int64
	limit    int64
	rate     float64
	tokens   bool
	hopeless string
}

// shapes are runs with overlapping lines, limits close to percentiles, and long numbers.
var shapes = map[string]shape{
	"few":      {count: 8, low: 3e6, high: 361e6, limit: 100e6, rate: 16, hopeless: "12 queries are above the limit"},
	"at limit": {count: 500, low: 90e6, high: 101e6, limit: 100e6, rate: 1000},
	"quick":    {count: 900_000, low: 800, high: 4_000, limit: 10_000, rate: 12_345_678},
	"wide":     {count: 120, low: 1_500, high: 90e9, limit: 15e6, rate: .02, hopeless: "the limit is missed"},
	"tokens":   {count: 64, low: 20e6, high: 2e9, rate: 128, tokens: true},
	"no limit": {count: 4, low: 12e6, high: 13e6, rate: 7.5},
}

// events returns the events of one run of a shape, in the format of docs/live.md.
func (s shape) events() (all []map[string]any) {
	times := func(part int64) map[string]any {
		t := map[string]any{"count": s.count, "p50_ns": s.low, "p90_ns": (s.low + part) / 2, "p99_ns": part, "max_ns": part,
			"target_ns": part}
		if s.count < 100 {
			t["too_few"] = []string{"p99_ns", "target_ns"}
		}
		return t
	}
	add := func(name string, body map[string]any) {
		all = append(all, map[string]any{"event": name, "run": 1, name: body})
	}
	add("begin", map[string]any{"harness": map[string]any{"version": "v1"}})
	add("plan", map[string]any{"runs": []map[string]any{{"run": 1, "name": "null Server performance", "dir": "x"}}})
	add("open", map[string]any{"workload": map[string]any{"model_file": "null", "precision": "fp32", "backend": "null",
		"dataset": "indices"}})
	add("start", map[string]any{"percentile": .99, "latency_limit_ns": s.limit, "min_duration_s": 10, "min_queries": 1000})
	for k := range 40 {
		top := s.low + (s.high-s.low)*int64(20+(k*7919)%20)/40
		w := map[string]any{"from_s": float64(k) / 2, "to_s": float64(k+1) / 2, "samples_per_s": s.rate,
			"latency": times(top), "issue_delay": times(top / 3), "queries_per_s": s.rate}
		p := map[string]any{"phase": "issuing", "elapsed_s": float64(k+1) / 2, "issued": s.count * (k + 1),
			"done": s.count * (k + 1), "outstanding": 3, "latency": times(s.high), "window": w, "hopeless": s.hopeless}
		if s.tokens {
			w["ttft"], w["tpot"], w["tokens_per_s"], p["tokens"] = times(top/2), times(top/90), s.rate*64, 64*k+1
		}
		add("progress", p)
	}
	add("distribution", map[string]any{"buckets": [][3]int64{{s.low / 2, s.low, 9}, {s.low, s.high, 99}}})
	return all
}

// serveShape serves the live page with the events of a shape.
func serveShape(t *testing.T, s shape) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServer(http.Dir("../../cmd/harness/internal/web/page")))
	mux.HandleFunc("GET /colours.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css")
		fmt.Fprint(w, `:root{--plot-back:#fff;--plot-axis:#566070;--plot-grid:#ddd;--plot-1:#1d4ed8;--plot-2:#b45309;`+
			`--plot-mark:#6b7280;--plot-limit:#a11c1c}`)
	})
	done := make(chan struct{})
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range s.events() {
			text, err := json.Marshal(e)
			if err != nil {
				panic(err)
			}
			fmt.Fprintf(w, "data: %s\n\n", text)
		}
		w.(http.Flusher).Flush()
		<-done
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(done) })
	return server.URL
}

// drawn describes faults of the page's charts, in the units of each.
const drawn = `(() => {
  const wrong = [], charts = [...document.querySelectorAll("#charts svg")];
  for (const svg of charts) {
    const name = svg.getAttribute("aria-label").slice(0, 40), lines = [...svg.querySelectorAll("path.line")];
    const inside = [...svg.querySelectorAll("path.line, line.mark, rect.bar")].map(e => e.getBBox());
    const texts = [...svg.querySelectorAll("text")], boxes = texts.map(e => e.getBBox());
    boxes.forEach((a, i) => {
      const word = name + ": " + texts[i].textContent;
      const view = svg.viewBox.baseVal;
      if (a.x < 0 || a.x + a.width > view.width || a.y + a.height > view.height + 2) wrong.push("cut: " + word);
      for (const b of inside)
        if (a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height)
          wrong.push("on a line: " + word);
      boxes.slice(0, i).forEach((b, k) => {
        if (a.x < b.x + b.width && b.x < a.x + a.width && a.y + 4 < b.y + b.height && b.y + 4 < a.y + a.height)
          wrong.push(word + " on " + texts[k].textContent);
      });
    });
    if (lines.length > 1 && !lines.at(-1).classList.contains("l1")) wrong.push("the percentile is not on top: " + name);
    const keys = svg.parentElement.querySelectorAll("figcaption span").length;
    if (keys != lines.length + svg.querySelectorAll("line.mark").length) wrong.push("keys of " + name);
  }
  return {charts: charts.length, wrong: wrong.slice(0, 8), banner: document.getElementById("banner").innerText,
    facts: [...document.querySelectorAll("#judged dt")].map(e => e.textContent).join(),
    colour: getComputedStyle(document.getElementById("banner")).color,
    fewer: document.getElementById("times").innerText.includes("too few"),
    wide: document.documentElement.scrollWidth > document.documentElement.clientWidth };
})()`

// TestBrowserLive looks at the live page: the percentile that counts is on top, no label stands on a line or another
// label, a run that can only end INVALID says so in red, and facts have names.
func TestBrowserLive(t *testing.T) {
	b := openBrowser(t)
	for name, s := range shapes {
		t.Run(name, func(t *testing.T) {
			address := serveShape(t, s)
			for _, width := range []int{1200, 390} {
				checkLive(t, b, address, name, width, s)
			}
		})
	}
}

func checkLive(t *testing.T, b *browser.Browser, address, name string, width int, s shape) {
	t.Helper()
	if _, err := b.Open(address, width, 900, "light"); err != nil {
		t.Fatal(err)
	}
	var page struct {
		Charts                int
		Wrong                 []string
		Banner, Facts, Colour string
		Fewer, Wide           bool
	}
	for end := time.Now().Add(harness.Patience); page.Charts < 5; {
		if err := b.Eval(drawn, &page); err != nil || time.Now().After(end) {
			t.Fatal(err, page)
		}
	}
	want := ""
	if s.hopeless != "" {
		want = "✗ Can only end INVALID: " + s.hopeless
	}
	if page.Banner != want || want != "" && page.Colour != "rgb(161, 28, 28)" {
		t.Errorf("the banner says %q in %s, want %q", page.Banner, page.Colour, want)
	}
	facts := "model,precision,backend,data,"
	if s.limit > 0 {
		facts += "latency limit,"
	}
	if facts += "least duration,least queries"; page.Facts != facts {
		t.Errorf("facts %s, want %s", page.Facts, facts)
	}
	if len(page.Wrong) > 0 || page.Wide || page.Fewer != (s.count < 100) {
		t.Errorf("%d columns: %+v", width, page)
	}
	if dir := os.Getenv("PLUMBLINE_SCREENSHOTS"); dir != "" {
		picture, err := b.Screenshot(width, 4000)
		if err != nil {
			t.Fatal(err)
		}
		testfile.Write(t, filepath.Join(dir, fmt.Sprintf("live-%s-%d.png", name, width)), string(picture))
	}
}
