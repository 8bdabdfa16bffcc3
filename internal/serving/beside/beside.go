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
	serverPage, gpuPage *scrape.Page // nil: not sampled
	meter               *power.Meter // nil: no meter
	// Root is the file system of the client's machine. It provides the use of the machine by other programs. If it is nil,
	// that use is not measured.
	Root fs.FS
}

// FindSources returns the sources of the server at url. serverMetrics is the address of another metrics page, or "off"
// for none; if it is empty, Find looks for the server's own page. Find reads each named page and the meter (nil: no
// meter) once. It returns an error if one of them cannot be read.
func FindSources(ctx context.Context, url, serverMetrics, gpuMetrics string, meter *power.Meter) (Sources, error) {
	s := Sources{meter: meter}
	var err error
	switch {
	case serverMetrics == "off":
	case serverMetrics != "":
		s.serverPage, err = checkedPage(ctx, "--server-metrics", serverMetrics)
	default:
		if found, ok := scrape.FindPage(ctx, nil, url); ok {
			s.serverPage = &found
		}
	}
	if err == nil && gpuMetrics != "" {
		s.gpuPage, err = checkedPage(ctx, "--gpu-metrics", gpuMetrics)
	}
	if err == nil {
		err = s.tryMeter(ctx)
	}
	return s, err
}

func checkedPage(ctx context.Context, flag, url string) (*scrape.Page, error) {
	if !strings.Contains(url, "://") {
		url = "http://" + url
	}
	p := &scrape.Page{URL: url}
	if err := p.Check(ctx); err != nil {
		return nil, sdk.Data(fmt.Errorf("%s: %w", flag, err))
	}
	return p, nil
}

// readProcessors returns the processor time that the client's machine has used so far.
func (s Sources) readProcessors() (system.ProcessorTimes, bool) {
	if s.Root == nil {
		return system.ProcessorTimes{}, false
	}
	return system.ReadProcessors(s.Root, os.Getpid())
}

// sampledMetrics contains the metrics sampled during a point, for the point's file.
type sampledMetrics struct {
	Server *scrape.ServerMetrics `json:"server,omitempty"`
	GPUs   *scrape.ServerMetrics `json:"gpus,omitempty"`
}

// StartSampling starts the sampling. The returned function stops it and adds the samples in the point's window to the
// point's record. If the point is nil, the function only stops the sampling.
func (s Sources) StartSampling() (done func(*sweep.SweepPoint)) {
	began := time.Now()
	now := func() int64 { return int64(time.Since(began)) }
	ctx := context.Background()
	start := func(p *scrape.Page) *scrape.Watch {
		if p == nil {
			return nil
		}
		return scrape.StartWatch(ctx, *p, scrape.DefaultInterval, now)
	}
	server, gpus, meter := start(s.serverPage), start(s.gpuPage), startMeter(ctx, s.meter)
	before, known := s.readProcessors()
	return func(p *sweep.SweepPoint) {
		meter.finish(ctx, p)
		if after, ok := s.readProcessors(); ok && known && p != nil {
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
		var all sampledMetrics
		all.Server, all.GPUs = stopWatch(ctx, server, from, to), stopWatch(ctx, gpus, from, to)
		if p == nil || all.Server == nil && all.GPUs == nil {
			return
		}
		served := p.Record.Serving
		p.ServerMetrics = all
		for _, of := range []*scrape.ServerMetrics{all.Server, all.GPUs} {
			if of != nil {
				for _, line := range of.Lines {
					p.OverTime = append(p.OverTime, line.Since(zero))
				}
			}
		}
		if all.Server != nil {
			served.Told = &all.Server.ServingTold
		}
		if all.GPUs != nil {
			served.Energy = computeEnergy(all.GPUs, served, from, to)
		}
	}
}

// ended stops a watch and returns its values in a window. It returns nil if there are none.
func stopWatch(ctx context.Context, w *scrape.Watch, from, to int64) *scrape.ServerMetrics {
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
func computeEnergy(gpus *scrape.ServerMetrics, s *record.Serving, from, to int64) *record.ServingEnergy {
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
