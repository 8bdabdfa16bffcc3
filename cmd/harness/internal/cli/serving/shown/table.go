package shown

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/table"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

// tokenEnergies returns the energy per token of each point, from a power meter or else from the accelerators. It
// returns nil if no energy is known.
func tokenEnergies(points []record.Run) []float64 {
	all, known := make([]float64, len(points)), false
	for i, r := range points {
		all[i] = math.NaN()
		if e := r.Serving.Energy; e != nil && e.PerToken > 0 {
			all[i], known = e.PerToken, true
		}
		if r.Power != nil && r.Power.Token != nil {
			all[i], known = float64(r.Power.Token.Value), true
		}
	}
	if !known {
		return nil
	}
	return all
}

// PointTable returns the table of a sweep's points.
func PointTable(f *sweepfile.Sweep) *table.Table {
	points := f.InOrder()
	served := make([]record.Serving, len(points))
	for i, r := range points {
		served[i] = *r.Serving
	}
	return pointTable(served, tokenEnergies(points))
}

// pointTable returns a table with one row per point: load, rates, times, energy per token if known, and remarks.
func pointTable(points []record.Serving, joules []float64) *table.Table {
	goodput := slices.ContainsFunc(points, func(p record.Serving) bool { return p.Figures.Goodput != nil })
	perGPU := slices.ContainsFunc(points, func(p record.Serving) bool { return p.Figures.TokensPerSecPerGPU != nil })
	priced := slices.ContainsFunc(points, func(p record.Serving) bool { return p.Figures.MillionTokenCost != nil })
	heads := []any{loadHead(points), "REQ/S", "TOK/S"}
	if perGPU {
		heads = append(heads, "/GPU")
	}
	if priced {
		heads = append(heads, "COST/M")
	}
	heads = append(heads, "/USER", "TTFT p50", "p99", "TPOT p50", "p99")
	if goodput {
		heads = append(heads, "GOODPUT")
	}
	if joules != nil {
		heads = append(heads, "J/TOK")
	}
	heads = append(heads, "FAILED")
	t := &table.Table{}
	for i := range heads {
		t.RightAligned = append(t.RightAligned, i)
	}
	t.Head(heads...)
	for i, p := range points {
		f := p.Figures
		cells := []any{loadCell(p.Load), sweepfile.FormatRate(f.RequestsPerSec),
			sweepfile.FormatRate(f.CountedTokensPerSec())}
		if perGPU {
			cells = append(cells, sweepfile.FormatRate(f.TokensPerSecPerGPU))
		}
		if priced {
			cells = append(cells, sweepfile.FormatRate(f.MillionTokenCost))
		}
		cells = append(cells, sweepfile.FormatRate(f.UserRate()), percentileText(f.TTFT, 0.5), percentileText(f.TTFT, 0.99),
			percentileText(f.TPOT, 0.5),
			percentileText(f.TPOT, 0.99))
		if goodput {
			cells = append(cells, sweepfile.FormatRate(f.Goodput))
		}
		if joules != nil {
			cells = append(cells, sweepfile.FormatRate(&joules[i]))
		}
		cells = append(cells, f.FailedTotal())
		if len(p.Flags) > 0 {
			cells = append(cells, strings.Join(p.Flags, "; "))
		}
		t.Row(cells...)
	}
	return t
}

// loadHead returns the heading of the column of loads.
func loadHead(points []record.Serving) string {
	head := ""
	for _, p := range points {
		name := "LOAD"
		switch p.Load.By {
		case arrival.Users:
			name = "USERS"
		case arrival.Rate:
			name = "RATE"
		}
		if head != "" && head != name {
			return "LOAD"
		}
		head = name
	}
	return head
}

// loadCell formats the load of a point: 16, 2.5/s, maximum.
func loadCell(l record.ServingLoad) string {
	switch {
	case l.Value == 0:
		return string(l.By)
	case l.By == arrival.Users:
		return strconv.FormatFloat(l.Value, 'f', -1, 64)
	}
	return sweepfile.FormatRate(&l.Value) + "/s"
}

// percentileText is a percentile of nanoseconds as objectives judge it: failures count. A dash means that
// there is none.
func percentileText(d metrics.Distribution, p float64) string {
	q, ok := d.PercentileAt(p)
	switch {
	case !ok:
		return "-"
	case d.N > 0 && !metrics.EnoughValues(d.N, p):
		return metrics.TooFew
	case math.IsInf(q.JudgedValue(), 1):
		return "failed"
	}
	return latencyText(q.JudgedValue())
}

// latencyText formats nanoseconds with three figures: 45ms, 10.2ms, 2.1s.
func latencyText(ns float64) string {
	v, unit := ns/1e9, "s"
	switch {
	case ns < 1e3:
		return strconv.FormatFloat(ns, 'f', 0, 64) + "ns"
	case ns < 999.5e3:
		v, unit = ns/1e3, "us"
	case ns < 999.5e6:
		v, unit = ns/1e6, "ms"
	}
	text := strconv.FormatFloat(v, 'g', 3, 64)
	if v >= 999.5 {
		text = fmt.Sprintf("%.0f", v)
	}
	return text + unit
}
