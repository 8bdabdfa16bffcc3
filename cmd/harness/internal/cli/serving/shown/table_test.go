package shown

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/terminal"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/serving/metrics"

	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

func TestLatency(t *testing.T) {
	for ns, want := range map[float64]string{
		0: "0ns", 999: "999ns", 1000: "1us", 12_345: "12.3us", 999_400: "999us", 999_600: "1ms", 45e6: "45ms",
		10.24e6: "10.2ms", 310e6: "310ms", 999.4e6: "999ms", 999.6e6: "1s", 2.1e9: "2.1s", 123.4e9: "123s", 12345e9: "12345s",
	} {
		if got := latencyText(ns); got != want {
			t.Errorf("%v ns: %s, want %s", ns, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 0.7234: "0.723", 17.94: "17.9", 99.96: "100", 334.4: "334", 123456.7: "123457", math.NaN(): "-",
	} {
		if got := sweepfile.FormatRate(&v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
	if sweepfile.FormatRate(nil) != "-" {
		t.Error("what is not known has a number")
	}
}

// point is one of so many users, of answers with the times.
func point(users float64, ttft, tpot int64, failed int, limits metrics.RequestLimits, flags ...string) record.Serving {
	var all []metrics.Request
	for i := range int64(200) {
		r := metrics.Request{Due: i * 1e6, Sent: i * 1e6, Status: metrics.OK, Usage: metrics.NoUsage()}
		if int(i) < failed {
			r.Status = "http_500"
		}
		for k := range int64(8) {
			r.Events.Add(metrics.StreamEvent{At: r.Due + ttft + k*tpot, Kind: metrics.Content, Text: true, IDs: 1})
		}
		r.End = r.Due + ttft + 7*tpot
		all = append(all, r)
	}
	return record.Serving{
		Load: record.ServingLoad{By: "users", Value: users}, Flags: flags,
		Figures: metrics.ComputeFigures(all, metrics.FigureRules{Limits: limits}),
	}
}

// TestTable: the widest usual lines fit 80 columns, and what is to be said of a point comes with it.
func TestTable(t *testing.T) {
	limits := metrics.RequestLimits{metrics.TTFT: 5e8}
	points := []record.Serving{
		point(1, 123.4e6, 12.3e6, 0, limits),
		point(1024, 2.12e9, 43.2e6, 4, limits, "not stationary", "misses p99 ttft < 500ms"),
	}
	var b bytes.Buffer
	w := terminal.NewWriter(&b, terminal.Options{Columns: func() int { return 80 }})
	if _, err := pointTable(points, nil).WriteTo(w); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	lines := strings.Split(b.String(), "\n")
	if !strings.HasPrefix(lines[0], "USERS") || !strings.HasSuffix(lines[0], "GOODPUT  FAILED") ||
		strings.Fields(lines[1])[0] != "1" || !strings.Contains(lines[1], "123ms") || !strings.Contains(lines[2], "failed") ||
		!strings.Contains(b.String(), "not stationary; misses p99 ttft < 500ms") {
		t.Errorf("\n%s", b.String())
	}
	for _, line := range lines {
		if terminal.Width(line) > 80 {
			t.Errorf("%d columns: %q", terminal.Width(line), line)
		}
	}
	points = append(points, record.Serving{Load: record.ServingLoad{By: "maximum"}, Figures: &metrics.Figures{}})
	b.Reset()
	if _, err := pointTable(points, nil).WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if lines = strings.Split(b.String(), "\n"); !strings.HasPrefix(lines[0], "   LOAD") ||
		strings.Join(strings.Fields(lines[3]), " ") != "maximum - - - - - - - - 0" {
		t.Errorf("\n%s", b.String())
	}
}
