package campaign

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/lists"
)

// piece is what is told of at once: a run, or an audit or a comparison with the runs that it needs.
type piece struct {
	*Campaign
	steps []Step
	make  func(ctx context.Context) exitcode.Code
}

// inTurn makes pieces one after the other. One that fails does not keep the others from being made.
//
// Before the first one all their runs stand in result.json, as runs that are not made: an interrupt, a crash or a kill
// in whatever moment leaves a record that says what is missing. The error says why nothing was begun, or that ctx ended
// before all pieces were made.
func inTurn(ctx context.Context, pieces []piece) error {
	if err := begin(ctx, pieces); err != nil {
		return err
	}
	var codes []exitcode.Code
	for i, p := range pieces {
		if ctx.Err() != nil {
			return cut(ctx, pieces[i:])
		}
		codes = append(codes, p.make(ctx))
	}
	return end(pieces, exitcode.Worst(codes...))
}

// begin sees what there is of all runs, and refuses what cannot be made, before it writes anything.
func begin(ctx context.Context, pieces []piece) error {
	faults := lists.Map(pieces, func(p piece) error { return p.check(ctx, p.steps) })
	if err := joined(faults); err != nil {
		return err
	}
	return enter(ctx, pieces)
}

// enter puts the runs of pieces into the result.json of each output folder as runs that are not made, all of a folder
// at once: who kills the process meanwhile leaves a record of all or of none.
func enter(ctx context.Context, pieces []piece) error {
	var folders []string
	runs := map[string][]record.Run{}
	for _, p := range pieces {
		blank, err := p.blank(ctx, p.steps)
		if err != nil {
			return err
		}
		out := p.Request.Output.Dir
		if !slices.Contains(folders, out) {
			folders = append(folders, out)
		}
		for _, rec := range blank {
			if !slices.ContainsFunc(runs[out], rec.Same) { // tests of a scenario want the same run
				runs[out] = append(runs[out], rec)
			}
		}
	}
	for _, out := range folders {
		if err := bench.Record(out, runs[out]...); err != nil {
			return err
		}
	}
	return nil
}

// joined joins errors that are told once each, with the class of the worst.
func joined(faults []error) error {
	var codes []exitcode.Code
	var told []error
	for _, err := range faults {
		if err == nil || slices.ContainsFunc(told, func(t error) bool { return t.Error() == err.Error() }) {
			continue
		}
		told, codes = append(told, err), append(codes, exitcode.Of(err))
	}
	return exitcode.Mark(exitcode.Worst(codes...), errors.Join(told...))
}

// check wants runs that can be made, or are there.
func (c *Campaign) check(ctx context.Context, steps []Step) error {
	var faults []error
	for _, s := range steps {
		f, err := c.look(ctx, s)
		if err == nil {
			err = c.replaceable(s, f.earlier)
		}
		faults = append(faults, err)
	}
	return joined(faults)
}

// Enter puts runs into result.json as runs that are not made. Whatever it says of them already stays.
func (c *Campaign) Enter(ctx context.Context, steps []Step) error {
	return enter(ctx, []piece{{Campaign: c, steps: steps}})
}

// blank are the records of runs that are not made, as far as result.json has none of them that says more.
func (c *Campaign) blank(ctx context.Context, steps []Step) ([]record.Run, error) {
	d, err := c.recorded()
	if err != nil {
		return nil, err
	}
	var runs []record.Run
	for _, s := range steps {
		f, err := c.look(ctx, s)
		if err != nil {
			return nil, err
		}
		for _, rec := range f.plan.Unmade() {
			if at := slices.IndexFunc(d.Runs, rec.Same); at < 0 || d.Runs[at].Status == record.NotRun {
				runs = append(runs, rec)
			}
		}
	}
	return runs, nil
}

func (c *Campaign) recorded() (record.Document, error) {
	return record.Read(filepath.Join(c.Request.Output.Dir, record.FileName))
}

// cut says that ctx ended before all was made.
func cut(ctx context.Context, left []piece) error {
	type run struct {
		*Campaign
		key
	}
	runs := map[run]bool{}
	for _, p := range left {
		for _, s := range p.steps {
			if _, made := p.given[s.key()]; !made && !p.seen[s.key()].earlier.Finished() {
				runs[run{p.Campaign, s.key()}] = true
			}
		}
	}
	if len(runs) == 0 {
		return fmt.Errorf("%w: not all is judged; the same command goes on", context.Cause(ctx))
	}
	return fmt.Errorf("%w: %s not made; the same command makes them", context.Cause(ctx), figure.Plural(len(runs), "run"))
}

// end says of runs that are still not made what kept them from it: the outcome of the others, as the campaign has come
// to its end.
func end(pieces []piece, code exitcode.Code) error {
	return joined(lists.Map(pieces, func(p piece) error { return p.Skip(p.steps, code) }))
}

// Skip says of runs that are not made what kept them from it. An interrupt keeps a run only until the next time.
func (c *Campaign) Skip(steps []Step, code exitcode.Code) error {
	d, err := c.recorded()
	if err != nil || code == exitcode.Interrupted {
		return err
	}
	var runs []record.Run
	for _, rec := range d.Runs {
		mine := rec.Model == c.model && slices.ContainsFunc(steps, func(s Step) bool {
			return s.key() == key{rec.Scenario, rec.Mode, rec.Test}
		})
		if mine && rec.Status == record.NotRun && rec.ExitCode != int(code) {
			rec.Skip(code)
			runs = append(runs, rec)
		}
	}
	return bench.Record(c.Request.Output.Dir, runs...)
}
