package page

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/plot"
	"github.com/plumbline-ml/plumbline/internal/record/results"
	"github.com/plumbline-ml/plumbline/internal/serving/curve"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

// serverSweep contains the points of one server in one folder.
type serverSweep struct {
	folder string
	points []record.Run
}

// sweepsOf groups the runs that measured a server. It omits runs without figures.
func sweepsOf(runs []results.FoundRun) []serverSweep {
	var all []serverSweep
	for _, f := range runs {
		s := f.Serving
		if s == nil || s.Figures == nil {
			continue
		}
		folder := filepath.Dir(filepath.Clean(f.LogFolder()))
		at := slices.IndexFunc(all, func(w serverSweep) bool {
			return w.folder == folder && w.points[0].Serving.Server.Model == s.Server.Model
		})
		if at < 0 {
			at, all = len(all), append(all, serverSweep{folder: folder})
		}
		all[at].points = append(all[at].points, f.Run)
	}
	for _, w := range all {
		slices.SortStableFunc(w.points, func(a, b record.Run) int {
			return a.Serving.Load.Compare(b.Serving.Load)
		})
	}
	return all
}

// suiteEntry returns the name of the sweep in its suite, or "" if it is not part of a suite.
func (w serverSweep) suiteEntry() string {
	id := w.points[0].Identity
	if id.Entry == "" {
		return ""
	}
	var common []string
	for _, p := range id.Point {
		if !slices.ContainsFunc(w.points, func(r record.Run) bool { return !slices.Contains(r.Identity.Point, p) }) {
			common = append(common, p)
		}
	}
	id.Point = common
	return record.Run{Identity: id}.Name()
}

