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
)

// workPiece is a unit of work with one result: a run, or an audit or comparison with all runs that it requires.
type workPiece struct {
	*Campaign
	steps   []Step
	execute func(ctx context.Context) exitcode.Code
}

// executePieces executes pieces one after the other. A failed piece does not prevent the later ones.
//
// Before the first piece, it records all planned runs in result.json as not made. After an interrupt, a crash or a
// kill, the record therefore lists the missing runs. executePieces returns an error if it could not begin, or if ctx
// ended before all pieces were complete.
func executePieces(ctx context.Context, pieces []workPiece) error {
	if err := beginPieces(ctx, pieces); err != nil {
		return err
	}
	var codes []exitcode.Code
	for i, p := range pieces {
		if ctx.Err() != nil {
			return errCutOff(ctx, pieces[i:])
		}
		codes = append(codes, p.execute(ctx))
	}
	return recordUnmade(pieces, exitcode.Worst(codes...))
}

// beginPieces checks all runs of the pieces. If none is refused, it records them.
func beginPieces(ctx context.Context, pieces []workPiece) error {
	faults := make([]error, len(pieces))
	for i, p := range pieces {
		faults[i] = p.checkSteps(ctx, p.steps)
	}
	if err := joinFaults(faults); err != nil {
		return err
	}
	return recordPlanned(ctx, pieces)
}

// recordPlanned records the runs of pieces as not made in the result.json of each output folder. It writes each
// folder's runs at once, so a killed process leaves all of them recorded or none.
func recordPlanned(ctx context.Context, pieces []workPiece) error {
	var folders []string
	runs := map[string][]record.Run{}
	for _, p := range pieces {
		blank, err := p.blankRecords(ctx, p.steps)
		if err != nil {
			return err
		}
		out := p.Request.Output.Dir
		if !slices.Contains(folders, out) {
			folders = append(folders, out)
		}
		for _, rec := range blank {
			if !slices.ContainsFunc(runs[out], rec.Same) { // several tests of a scenario can require the same run
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

// joinFaults joins errors without duplicates. The result has the exit code of the worst.
func joinFaults(faults []error) error {
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

// checkSteps returns an error if a run cannot be made and does not exist.
func (c *Campaign) checkSteps(ctx context.Context, steps []Step) error {
	var faults []error
	for _, s := range steps {
		f, err := c.findRun(ctx, s)
		if err == nil {
			err = c.checkReplaceable(s, f.earlier)
		}
		faults = append(faults, err)
	}
	return joinFaults(faults)
}

// RecordPlanned records runs in result.json as not made. It does not change existing records.
func (c *Campaign) RecordPlanned(ctx context.Context, steps []Step) error {
	return recordPlanned(ctx, []workPiece{{Campaign: c, steps: steps}})
}

// blankRecords returns records of runs that are not made, for the runs without another record in result.json.
func (c *Campaign) blankRecords(ctx context.Context, steps []Step) ([]record.Run, error) {
	d, err := c.readRecorded()
	if err != nil {
		return nil, err
	}
	var runs []record.Run
	for _, s := range steps {
		f, err := c.findRun(ctx, s)
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

func (c *Campaign) readRecorded() (record.Document, error) {
	return record.Read(filepath.Join(c.Request.Output.Dir, record.FileName))
}

// errCutOff returns an error that states how much work was left when ctx ended.
func errCutOff(ctx context.Context, left []workPiece) error {
	type run struct {
		*Campaign
		runKey
	}
	runs := map[run]bool{}
	for _, p := range left {
		for _, s := range p.steps {
			if _, made := p.completeRuns[s.runKey()]; !made && !p.foundRuns[s.runKey()].earlier.Finished() {
				runs[run{p.Campaign, s.runKey()}] = true
			}
		}
	}
	if len(runs) == 0 {
		return fmt.Errorf("%w: not all is judged; the same command goes on", context.Cause(ctx))
	}
	return fmt.Errorf("%w: %s not made; the same command makes them", context.Cause(ctx), figure.Plural(len(runs), "run"))
}

// recordUnmade records the outcome of the campaign as the reason in all runs that are still not made.
func recordUnmade(pieces []workPiece, code exitcode.Code) error {
	faults := make([]error, len(pieces))
	for i, p := range pieces {
		faults[i] = p.RecordSkipped(p.steps, code)
	}
	return joinFaults(faults)
}

// RecordSkipped records the reason in runs that are not made. It records no reason for an interrupt, because the next
// call can make them.
func (c *Campaign) RecordSkipped(steps []Step, code exitcode.Code) error {
	d, err := c.readRecorded()
	if err != nil || code == exitcode.Interrupted {
		return err
	}
	var runs []record.Run
	for _, rec := range d.Runs {
		mine := rec.Model == c.model && slices.ContainsFunc(steps, func(s Step) bool {
			return s.runKey() == runKey{rec.Scenario, rec.Mode, rec.Test}
		})
		if mine && rec.Status == record.NotRun && rec.ExitCode != int(code) {
			rec.Skip(code)
			runs = append(runs, rec)
		}
	}
	return bench.Record(c.Request.Output.Dir, runs...)
}
