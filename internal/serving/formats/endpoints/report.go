package endpoints

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/serving/formats"
)

// makeReport returns the text of report.txt.
func (e *aggregatedPoint) makeReport(r Run) []byte {
	var b bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("----------------- Summary -----------------")
	if r.Interrupted {
		line("WARNING: the run was interrupted; the figures are of what was done.")
	}
	line("Version: %s", r.Version)
	if r.Commit != "" {
		line("Git SHA: %s", r.Commit)
	}
	line("Load: %s", e.pattern)
	line("Total samples issued: %d", len(e.samples))
	line("Total samples completed: %d", e.completed)
	line("Total samples failed: %d", e.failed)
	if ns := e.measuredTo - e.measuredFrom; ns > 0 {
		line("Duration: %.2f seconds", formats.Seconds(ns))
	} else {
		line("Duration: N/A")
	}
	qps, tps := e.throughputRates()
	line("QPS: %s", textOrNone(qps))
	line("TPS: %s", textOrNone(tps))
	line("\n------------------- Latency Breakdowns -------------------")
	for _, s := range summarySections {
		if series := e.series[s.series]; series != nil && len(series.sorted) > 0 {
			line("%s:", s.title)
			series.writeReport(line, s.scale, s.unit)
		}
	}
	line("----------------- End of Report -----------------")
	return b.Bytes()
}

func textOrNone(v *formats.Float) string {
	if v == nil {
		return "N/A"
	}
	return fmt.Sprintf("%.2f", float64(*v))
}

// maxBarLength is the length of a histogram's longest bar in characters.
const maxBarLength = 30

// writeReport prints a series with its values multiplied by scale.
func (s *Series) writeReport(line func(string, ...any), scale float64, unit string) {
	for _, v := range []struct {
		name string
		of   float64
	}{{"Min", s.sorted[0]}, {"Max", s.sorted[len(s.sorted)-1]}, {"Median", s.percentile(50)}, {"Avg.", s.mean()},
		{"Std Dev.", s.standardDeviation()}} {
		line("  %s: %.2f %s", v.name, v.of*scale, unit)
	}
	line("\n  Histogram:")
	edges, counts := s.histogram()
	most := 1
	for _, n := range counts {
		most = max(most, n)
	}
	for i, n := range counts {
		line("  [%12.2f, %12.2f) |%s %d", edges[i]*scale, edges[i+1]*scale, strings.Repeat("#", n*maxBarLength/most), n)
	}
	line("\n  Percentiles:")
	for _, g := range percentileGrid {
		line("  %6s: %.2f %s", g.name, s.percentile(g.p)*scale, unit)
	}
	line("")
}
