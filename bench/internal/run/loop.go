package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/plan"
	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/closedloop"
	"github.com/plumbline-ml/plumbline/internal/record/output"
)

// Loop implements Plan.Loop of package bench. It takes the same arguments as Make.
func Loop(ctx context.Context, p *plan.Plan, running *plugin.Running,
	l closedloop.LoopPlan) (t closedloop.LoopTimes, _ record.Run, err error) {
	if len(p.Runs) != 1 || p.Runs[0].Mode != loadgen.PerformanceOnly || p.Request.Output.Dir == "" {
		return t, record.Run{}, errors.New("bench: a closed loop is one performance run with an output folder")
	}
	claim, err := output.Take(p.Request.Output.Dir, true, nil)
	if err != nil {
		return t, record.Run{}, err
	}
	defer claim.Release()
	begun := false
	claim.Remember(p.Dirs())
	defer func() {
		if err != nil && !begun {
			claim.Discard()
		}
	}()
	p.Out = claim.Dir
	f, err := gatherFacts(p)
	if err != nil {
		return t, record.Run{}, err
	}
	r := newRunner(p, f, running)
	w := p.Request.Output.Watch.Complete()
	r.opened = func(rec record.Run) {
		begun = true
		w.Opened(rec)
	}
	rec := r.newRecord(p, p.Runs[0])
	if err := os.MkdirAll(filepath.Join(p.Out, p.Runs[0].Dir), 0o755); err != nil {
		return t, rec, sdk.Usage(err)
	}
	w.Begun()
	err = r.withPlugin(ctx, p, p.Runs[0], func(ctx context.Context, pl plugin.Plugin) error {
		return r.withWorkload(ctx, pl, p, p.Runs[0], &rec, func(w plugin.Workload) (err error) {
			r.opened(rec)
			t, err = closedloop.Run(ctx, w.SUT(), w.QSL(), l)
			return err
		})
	})
	rec.Hide(r.launch.Hide)
	return t, rec, err
}
