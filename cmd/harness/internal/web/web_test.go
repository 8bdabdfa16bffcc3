package web

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/feed"
)

func page(t *testing.T) *Page {
	t.Helper()
	p, err := Listen("0")
	if err != nil {
		t.Fatal(err)
	}
	p.Serve()
	return p
}

func get(t *testing.T, p *Page, path string) *http.Response {
	t.Helper()
	r, err := http.Get("http://" + p.Server().Address() + path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPageAsksNobodyElse: every file that the page names is one of its own, and the policy allows no other.
func TestPageAsksNobodyElse(t *testing.T) {
	p := page(t)
	defer p.Close(t.Context())
	for _, path := range []string{"/", "/page.js", "/chart.js", "/style.css", "/colours.css",
		"/icon.svg"} {
		r := get(t, p, path)
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || r.StatusCode != http.StatusOK {
			t.Errorf("%s: %v, %d", path, err, r.StatusCode)
		}
		if !strings.HasPrefix(r.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: policy %q", path, r.Header.Get("Content-Security-Policy"))
		}
		for _, word := range []string{"https://", "innerHTML", "insertAdjacentHTML", "eval(", "style="} {
			if strings.Contains(string(text), word) {
				t.Errorf("%s has %q", path, word)
			}
		}
	}
	if r := get(t, p, "/../web.go"); r.StatusCode != http.StatusNotFound {
		t.Errorf("another file: %d", r.StatusCode)
	}
}

// TestPageHasWhatItsScriptFills: each id that the script looks for is one of the page's, and each class of a line that
// it draws has a style.
func TestPageHasWhatItsScriptFills(t *testing.T) {
	read := func(name string) string {
		text, err := files.ReadFile("page/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	html, script, styles := read("index.html"), read("page.js"), read("style.css")
	ids := regexp.MustCompile(`\bat\("([a-z]+)"\)`).FindAllStringSubmatch(script, -1)
	if len(ids) < 8 {
		t.Errorf("the script looks for %q", ids)
	}
	for _, id := range ids {
		if !strings.Contains(html, ` id="`+id[1]+`"`) {
			t.Errorf("the page has no %s", id[1])
		}
	}
	kinds := regexp.MustCompile(`kind: "([0-9])"`).FindAllStringSubmatch(script, -1)
	if len(kinds) < 4 {
		t.Errorf("the script draws %q", kinds)
	}
	for _, kind := range kinds {
		if !strings.Contains(styles, "svg .l"+kind[1]+" {") || !strings.Contains(styles, ".k"+kind[1]+" {") {
			t.Errorf("lines of kind %s have no style", kind[1])
		}
	}
	if !strings.Contains(styles, "#banner {") {
		t.Error("the banner has no style")
	}
}

func progress(run int, from float64, p99 int64) feed.Event {
	return feed.Event{Name: feed.NameProgress, Run: run, Progress: &feed.ProgressData{Window: feed.WindowData{
		FromS: from, ToS: from + 0.5, SamplesPerSec: from, Latency: &feed.TimePercentiles{Count: 1, P99: p99},
	}}}
}

// TestLatePageHearsEverything, and what comes, up to the last event.
func TestLatePageHearsEverything(t *testing.T) {
	p := page(t)
	p.Event(feed.Event{Name: feed.NameBegin, Begin: &feed.BeginData{}})
	for i := range 3 {
		p.Event(feed.Event{Name: feed.NameDistribution, Run: 1,
			Distribution: &feed.DistributionData{Buckets: [][3]int64{{0, 1, int64(i)}}}})
	}
	r := get(t, p, EventsPath)
	defer r.Body.Close()
	if got := r.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("type %q", got)
	}
	lines, names := bufio.NewScanner(r.Body), ""
	for lines.Scan() {
		line, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e feed.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		names += e.Name + " "
		if e.Name == feed.NameDistribution {
			p.Event(progress(1, 0, 5))
			p.Event(feed.Event{Name: feed.NameEnd, End: &feed.EndData{}})
			p.endClients()
		}
	}
	if want := "begin distribution progress end "; names != want {
		t.Errorf("it hears %q, want %q", names, want)
	}
	p.Close(t.Context())
}

func TestPastIsBounded(t *testing.T) {
	h := newHistory()
	for i := range 5 * maxProgress {
		h.Event(progress(1+i%2, float64(i), int64(i%1000)))
	}
	_, past := h.joinClient()
	if len(past) > 2*maxProgress {
		t.Errorf("%d events are kept", len(past))
	}
	largest, samples := int64(0), uint64(0)
	for _, e := range past {
		largest, samples = max(largest, e.Progress.Window.Latency.P99), samples+e.Progress.Window.Latency.Count
	}
	if largest != 999 || samples != 5*maxProgress {
		t.Errorf("the peak is %d of 999, the samples are %d of %d", largest, samples, 5*maxProgress)
	}
}

func TestSlowPageIsLeftBehind(t *testing.T) {
	h := newHistory()
	c, _ := h.joinClient()
	for range maxWaiting + 1 {
		h.Event(progress(1, 0, 0))
	}
	n := 0
	for range c.lines {
		n++
	}
	if n != maxWaiting || len(h.clients) != 0 {
		t.Errorf("%d lines, %d clients", n, len(h.clients))
	}
	h.removeClient(c)
}

func TestTooManyPages(t *testing.T) {
	p := page(t)
	defer p.Close(t.Context())
	for range maxClients {
		p.joinClient()
	}
	if r := get(t, p, EventsPath); r.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("%d", r.StatusCode)
	}
}

// TestCloseEndsPages that are open.
func TestCloseEndsPages(t *testing.T) {
	p := page(t)
	r := get(t, p, EventsPath)
	defer r.Body.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.ReadAll(r.Body)
	}()
	p.Close(t.Context())
	select {
	case <-done:
	case <-time.After(10 * time.Minute):
		t.Error("a page is still open")
	}
}
