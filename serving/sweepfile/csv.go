package sweepfile

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// CurveRow is a line of curve.csv: a point. A figure that was not measured is NaN and empty in the file.
type CurveRow struct {
	Kind  arrival.Kind
	Value float64 // users, or requests per second; NaN if the load has no number
	// Figures contains the columns of numbers by name.
	Figures map[string]float64
	// Seed is the seed of the command; nil: the file contains none.
	Seed  *uint64
	Flags []string
}

// percentiles are the percentiles in the columns of TTFT, TPOT and E2E.
var percentiles = [...]float64{0.5, 0.9, 0.99}

// ColumnNames returns the names of the columns in order. Times are in milliseconds, of answered requests; attainment
// and failed are shares from 0 to 1; power is in watts, energy in joules. Flags are separated by semicolons.
func ColumnNames() []string {
	names := []string{}
	for _, c := range numberColumns() {
		names = append(names, c.name)
	}
	return slices.Concat([]string{"kind", "value"}, names, energyColumns(), lastColumns)
}

// lastColumns contains the columns after the numbers.
var lastColumns = []string{"seed", "flags"}

// figureNames returns the names of the columns of numbers.
func figureNames() []string {
	all := ColumnNames()
	return all[2 : len(all)-len(lastColumns)]
}

// csvColumn is a column of numbers.
type csvColumn struct {
	name  string
	value func(f *metrics.Figures) *float64
}

// energyColumns returns the last columns of numbers: the measurements of a power meter or, without one, those of the
// server's accelerators.
func energyColumns() []string {
	return []string{"power_w", "energy_per_token_j", "energy_per_request_j"}
}

// numberColumns returns the columns between the load and the flags.
func numberColumns() []csvColumn {
	all := []csvColumn{
		{"requests_per_s", func(f *metrics.Figures) *float64 { return f.RequestsPerSec }},
		{"tokens_per_s", (*metrics.Figures).CountedTokensPerSec},
		{"tokens_per_s_per_gpu", func(f *metrics.Figures) *float64 { return f.TokensPerSecPerGPU }},
	}
	for _, metric := range []string{metrics.TTFT, metrics.TPOT, metrics.E2E} {
		for _, p := range percentiles {
			all = append(all, csvColumn{metric + "_" + metrics.PercentileName(p) + "_ms", func(f *metrics.Figures) *float64 {
				q, ok := f.Distribution(metric).PercentileAt(p)
				if !ok {
					return nil
				}
				ms := q.Value / 1e6
				return &ms
			}})
		}
	}
	return append(all,
		csvColumn{"user", (*metrics.Figures).UserRate},
		csvColumn{"goodput_per_s", func(f *metrics.Figures) *float64 { return f.Goodput }},
		csvColumn{"attainment", func(f *metrics.Figures) *float64 { return f.Attainment }},
		csvColumn{"failed", func(f *metrics.Figures) *float64 {
			if f.Requests == 0 {
				return nil
			}
			share := float64(f.FailedTotal()) / float64(f.Requests)
			return &share
		}},
		csvColumn{"concurrency", func(f *metrics.Figures) *float64 { return &f.ConcurrencyMean }},
		csvColumn{"requests", func(f *metrics.Figures) *float64 { return intValue(f.Requests) }},
		csvColumn{"answered", func(f *metrics.Figures) *float64 { return intValue(f.OK) }},
		csvColumn{"prompt_tokens_per_s", promptRate},
		csvColumn{"total_tokens_per_s", func(f *metrics.Figures) *float64 {
			in, out := promptRate(f), f.CountedTokensPerSec()
			if in == nil || out == nil {
				return nil
			}
			total := *in + *out
			return &total
		}},
	)
}

// promptRate returns the prompt tokens per second; nil: the server does not count them.
func promptRate(f *metrics.Figures) *float64 {
	if f.WindowNS <= 0 || f.PromptTokens == 0 {
		return nil
	}
	rate := float64(f.PromptTokens) / (float64(f.WindowNS) / 1e9)
	return &rate
}

func intValue(n int) *float64 {
	v := float64(n)
	return &v
}