// sweepNames returns distinct names of sweeps. It uses the first of label, entry of a suite, server, model and folder
// that all sweeps have with different values.
func sweepNames(all []serverSweep) []string {
	var names []string
	for _, of := range []func(serverSweep) string{
		func(w serverSweep) string { return w.points[0].Identity.Label },
		serverSweep.suiteEntry,
		func(w serverSweep) string { return w.points[0].Serving.Server.Model },
		func(w serverSweep) string { return strings.Join(w.points[0].Serving.Server.URLs, ", ") },
		func(w serverSweep) string { return filepath.Base(w.folder) },
		func(w serverSweep) string { return w.folder },
	} {
		names = names[:0]
		for _, w := range all {
			if n := of(w); n != "" && !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
		if len(names) == len(all) {
			break
		}
	}
	return names
}

// sweepCharts returns the charts of sweeps.
func sweepCharts(runs []results.FoundRun) []plot.Chart {
	groups := sweepsOf(runs)
	called := sweepNames(groups)
	var all []plot.Sweep
	perGPU := len(groups) > 0
	for _, w := range groups {
		perGPU = perGPU && !slices.ContainsFunc(w.points, func(r record.Run) bool {
			return r.Serving.Figures.TokensPerSecPerGPU == nil
		})
	}
	for i, w := range groups {
		var s plot.Sweep
		s.TTFTLimit, s.TPOTLimit = latencyLimits(w.points[0].Serving)
		if len(called) == len(groups) {
			s.Name = called[i]
		}
		for _, r := range w.points {
			s.Loads = append(s.Loads, loadOf(r, perGPU))
		}
		measured := make([]curve.CurvePoint, len(w.points))
		for i, r := range w.points {
			measured[i] = sweepfile.PointOf(r.Serving)
		}
		best := curve.ParetoLine(measured)
		for i := range s.Loads {
			s.Loads[i].Beaten = !slices.Contains(best, i)
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil
	}
	return plot.Curves(all, perGPU)
}

// sweepTables returns one table per sweep with one row per point.
func sweepTables(runs []results.FoundRun) (all []textTable) {
	groups := sweepsOf(runs)
	called := sweepNames(groups)
	for i, w := range groups {
		t := textTable{Title: "Points", Numbers: true, Head: []string{
			"load", "requests/s", "tokens/s", "of a user", "TTFT p50", "p99", "TPOT p50", "p99", "goodput/s", "failed", "",
		}, Words: 10}
		if len(groups) > 1 && len(called) == len(groups) {
			t.Title += " of " + called[i]
		}
		for _, point := range w.points {
			t.Rows = append(t.Rows, pointRow(point))
		}
		all = append(all, t)
	}
	return all
}

// pointRow returns the table row of a point.
func pointRow(r record.Run) []string {
	l := loadOf(r, false)
	row := []string{r.Serving.Load.String()}
	number := func(v float64) {
		text := ""
		if !math.IsNaN(v) {
			text = figure.Short(v)
		}
		row = append(row, text)
	}
	number(l.Requests)
	number(l.Tokens)
	number(l.User)
	for _, d := range []metrics.Distribution{r.Serving.Figures.TTFT, r.Serving.Figures.TPOT} {
		row = append(row, percentileCell(d, .5), percentileCell(d, .99))
	}
	number(l.Goodput)
	failed := figure.Count(uint64(max(0, r.Serving.Figures.FailedTotal())))
	return append(row, failed, strings.Join(r.Serving.Flags, "; "))
}

// loadName returns the name of the values of a kind of load.
func loadName(by arrival.Kind) string {
	if by == arrival.Rate {
		return "requests/s that are due"
	}
	return string(by)
}

// loadLabel returns the label of a load next to its point: "16", "5/s", "maximum".
func loadLabel(l record.ServingLoad) string {
	switch l.By {
	case arrival.Users:
		return figure.Short(l.Value)
	case arrival.Rate:
		return figure.Short(l.Value) + "/s"
	}
	return string(l.By)
}

// loadOf converts a point for charts. If perGPU is true, tokens are per accelerator.
func loadOf(r record.Run, perGPU bool) plot.Load {
	s, f := r.Serving, r.Serving.Figures
	known := func(v *float64, scale float64) float64 {
		if v == nil {
			return math.NaN()
		}
		return *v * scale
	}
	l := plot.Load{
		By: loadName(s.Load.By), Value: s.Load.Value, Name: loadLabel(s.Load), Tokens: known(f.TokensPerSec, 1),
		User:     sweepfile.PointOf(s).UserTokensPerSec,
		Requests: known(f.RequestsPerSec, 1), Goodput: known(f.Goodput, 1), Attainment: known(f.Attainment, 100),
		Shaky: s.Doubted(),
	}
	if perGPU {
		l.Tokens = known(f.TokensPerSecPerGPU, 1)
	}
	l.TTFT50, l.TTFT99 = medianAndP99(f.TTFT)
	l.TPOT50, l.TPOT99 = medianAndP99(f.TPOT)
	l.Words = loadWords(l, s)
	return l
}

// medianAndP99 are the median and the 99th percentile; NaN: they are not known, or of too few values.
func medianAndP99(d metrics.Distribution) (p50, p99 float64) {
	value := func(p float64) float64 {
		if q, ok := d.PercentileAt(p); ok && (d.N == 0 || metrics.EnoughValues(d.N, p)) {
			return q.Value
		}
		return math.NaN()
	}
	return value(.5), value(.99)
}

// percentileCell is a percentile in a table, or the word that there are too few values for it; empty if it was not
// computed.
func percentileCell(d metrics.Distribution, p float64) string {
	q, ok := d.PercentileAt(p)
	switch {
	case !ok || math.IsNaN(q.Value):
		return ""
	case d.N == 0: // an unknown number
		return plot.Duration(int64(q.Value))
	}
	return plot.Percentile(uint64(max(0, d.N)), p, int64(q.Value))
}

// loadWords describes the measurements at a load in words.
func loadWords(l plot.Load, s *record.Serving) string {
	said := []string{s.Load.String()}
	add := func(v float64, format string) {
		if !math.IsNaN(v) {
			said = append(said, fmt.Sprintf(format, figure.Short(v)))
		}
	}
	add(l.Requests, "%s requests/s answered")
	add(l.Tokens, "%s tokens/s")
	add(l.User, "%s tokens/s of a user")
	for _, t := range []struct {
		name     string
		p50, p99 float64
	}{{"TTFT", l.TTFT50, l.TTFT99}, {"TPOT", l.TPOT50, l.TPOT99}} {
		if !math.IsNaN(t.p50) && !math.IsNaN(t.p99) {
			said = append(said, fmt.Sprintf("%s p50 %s, p99 %s", t.name, plot.Duration(int64(t.p50)),
				plot.Duration(int64(t.p99))))
		}
	}
	add(l.Goodput, "goodput %s/s")
	return strings.Join(append(said, s.Flags...), "; ")
}
