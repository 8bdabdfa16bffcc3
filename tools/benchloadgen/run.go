package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

type options struct {
	runs   int
	python string
	quick  bool
	only   []string // names of sections to run; empty: all
	prefix string   // prefix of the names of workloads; empty: all
}

// sections lists the tables in order. Tables that take minutes are made only if they are named.
var sections = []struct {
	name    string
	long    bool
	measure func(options, context.Context) error
}{
	{"throughput", false, options.reportThroughput}, {"first-query", false, options.reportFirstQuery},
	{"memory", false, options.reportMemory},
	{"pacing", false, options.reportDefaultPacing}, {"spinning", false, options.reportSpinning},
	{"scale", true, options.reportScaling}, {"collector", true, options.reportPauses},
}

func sectionNames() string {
	var names []string
	for _, s := range sections {
		names = append(names, s.name)
	}
	return strings.Join(names, ",")
}

// selectWorkloads returns the workloads that the user selected.
func (o options) selectWorkloads(all []workload) []workload {
	return slices.DeleteFunc(slices.Clone(all), func(w workload) bool { return !strings.HasPrefix(w.name, o.prefix) })
}

// scaleCount returns n, or a hundredth of it with -quick.
func (o options) scaleCount(n uint64) uint64 {
	if o.quick {
		return max(n/100, 1000)
	}
	return n
}

// run makes the selected measurements or, as a child process, measures the peak of memory.
func run(ctx context.Context, o options, child string) error {
	switch {
	case o.runs < 1:
		return fmt.Errorf("-runs = %d, want 1 or more (5 for a fair comparison)", o.runs)
	case child != "":
		return printPeak(ctx, o, child)
	}
	for _, name := range o.only {
		if !strings.Contains(","+sectionNames()+",", ","+name+",") {
			return fmt.Errorf("-only %s: unknown, want of %s", name, sectionNames())
		}
	}
	if o.quick {
		fmt.Println("-quick: runs too short for their figures to mean anything")
	}
	fmt.Printf("ours: median (least to most) of %d runs; official C++: figures recorded on an idle 2-core machine\n\n",
		o.runs)
	for _, s := range sections {
		if wanted := slices.Contains(o.only, s.name); !wanted && (s.long || len(o.only) > 0) {
			continue
		}
		if err := s.measure(o, ctx); err != nil {
			return err
		}
	}
	return nil
}

func (o options) reportThroughput(ctx context.Context) error {
	t := newTable("throughput", "official C++", "ratio", "official Python, measured", "ratio")
	for _, w := range o.selectWorkloads(workloads) {
		ours, err := o.repeat(func() (float64, error) { return w.measureRate(ctx, o.scaleCount(w.samples), false) })
		if err != nil {
			return err
		}
		python, err := o.pythonRates(ctx, w)
		if err != nil {
			return err
		}
		t.addRow(w.name, "M samples/s", ours, w.official, python)
	}
	traced := workloads[0]
	ours, err := o.repeat(func() (float64, error) { return traced.measureRate(ctx, o.scaleCount(traced.samples/5), true) })
	if err != nil {
		return err
	}
	t.addRow(traced.name+", trace on", "M samples/s", ours, 0.17, nil)
	return t.write(os.Stdout)
}

func (o options) reportFirstQuery(ctx context.Context) error {
	t := newTable("time to the first query", "official C++", "ratio", "", "")
	ours, err := o.repeat(func() (float64, error) { return timeToFirstQuery(ctx, o.scaleCount(1e7)) })
	if err != nil {
		return err
	}
	t.lessIsBetter = true
	t.addRow("Offline, 10 M samples", "ms", ours, 360, nil)
	return t.write(os.Stdout)
}

