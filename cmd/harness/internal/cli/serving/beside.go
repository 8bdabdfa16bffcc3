package serving

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/serving/sweep"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/scrape"
	"github.com/plumbline-ml/plumbline/sdk"
)

// pages are where the server and its accelerators tell of themselves.
type pages struct {
	server, gpus *scrape.Page // nil: nowhere
}

// findPages finds the server's page, unless the user names another or none, and reads what was named once: what cannot
// be read is an error then.
func (s *session) findPages(ctx context.Context) (p pages, err error) {
	switch {
	case s.serverMetrics == "off":
	case s.serverMetrics != "":
		p.server, err = named(ctx, "--server-metrics", s.serverMetrics)
	default:
		if found, ok := scrape.Find(ctx, nil, s.about.URLs[0]); ok {
			p.server = &found
		}
	}
	if err == nil && s.gpuMetrics != "" {
		p.gpus, err = named(ctx, "--gpu-metrics", s.gpuMetrics)
	}
	return p, err
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

// told is all that was told at a point, for its file.
type told struct {
	Server *scrape.Server `json:"server,omitempty"`
	GPUs   *scrape.Server `json:"gpus,omitempty"`
}

// beside begins to read the pages; done adds what they said in a point's window to its record.
func (s *session) beside() (done func(*sweep.Point)) {
	began := time.Now()
	now := func() int64 { return int64(time.Since(began)) }
	ctx := context.Background()
	start := func(p *scrape.Page) *scrape.Watch {
		if p == nil {
			return nil
		}
		return scrape.Start(ctx, *p, scrape.Every, now)
	}
	server, gpus, meter := start(s.pages.server), start(s.pages.gpus), startMeter(ctx, s.meter)
	return func(p *sweep.Point) {
		meter.finish(ctx, p)
		var from, to, zero int64
		if p != nil {
			w := p.Window()
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

// ended stops a watch; nil: it has nothing to say.
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

// energy is what accelerators drew in a window; nil: they do not tell.
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
