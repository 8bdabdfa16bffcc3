// Package beside samples a server's own metrics, the metrics of its accelerators, and a power meter during a
// measurement.
//
// In scope: the sources. Out of scope: the meaning of their values in a point's record.
package beside

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/power"
	"github.com/plumbline-ml/plumbline/internal/serving/scrape"
	"github.com/plumbline-ml/plumbline/internal/serving/sweep"
	"github.com/plumbline-ml/plumbline/internal/system"
	"github.com/plumbline-ml/plumbline/sdk"
)

// Sources contains the pages with the metrics of the server and its accelerators, and a power meter.
type Sources struct {
	server, gpus *scrape.Page // nil: not sampled
	meter        *power.Meter // nil: no meter
	// Root is the file system of the client's machine. It provides the use of the machine by other programs. If it is nil,
	// that use is not measured.
	Root fs.FS
}

// Find returns the sources of the server at url. serverMetrics is the address of another metrics page, or "off" for
// none; if it is empty, Find looks for the server's own page. Find reads each named page and the meter (nil: no meter)
// once. It returns an error if one of them cannot be read.
func Find(ctx context.Context, url, serverMetrics, gpuMetrics string, meter *power.Meter) (Sources, error) {
	s := Sources{meter: meter}
	var err error
	switch {
	case serverMetrics == "off":
	case serverMetrics != "":
		s.server, err = named(ctx, "--server-metrics", serverMetrics)
	default:
		if found, ok := scrape.Find(ctx, nil, url); ok {
			s.server = &found
		}
	}
	if err == nil && gpuMetrics != "" {
		s.gpus, err = named(ctx, "--gpu-metrics", gpuMetrics)
	}
	if err == nil {
		err = s.tryMeter(ctx)
	}
	return s, err
}

func named(ctx context.Context, flag, url string) (*scrape.Page, error) {
	if !strings.Contains(url, "://") {
		url = "http://" + url
	}
	p := &scrape.Page{URL: url}
	if err := p.Check(ctx); err != nil {
		return nil, sdk.Data(fmt.Errorf("%s: %w", flag, err))
	}
	return p, nil
}

// processors returns the processor time that the client's machine has used so far.
func (s Sources) processors() (system.Processors, bool) {
	if s.Root == nil {
		return system.Processors{}, false
	}
	return system.ReadProcessors(s.Root, os.Getpid())
}

// told contains the metrics sampled during a point, for the point's file.
type told struct {
	Server *scrape.Server `json:"server,omitempty"`
	GPUs   *scrape.Server `json:"gpus,omitempty"`
}

// Begin starts the sampling. The returned function stops it and adds the samples in the point's window to the point's
// record. If the point is nil, the function only stops the sampling.
func (s Sources) Begin() (done func(*sweep.SweepPoint)) {
	began := time.Now()
	now := func() int64 { return int64(time.Since(began)) }
	ctx := context.Background()
	start := func(p *scrape.Page) *scrape.Watch {
		if p == nil {
			return nil
		}
		return scrape.Start(ctx, *p, scrape.Every, now)
	}
	server, gpus, meter := start(s.server), start(s.gpus), startMeter(ctx, s.meter)
	before, known := s.processors()
	return func(p *sweep.SweepPoint) {
		meter.finish(ctx, p)
		if after, ok := s.processors(); ok && known && p != nil {
			if others, ok := after.Since(before); ok {
				p.Record.FromOthers(others)
			}
		}
		var from, to, zero int64
		if p != nil {
			w := p.FigureWindow()
			zero = int64(p.Began.Sub(began))
			from, to = zero+w.From, zero+w.To
		}
		var all told
		all.Server, all.GPUs = ended(ctx, server, from, to), ended(ctx, gpus, from, to)
		if p == nil || all.Server == nil && all.GPUs == nil {
			return
		}
		served := p.Record.Serving
		p.Told = all
		for _, of := range []*scrape.Server{all.Server, all.GPUs} {
			if of != nil {
				for _, line := range of.Lines {
					p.Over = append(p.Over, line.Since(zero))
				}
			}
		}
		if all.Server != nil {
			served.Told = &all.Server.ServingTold
		}
		if all.GPUs != nil {
			served.Energy = energy(all.GPUs, served, from, to)
		}
	}
}

// ended stops a watch and returns its values in a window. It returns nil if there are none.
func ended(ctx context.Context, w *scrape.Watch, from, to int64) *scrape.Server {
	if w == nil {
		return nil
	}
	s, ok := w.Stop(ctx, from, to)
	if !ok {
		return nil
	}
	return &s
}

// energy returns the energy that the accelerators used in a window. It returns nil if they do not report it.
func energy(gpus *scrape.Server, s *record.Serving, from, to int64) *record.ServingEnergy {
	joules, ok := gpus.Energy(from, to)
	seconds := float64(to-from) / 1e9
	if !ok || !(seconds > 0) {
		return nil
	}
	e := &record.ServingEnergy{Watts: joules / seconds, Joules: joules}
	f := s.Figures
	if f.TokensPerSec != nil && *f.TokensPerSec > 0 {
		e.PerToken = joules / (*f.TokensPerSec * seconds)
	}
	if f.RequestsPerSec != nil && *f.RequestsPerSec > 0 {
		e.PerRequest = joules / (*f.RequestsPerSec * seconds)
	}
	return e
}
