package page

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/metric"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/plot"
	"github.com/plumbline-ml/plumbline/internal/record/results"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// latencyTable returns the percentiles of all measured times, one row per distribution.
func latencyTable(r record.Run) textTable {
	t := textTable{Title: "Percentiles", Numbers: true}
	if r.Serving != nil && r.Serving.Figures != nil {
		return servingLatencies(r.Serving.Figures)
	}
	p := r.Performance
	if p == nil {
		return t
	}
	add := t.addPercentiles
	samples := metric.Latency
	if p.Query != nil {
		samples = samples.OfSamples()
		add(metric.QueryLatency, p.Query)
	}
	add(samples, &p.Latency)
	add(metric.IssueDelay, p.Issue)
	if w := r.Workload; w != nil && w.Batching != nil {
		add(metric.Waiting, w.Batching.Waiting)
		add(metric.Model, w.Batching.Model)
	}
	if p.Tokens != nil && p.Tokens.TTFT != nil {
		add(metric.TTFT, &p.Tokens.TTFT.Latency)
	}
	if p.Tokens != nil && p.Tokens.TPOT != nil {
		add(metric.TPOT, &p.Tokens.TPOT.Latency)
	}
	return t
}

// addPercentiles adds the percentiles of a distribution as a row, if it has the same percentiles as the other rows.
func (t *textTable) addPercentiles(of metric.Times, l *record.Latency) {
	if l == nil || !l.Measured() {
		return
	}
	ranged := func(ns int64) string {
		if !l.Ranged() {
			return "not logged"
		}
		return plot.Duration(ns)
	}
	head, cells := []string{"", "min"}, []string{of.Title, ranged(l.Min)}
	for _, q := range l.Percentiles {
		head = append(head, strconv.FormatFloat(100*q.P, 'g', 6, 64)+" %")
		cell := plot.Duration(q.NS)
		if l.Count > 0 { // otherwise the number of values is unknown
			cell = plot.Percentile(uint64(l.Count), q.P, q.NS)
		}
		cells = append(cells, cell)
	}
	head = append(head, "max", "mean")
	if len(t.Rows) > 0 && !slices.Equal(head, t.Head) { // a plugin may report other percentiles
		return
	}
	t.Head = head
	t.Rows = append(t.Rows, append(cells, ranged(l.Max), ranged(l.Mean)))
}

// servingLatencies returns the percentiles of a server's times.
func servingLatencies(f *metrics.Figures) textTable {
	t := textTable{Title: "Percentiles", Numbers: true}
	for _, of := range metric.ServingDistributions() {
		d := f.Distribution(of.Key)
		if d == nil || d.N == 0 {
			continue
		}
		head, cells := []string{"", "min"}, []string{of.Title, plot.Duration(int64(d.Min))}
		for _, q := range d.Percentiles {
			head = append(head, strconv.FormatFloat(100*q.P, 'g', 6, 64)+" %")
			cells = append(cells, plot.Percentile(uint64(max(0, d.N)), q.P, int64(q.Value)))
		}
		t.Head = append(head, "max", "mean")
		t.Rows = append(t.Rows, append(cells, plot.Duration(int64(d.Max)), plot.Duration(int64(d.Mean))))
	}
	return t
}

// shareBar is the share of a whole, in percent of its width. Target is the position of a mark; 0: no mark.
type shareBar struct {
	Alt          string
	Part, Target float64
	Invalid      bool // of an INVALID run: an outline
}

// roundTenth rounds to tenths, the precision of a bar.
func roundTenth(v float64) float64 { return math.Round(v*10) / 10 }

// nodeShare is the part of the work done by a device or node.
type nodeShare struct {
	Name, Samples, Batches, Percent string
	Bar                             shareBar
}

func nodeShares(r record.Run) []nodeShare {
	if r.Workload == nil {
		return nil
	}
	var all []nodeShare
	for _, s := range r.Workload.Shares {
		percent := fmt.Sprintf("%.1f %%", 100*s.Fraction)
		all = append(all, nodeShare{s.Name, figure.Count(s.Samples), figure.Count(s.Batches), percent,
			shareBar{Alt: percent, Part: roundTenth(100 * min(max(s.Fraction, 0), 1))}})
	}
	return all
}

// detailTables returns the tables that are initially collapsed.
func detailTables(f results.FoundRun) []textTable {
	r := f.Run
	all := []textTable{serverTable(r), settingsTable(r), workloadTable(r), machineTable(r), networkTable(r)}
	files := textTable{Title: "Files", Head: []string{"file", "size", "sha256"}, Mono: true}
	for _, file := range r.Files {
		files.Rows = append(files.Rows, []string{file.Path, figure.Bytes(file.Size), file.SHA256})
	}
	all = append(all, files)
	return slices.DeleteFunc(all, func(t textTable) bool { return len(t.Rows) == 0 })
}

func settingsTable(r record.Run) textTable {
	t := textTable{Title: "Settings, and where they come from", Head: []string{"setting", "value", "unit", "origin"}}
	for _, d := range r.Deviations {
		t.Rows = append(t.Rows, []string{"not as the rules", d, "", ""})
	}
	for _, s := range r.Settings {
		t.Rows = append(t.Rows, []string{s.Key, s.Value, s.Unit, s.Origin})
	}
	return t
}

