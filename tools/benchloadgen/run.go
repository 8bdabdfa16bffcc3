package main

import (
	"context"
	"errors"
	"fmt"
	"os"
)

type options struct {
	runs   int
	python string
	quick  bool
}

// scale makes a count a hundredth under -quick.
func (o options) scale(n uint64) uint64 {
	if o.quick {
		return max(n/100, 1000)
	}
	return n
}

// run measures everything, or as a child one peak of memory.
func run(ctx context.Context, o options, child string) error {
	switch {
	case o.runs < 1:
		return fmt.Errorf("-runs = %d, want 1 or more (5 for a fair comparison)", o.runs)
	case child != "":
		return printPeak(ctx, o, child)
	}
	if o.quick {
		fmt.Println("-quick: runs too short for their figures to mean anything")
	}
	fmt.Printf("ours: median (least to most) of %d runs; official C++: figures recorded on an idle 2-core machine\n\n", o.runs)
	return errors.Join(o.throughput(ctx), o.firstQuery(ctx), o.memory(ctx), o.pacing(ctx))
}

func (o options) throughput(ctx context.Context) error {
	t := newTable("throughput", "official C++", "ratio", "official Python, measured", "ratio")
	for _, w := range workloads {
		ours, err := o.repeat(func() (float64, error) { return w.rate(ctx, o.scale(w.samples), false) })
		if err != nil {
			return err
		}
		python, err := o.pythonRate(ctx, w)
		if err != nil {
			return err
		}
		t.row(w.name, "M samples/s", ours, w.official, python)
	}
	traced := workloads[0]
	ours, err := o.repeat(func() (float64, error) { return traced.rate(ctx, o.scale(traced.samples/5), true) })
	if err != nil {
		return err
	}
	t.row(traced.name+", trace on", "M samples/s", ours, 0.17, nil)
	return t.write(os.Stdout)
}

func (o options) firstQuery(ctx context.Context) error {
	t := newTable("time to the first query", "official C++", "ratio", "", "")
	ours, err := o.repeat(func() (float64, error) { return timeToFirstQuery(ctx, o.scale(1e7)) })
	if err != nil {
		return err
	}
	t.lessIsBetter = true
	t.row("Offline, 10 M samples", "ms", ours, 360, nil)
	return t.write(os.Stdout)
}

func (o options) memory(ctx context.Context) error {
	t := newTable("peak memory", "official C++", "ratio", "", "")
	t.lessIsBetter = true
	for _, w := range workloads {
		ours, err := o.repeat(func() (float64, error) { return o.peak(ctx, w) })
		if err != nil {
			return err
		}
		official := 0.0
		if w.name == "Offline" {
			official = 117
		}
		t.row(w.name+", 10 M samples", "bytes/sample", ours, official, nil)
	}
	return t.write(os.Stdout)
}

func (o options) pacing(ctx context.Context) error {
	t := newTable("issue delay in Server, p50", "official C++", "ratio", "official here (Python SUT)", "ratio")
	tail := newTable("issue delay in Server, p99", "", "", "official here (Python SUT)", "ratio")
	cpu := newTable("processor time of the whole run", "", "", "", "")
	t.lessIsBetter, tail.lessIsBetter = true, true
	for _, p := range paces {
		if err := o.pace(ctx, p, t, tail, cpu); err != nil {
			return err
		}
	}
	return errors.Join(t.write(os.Stdout), tail.write(os.Stdout), cpu.write(os.Stdout))
}

// pace measures one rate with both modes, and beside them the official program.
func (o options) pace(ctx context.Context, p pace, t, tail, cpu *table) error {
	var official []paced
	for range o.runs {
		if o.python == "" {
			break
		}
		m, err := o.pythonPacing(ctx, p)
		if err != nil {
			return err
		}
		official = append(official, m)
	}
	for _, spin := range []bool{false, true} {
		var runs []paced
		for range o.runs {
			m, err := p.run(ctx, o.quick, spin)
			if err != nil {
				return err
			}
			runs = append(runs, m)
		}
		name := fmt.Sprintf("%.0f queries/s, %s", p.qps, map[bool]string{false: "default", true: "spinning"}[spin])
		t.row(name, "us", column(runs, func(m paced) float64 { return m.p50 }), p.official, column(official, func(m paced) float64 { return m.p50 }))
		tail.row(name, "us", column(runs, func(m paced) float64 { return m.p99 }), 0, column(official, func(m paced) float64 { return m.p99 }))
		cpu.row(name, "% of a core", column(runs, func(m paced) float64 { return m.cpu }), 0, nil)
	}
	return nil
}

func column(runs []paced, of func(paced) float64) []float64 {
	var out []float64
	for _, r := range runs {
		out = append(out, of(r))
	}
	return out
}

// repeat measures as often as asked for.
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