// RowOf returns the row of a point.
func RowOf(p *record.Run) CurveRow {
	s := p.Serving
	r := CurveRow{Kind: s.Load.By, Value: s.Load.Value, Figures: map[string]float64{}, Seed: &s.Asked.Seed,
		Flags: s.Flags}
	if s.Load.Value == 0 {
		r.Value = math.NaN()
	}
	for _, name := range figureNames() {
		r.Figures[name] = math.NaN()
	}
	if s.Figures != nil {
		for _, c := range numberColumns() {
			if v := c.value(s.Figures); v != nil {
				r.Figures[c.name] = *v
			}
		}
	}
	r.setEnergy(p)
	return r
}

// setEnergy sets the columns of energies.
func (r *CurveRow) setEnergy(p *record.Run) {
	var all [3]float64 // W, J, J; 0: unknown
	if e := p.Serving.Energy; e != nil {
		all = [3]float64{e.Watts, e.PerToken, e.PerRequest}
	}
	if m := p.Power; m != nil && m.Average != nil {
		all = [3]float64{float64(m.Average.Value)}
		if m.Token != nil {
			all[1] = float64(m.Token.Value)
		}
		if m.Energy != nil {
			all[2] = float64(m.Energy.Value) / 1e3 // convert from mJ
		}
	}
	for i, name := range energyColumns() {
		if all[i] > 0 {
			r.Figures[name] = all[i]
		}
	}
}

// flagSeparator separates flags.
const flagSeparator = "; "

// WriteCSV writes the points of a sweep as curve.csv.
func (s *Sweep) WriteCSV(to io.Writer) error {
	w := csv.NewWriter(to)
	_ = w.Write(ColumnNames()) // Flush returns the first fault
	for i := range s.Points {
		r := RowOf(&s.Points[i])
		line := []string{string(r.Kind), formatNumber(r.Value)}
		for _, name := range figureNames() {
			line = append(line, formatNumber(r.Figures[name]))
		}
		_ = w.Write(append(line, strconv.FormatUint(*r.Seed, 10), strings.Join(r.Flags, flagSeparator)))
	}
	w.Flush()
	return w.Error()
}

func formatNumber(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// maxRows is the maximum number of rows to read, as in sweep.json.
const maxRows = maxPoints

// ReadCSV reads a curve.csv. It ignores unknown columns. Missing columns count as not measured, but kind and value are
// required.
func ReadCSV(from io.Reader) ([]CurveRow, error) {
	in := csv.NewReader(io.LimitReader(from, maxBytes))
	in.ReuseRecord = true
	head, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("%s has no line of columns: %w", CSVName, err)
	}
	if len(head) < 2 || head[0] != "kind" || head[1] != "value" {
		return nil, fmt.Errorf("%s begins with the columns %q, want kind and value", CSVName, head[:min(2, len(head))])
	}
	head = slices.Clone(head)
	var rows []CurveRow
	for {
		fields, err := in.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", CSVName, err)
		}
		if len(rows) == maxRows {
			return nil, fmt.Errorf("%s has more than %d points", CSVName, maxRows)
		}
		r := CurveRow{Kind: arrival.Kind(fields[0]), Figures: map[string]float64{}}
		for _, c := range figureNames() {
			r.Figures[c] = math.NaN()
		}
		for i, text := range fields[1:] {
			if want := r.setColumn(head[i+1], text); want != "" {
				line, _ := in.FieldPos(i + 1)
				return nil, fmt.Errorf("%s, line %d: %s is %q, want %s", CSVName, line, head[i+1], text, want)
			}
		}
		rows = append(rows, r)
	}
}

// setColumn sets the field of a column. If text is invalid, it returns a description of valid text.
func (r *CurveRow) setColumn(name, text string) (want string) {
	var err error
	switch _, number := r.Figures[name]; {
	case name == "flags" && text != "":
		r.Flags = strings.Split(text, flagSeparator)
	case name == "seed" && text != "":
		r.Seed = new(uint64)
		if *r.Seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			return "a whole number from 0 on"
		}
	case name == "value":
		r.Value, err = parseNumber(text)
	case number:
		r.Figures[name], err = parseNumber(text)
	}
	if err != nil {
		return "a number, or nothing where it was not measured"
	}
	return ""
}

// parseNumber parses a finite number; NaN for "".
func parseNumber(text string) (float64, error) {
	if text == "" {
		return math.NaN(), nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		err = strconv.ErrRange
	}
	return v, err
}
