// Package serving measures servers of language models from Go. Measure does the same as harness bench, without flags,
// files and text output.
//
//	doc, err := serving.Measure(ctx, "http://localhost:8000", serving.Plan{
//		Prompts: prompts.PromptOptions{ISL: "1024", OSL: "128"},
//		Loads:   []arrival.Pattern{{Kind: arrival.Users, Users: 8, Requests: 100}},
//	})
//
// The parts are packages that can also be used alone: metrics computes figures from records, arrival plans when
// requests are sent, objective judges figures, curve compares loads, prompts makes requests, engine sends them, client
// connects to a server, sweep measures several loads, and sweepfile stores the result.
//
// This package makes the plan, opens the connection, and runs the sweep. The command line writes the output.
package serving

import (
	"context"
	"errors"
	"os"

	"github.com/plumbline-ml/plumbline/internal/system"

	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/internal/serving/beside"
	"github.com/plumbline-ml/plumbline/internal/serving/engine"
	"github.com/plumbline-ml/plumbline/internal/serving/sweep"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

// Measure measures the language-model server at a URL: http://HOST:PORT, or with the path of the API. Several URLs
// separated by commas are measured as one server. It first sends one request, and then the loads of the plan, each
// after a warm-up. The document is sweep.json as Go types: the record of each load with its figures and verdicts, and
// the best load. A load that misses its objectives is not an error.
//
// An error describes why nothing was measured or what ended the measurement. The document then contains the loads
// measured before, or is nil. The error has the class sdk.ErrUsage for a wrong plan, sdk.ErrData for a missing server,
// a missing model or a fault in the data, and plugin.ErrFault for a failed server. The end of ctx is returned
// unchanged. Measure prints nothing and writes no files.
func Measure(ctx context.Context, url string, plan Plan) (*sweepfile.Sweep, error) {
	wire, err := plan.Connection.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	defer func() { _ = wire.Close() }() // no data is written
	s, err := OpenSession(wire, plan)
	if err != nil {
		return nil, err
	}
	if err := s.AskFirst(ctx, nil); err != nil {
		return nil, err
	}
	sources, err := beside.FindSources(ctx, s.About.URLs[0], "", "", nil)
	if err != nil {
		return nil, err
	}
	sources.Root = os.DirFS("/")
	r := s.BaseRecord()
	r.System = system.Describe(sources.Root)
	s.Settings.Record = r
	s.Settings.OnPointBegin = func(arrival.Pattern, *engine.PointProgress) func(*sweep.SweepPoint) {
		told := sources.StartSampling()
		return func(p *sweep.SweepPoint) {
			told(p)
			if p != nil && plan.Measured != nil {
				plan.Measured(p)
			}
		}
	}
	all := s.NewSweep(&sweepfile.Sweep{
		Objectives: plan.Objectives.String(), Server: r.Serving.Server, Asked: r.Serving.Asked,
	})
	err = OfServer(all.Run(ctx))
	return all.File, err
}

// OfServer adds the class plugin.ErrFault to the error of a sweep whose server failed.
func OfServer(err error) error {
	if errors.Is(err, sweep.ErrServer) {
		return plugin.Fault(err)
	}
	return err
}