func (o options) reportMemory(ctx context.Context) error {
	t := newTable("peak memory, 10 M samples", "official C++", "ratio", "", "")
	beside := newTable("beside the query itself", "at most", "", "", "")
	t.lessIsBetter = true
	for _, w := range o.selectWorkloads(slices.Concat(workloads, tokenWorkloads())) {
		ours, err := o.repeat(func() (float64, error) { return o.measurePeak(ctx, w) })
		if err != nil {
			return err
		}
		official := 0.0
		if w.name == "Offline" {
			official = 117
		}
		t.addRow(w.name, "bytes/sample", ours, official, nil)
		for i := range ours {
			ours[i] -= w.queryBytes()
		}
		beside.addRow(w.name, "bytes/sample", ours, map[bool]float64{false: 24, true: 40}[w.tokens], nil)
	}
	return errors.Join(t.write(os.Stdout), beside.write(os.Stdout))
}

// reportScaling shows that the cost per sample does not increase with the number of samples.
func (o options) reportScaling(ctx context.Context) error {
	t := newTable("time of a whole run", "", "", "", "")
	each := newTable("per sample", "", "", "", "")
	for _, w := range o.selectWorkloads(workloads) {
		for n := uint64(1e3); n <= o.scaleCount(1e8); n *= 10 {
			rates, err := o.repeat(func() (float64, error) { return w.measureRate(ctx, n, false) })
			if err != nil {
				return err
			}
			var ms, ns []float64
			for _, rate := range rates { // millions of samples per second
				ms, ns = append(ms, float64(n)/rate/1e3), append(ns, 1e3/rate)
			}
			name := fmt.Sprintf("%s, %d samples", w.name, n)
			t.addRow(name, "ms", ms, 0, nil)
			each.addRow(name, "ns", ns, 0, nil)
		}
	}
	return errors.Join(t.write(os.Stdout), each.write(os.Stdout))
}

func (o options) reportDefaultPacing(ctx context.Context) error { return o.reportPacing(ctx, false) }
func (o options) reportSpinning(ctx context.Context) error      { return o.reportPacing(ctx, true) }

// reportPacing measures all rates in one mode, and in the default mode also the official program.
func (o options) reportPacing(ctx context.Context, spin bool) error {
	mode := map[bool]string{false: "default", true: "spinning"}[spin]
	t := newTable("issue delay in Server, "+mode+", p50", "official C++", "ratio", "official here (Python SUT)", "ratio")
	tail := newTable("issue delay in Server, "+mode+", p99", "", "", "official here (Python SUT)", "ratio")
	cpu := newTable("processor time of the whole run", "", "", "", "")
	t.lessIsBetter, tail.lessIsBetter = true, true
	for _, p := range serverRates {
		if err := o.addPacing(ctx, p, spin, t, tail, cpu); err != nil {
			return err
		}
	}
	return errors.Join(t.write(os.Stdout), tail.write(os.Stdout), cpu.write(os.Stdout))
}

// addPacing measures one rate, alternately with the official program.
func (o options) addPacing(ctx context.Context, p serverRate, spin bool, t, tail, cpu *table) error {
	var ours, official []pacingResult
	for range o.runs {
		m, err := p.measure(ctx, o.quick, spin)
		if err != nil {
			return err
		}
		ours = append(ours, m)
		if o.python == "" || spin {
			continue
		}
		if m, err = o.pythonPacing(ctx, p); err != nil {
			return err
		}
		official = append(official, m)
	}
	name := fmt.Sprintf("%.0f queries/s", p.qps)
	p50, p99, usage := splitResults(ours)
	officialP50, officialP99, _ := splitResults(official)
	t.addRow(name, "us", p50, p.official, officialP50)
	tail.addRow(name, "us", p99, 0, officialP99)
	cpu.addRow(name, "% of a core", usage, 0, nil)
	return nil
}

// splitResults returns the medians, the 99th percentiles and the processor use of results.
func splitResults(all []pacingResult) (p50, p99, cpu []float64) {
	for _, m := range all {
		p50, p99, cpu = append(p50, m.p50), append(p99, m.p99), append(cpu, m.cpu)
	}
	return p50, p99, cpu
}

// repeat measures as often as the options require.
func (o options) repeat(measure func() (float64, error)) ([]float64, error) {
	var out []float64
	for range o.runs {
		v, err := measure()
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}
