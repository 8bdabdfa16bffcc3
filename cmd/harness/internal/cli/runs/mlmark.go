package runs

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"reflect"

	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/internal/terminal"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/mlmark"
	"github.com/plumbline-ml/plumbline/internal/closedloop"
	"github.com/plumbline-ml/plumbline/internal/submission/campaign"
)

// taskRequest sets the fields of a request for a task.
func taskRequest(t mlmark.Task, r *bench.Request) error {
	r.Model.Batch, r.Model.Sessions = t.Batch, t.Concurrency
	r.Load.Mode, r.Load.Scenarios = bench.ModePerformance,
		[]string{"SingleStream"} // one query at a time, which may use the whole machine
	switch {
	case t.Mode == mlmark.Accuracy:
		r.Load.Mode, r.Load.Scenarios, r.Model.Sessions = bench.ModeAccuracy, []string{"Offline"}, 0
		r.Model.MLMark = t.IsMLMarkWorkload()
	case t.Concurrency > 1:
		r.Load.Scenarios = []string{"Offline"}
	}
	if len(r.Model.Files) == 0 {
		r.Model.Precision = t.Precision
	} else {
		r.Output.PrecisionLabel = t.Precision
	}
	switch {
	case t.Hardware == "cpu" || len(r.Model.Devices) > 0:
	case t.Hardware == "gpu":
		r.Model.Devices = []string{"cuda:0"}
	default:
		return fmt.Errorf("hardware %s: say which device of the backend that is (device: NAME; harness describe lists them)",
			t.Hardware)
	}
	return nil
}

// makeTask runs a task, unless its folder already contains the result.
func (s *suiteRun) makeTask(ctx context.Context, j suiteJob, r *suiteResult) {
	d, err := s.task(ctx, j)
	s.storeOutcome(j, r, d.Run, err)
	if err != nil {
		return
	}
	if !s.flags.json {
		for _, n := range d.Task.Notes {
			fmt.Fprintf(s.Stdout, "    note: %s\n", n)
		}
	}
	s.tasks = append(s.tasks, d)
}

// task returns the document of a task, which it measures or reads.
func (s *suiteRun) task(ctx context.Context, j suiteJob) (mlmark.TaskDocument, error) {
	if j.Task.Mode == mlmark.Accuracy {
		return s.accuracyTask(ctx, j)
	}
	p, err := bench.NewPlan(ctx, j.request)
	if err != nil {
		return mlmark.TaskDocument{}, err
	}
	if d, err := mlmark.Read(j.request.Output.Dir); err == nil && !s.flags.Output.Force &&
		reflect.DeepEqual(d.Task, *j.Task) {
		if other, err := p.Differs(d.Run); err == nil && other == "" {
			_ = bench.Settle(j.request.Output.Dir) // tasks set no files aside
			return d, nil
		}
	}
	s.printed.plan = p
	defer s.MarkClosed()
	times, rec, err := p.Loop(ctx, closedloop.LoopPlan{
		Batch: j.Task.Batch, Concurrency: j.Task.Concurrency, Iterations: j.Task.Iterations,
	})
	if err != nil {
		return mlmark.TaskDocument{}, err
	}
	rec.Status, rec.Verdict = record.Complete, "measured"
	d := mlmark.TaskDocument{
		TaskResult: mlmark.TaskResult{Task: *j.Task, Scores: mlmark.TimeScores(*j.Task, times.Total, times.Each)},
		Raw:        rawTimes(times), WarmUp: times.WarmUp.Seconds(), Run: rec,
	}
	d.Backend = rec.Workload.Backend
	return d, sdk.Usage(d.Write(j.request.Output.Dir))
}

// rawTimes converts times to MLMark's form.
func rawTimes(t closedloop.LoopTimes) []float64 {
	all := []float64{t.Total.Seconds()}
	for _, d := range t.Each {
		all = append(all, d.Seconds())
	}
	return all
}

// accuracyTask runs an accuracy task and returns its metrics.
func (s *suiteRun) accuracyTask(ctx context.Context, j suiteJob) (d mlmark.TaskDocument, err error) {
	c := campaign.Campaign{Request: j.request, Run: s.printed.makeRuns, OnKept: s.printed.printRow}
	if d.Run, err = c.MakeRun(ctx, j.steps[0]); err != nil {
		return d, err
	}
	d.Task = *j.Task
	if d.Run.Workload != nil {
		d.Backend = d.Run.Workload.Backend
	}
	if d.Run.Accuracy != nil {
		for _, m := range d.Run.Accuracy.Metrics {
			if score, ok := j.Task.AccuracyScore(m.Name, m.Unit, float64(m.Value)); ok {
				d.Scores = append(d.Scores, score)
			}
		}
	}
	return d, sdk.Usage(d.Write(j.request.Output.Dir))
}

// writeTasks prints the table of all tasks and writes it as CSV into the suite's folder.
func (s *suiteRun) writeTasks() error {
	if len(s.tasks) == 0 {
		return nil
	}
	results := make([]mlmark.TaskResult, len(s.tasks))
	for i, d := range s.tasks {
		results[i] = d.TaskResult
	}
	path := filepath.Join(s.Out, "mlmark.csv")
	var csv bytes.Buffer
	err := mlmark.WriteCSV(&csv, results)
	if err == nil {
		err = wholefile.Write(path, csv.Bytes(), 0o644)
	}
	if err != nil || s.flags.json {
		return sdk.Usage(err)
	}
	fmt.Fprintln(s.Stdout)
	if err := mlmark.WriteTable(terminal.WriterTo(s.Stdout).WithColumns(0), results); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.Stdout, "\n%s\nAs CSV: %s\n", mlmark.Note, path)
	return err
}
