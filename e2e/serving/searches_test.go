package serving

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// known is a server that answers a given number of requests of 16 tokens per second, and how it is searched.
type known struct {
	capacity           float64
	first, step, slots string
	duration, slo      string
}

// knowns are the servers of known capacity. The first gets too few requests in the duration of a point.
var knowns = []known{
	{1, "400ms", "40ms", "1", "8s", "p90 ttft < 2s"},
	{16, "200ms", "20ms", "8", "10s", "p90 ttft < 2s"},
	{100, "10ms", "10ms", "16", "6s", "p90 ttft < 600ms"},
	{500, "1ms", "1ms", "8", "4s", "p90 ttft < 600ms"},
	{2000, "1ms", "1ms", "32", "3s", "p90 ttft < 600ms"},
}

// TestSearches searches servers of known capacity for their highest rate, ten times without other load, and ten times
// beside eight busy loops. Each answer is within 10 % of the capacity, or says that the client is the limit or that
// there is not enough data, and the stated lower bound never exceeds the capacity. It takes half an hour and runs with
// PLUMBLINE_SEARCHES=1 (make test-extra OF=searches).
func TestSearches(t *testing.T) {
	if os.Getenv("PLUMBLINE_SEARCHES") == "" {
		t.Skip("PLUMBLINE_SEARCHES is not set: make test-extra OF=searches")
	}
	for _, busy := range []int{0, 8} {
		t.Run(fmt.Sprintf("beside %d busy loops", busy), func(t *testing.T) {
			for range busy {
				loop := exec.Command("sh", "-c", "while :; do :; done")
				if err := loop.Start(); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = loop.Process.Kill(); _ = loop.Wait() })
			}
			for _, k := range knowns {
				for seed := 1; seed <= 2; seed++ {
					t.Run(fmt.Sprintf("%v a second, seed %d", k.capacity, seed), func(t *testing.T) { k.search(t, seed) })
				}
			}
		})
	}
}

// search searches the server once, and checks the text, the page, sweep.json and the exit code.
func (k known) search(t *testing.T, seed int) {
	url := strings.TrimSuffix(harness.StartMock(t, harness.MockOpenAI, nil, "-listen", "127.0.0.1:0",
		"-first", k.first, "-step", k.step, "-slots", k.slots), "/v1")
	dir := t.TempDir()
	cmd := harness.LongCommand(t, 20*time.Minute, built.Harness(), "bench", url, "--isl", "32", "--osl", "16",
		"--vocabulary", "1000..31999", "--find", "rate", "--duration", k.duration, "--grace", "2s", "--warmup", "2", "--slo",
		k.slo,
		"--seed", fmt.Sprint(seed), "--quiet", "--server-metrics", "off", "--out", "found")
	cmd.Dir = dir
	r := harness.Finish(t, cmd)
	var f struct {
		Find struct {
			Ended                string
			Found, Holds, Misses float64
		}
	}
	if err := json.Unmarshal([]byte(testfile.Read(t, filepath.Join(dir, "found", "sweep.json"))), &f); err != nil {
		t.Fatal(err)
	}
	said := ""
	for line := range strings.Lines(r.Stdout) {
		for _, end := range []string{"the highest load that", "the client is the limit", "not enough data", "no load"} {
			if strings.HasPrefix(line, end) {
				said = strings.TrimSpace(line)
			}
		}
	}
	t.Log(said)
	code, answered := map[string]int{"server": 0, "client": 7, "data": 8}[f.Find.Ended]
	switch low, high := 0.9*k.capacity, 1.1*k.capacity; {
	case !answered, r.Code != code:
		t.Errorf("ended by %q with %d:\n%s", f.Find.Ended, r.Code, r.Both())
	case f.Find.Holds > high, f.Find.Ended == "server" && (f.Find.Found < low || f.Find.Found != f.Find.Holds),
		f.Find.Misses > 0 && f.Find.Misses < low:
		t.Errorf("wrong: %+v:\n%s", f.Find, r.Both())
	}
	page := html.UnescapeString(testfile.Read(t, filepath.Join(dir, "found", "index.html")))
	_, below, _ := strings.Cut(page, "</h1>")
	if first, _, _ := strings.Cut(said, "("); !strings.HasPrefix(strings.TrimSpace(below), `<p class="answer">`+first) {
		t.Errorf("the page begins with %.300s", below)
	}
}