// addRows adds pairs of names and values. It omits pairs without a value.
func (t *textTable) addRows(pairs ...string) {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			t.Rows = append(t.Rows, []string{pairs[i], pairs[i+1]})
		}
	}
}

func workloadTable(r record.Run) textTable {
	t := textTable{Title: "Model, data and backend"}
	if w := r.Workload; w != nil {
		t.addRows("model", w.ModelFile, "precision", w.Precision, "sha256", w.ModelSHA256, "size", sizeText(w.ModelSize))
		for _, p := range w.Parts {
			t.addRows("part "+p.Name, p.SHA256)
		}
		t.addRows("about the model", w.ModelNote, "data set", w.Dataset, "samples", figure.Count(uint64(max(0,
			w.DatasetSize))),
			"data set's sha256", w.DatasetSHA256, "backend", w.Backend)
		for _, key := range slices.Sorted(maps.Keys(w.BackendInfo)) {
			t.addRows("backend: "+key, w.BackendInfo[key])
		}
		t.addRows("batch", strconv.Itoa(w.Batch), "sessions", strconv.Itoa(w.Sessions), "SUT", w.SUT, "QSL", w.QSL)
	}
	for _, key := range slices.Sorted(maps.Keys(r.Options.Params)) {
		t.addRows("parameter "+key, r.Options.Params[key])
	}
	t.addRows("plugin", strings.TrimSpace(r.Plugin.Name+" "+r.Plugin.Version), "plugin's sha256", r.Plugin.SHA256,
		"tuning", r.TuningNote, "division", r.Division, "rules", r.Rules, "command", strings.Join(r.Command, " "))
	return t
}

// serverTable returns what a server reports about itself and the corresponding measurements.
func serverTable(r record.Run) textTable {
	t := textTable{Title: "What the server tells of itself", Numbers: true, Head: []string{"", "mean", "p50", "p99",
		"most"}}
	if r.Serving == nil || r.Serving.Told == nil && r.Serving.Energy == nil {
		return textTable{}
	}
	seconds := func(s float64) string { return plot.Duration(int64(s * 1e9)) }
	if s := r.Serving.Told; s != nil {
		for _, name := range slices.Sorted(maps.Keys(s.Histograms)) {
			h := s.Histograms[name]
			t.Rows = append(t.Rows, []string{plainName(name), seconds(h.Mean), seconds(h.P50), seconds(h.P99), ""})
		}
		for _, name := range slices.Sorted(maps.Keys(s.Gauges)) {
			g := s.Gauges[name]
			t.Rows = append(t.Rows, []string{plainName(name), figure.Short(g.Mean), "", "", figure.Short(g.Max)})
		}
		for _, name := range slices.Sorted(maps.Keys(s.Counters)) {
			t.Rows = append(t.Rows, []string{plainName(name) + ", meanwhile", "", "", "", figure.Short(s.Counters[name])})
		}
	}
	if e := r.Serving.Energy; e != nil {
		t.Rows = append(t.Rows, []string{"power of the accelerators, W", figure.Short(e.Watts), "", "", ""},
			[]string{"energy, J", "", "", "", figure.Short(e.Joules)})
		if e.PerToken > 0 {
			t.Rows = append(t.Rows, []string{"energy of a token of answers, J", figure.Short(e.PerToken), "", "", ""})
		}
		if e.PerRequest > 0 {
			t.Rows = append(t.Rows, []string{"energy of a request, J", figure.Short(e.PerRequest), "", "", ""})
		}
	}
	return t
}

// plainName replaces the underscores in a name by spaces.
func plainName(name string) string { return strings.ReplaceAll(name, "_", " ") }

func sizeText(n int64) string {
	if n <= 0 {
		return ""
	}
	return figure.Bytes(n)
}

func machineTable(r record.Run) textTable {
	t := textTable{Title: "System"}
	s := r.System
	if s.Cores > 0 {
		t.addRows("processor", s.CPU, "cores", strconv.Itoa(s.Cores), "memory", sizeText(s.MemoryBytes), "system", s.OS,
			"kernel", s.Kernel, "architecture", s.Arch, "frequency governor", s.Governor, "CPU quota", s.Quota)
		if s.Virtual {
			t.addRows("virtual machine", "yes")
		}
	}
	t.addRows("as stated", r.Stated.System.String(), "note", r.Stated.Note, "stated precision", r.Stated.Precision)
	t.addRows("harness", strings.TrimSpace(r.Harness.Version+" "+r.Harness.Commit), "Go", s.GoVersion)
	if l := r.LoadGen; l != nil {
		t.addRows("LoadGen", l.Name+" "+l.Version, "LoadGen's sha256", l.SHA256)
	}
	return t
}

func networkTable(r record.Run) textTable {
	t := textTable{Title: "Nodes", Head: []string{"address", "name", "peer", "round trip 50 %", "99 %"}}
	if r.Network == nil {
		return t
	}
	for _, n := range r.Network.Nodes {
		t.Rows = append(t.Rows, []string{n.Address, n.Name, n.Peer, plot.Duration(n.RoundTripP50),
			plot.Duration(n.RoundTripP99)})
	}
	return t
}
