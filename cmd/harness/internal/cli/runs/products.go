package runs

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/export"
	"github.com/plumbline-ml/plumbline/bench/serving/load"
	"github.com/plumbline-ml/plumbline/bench/serving/measure"
	"github.com/plumbline-ml/plumbline/bench/serving/prompts"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/also"
)

// products writes each scenario of the runs in the form of the endpoints harness, where the benchmark is asked for in
// that form: the timed run, and the accuracy, each measured now or before.
func (s *session) products(d record.Document) error {
	if !s.plan.InEndpointsForm() || s.plan.Out == "" || s.plan.LoadGen != nil {
		return nil
	}
	var scenarios []string
	for i := range d.Runs {
		if dir, ok := scenarioOf(&d.Runs[i]); ok && !slices.Contains(scenarios, dir) {
			scenarios = append(scenarios, dir)
		}
	}
	var faults []error
	for _, scenario := range scenarios {
		faults = append(faults, sdk.Usage(s.productsOf(scenario)))
	}
	return errors.Join(faults...)
}

// scenarioOf is the folder of a run's scenario, with slashes; not ok: the run has no part in a result.
func scenarioOf(r *record.Run) (dir string, ok bool) {
	switch {
	case r.Status != record.Complete || r.Test != "":
	case r.Mode == bench.ModePerformance && r.Performance != nil && r.Effective != nil:
		return path.Dir(path.Dir(r.Dir)), true
	case r.Mode == bench.ModeAccuracy && r.Accuracy != nil:
		return path.Dir(r.Dir), true
	}
	return "", false
}

func (s *session) productsOf(scenario string) error {
	dir := filepath.Join(s.plan.Out, filepath.FromSlash(scenario))
	d, err := record.Read(filepath.Join(dir, record.FileName))
	if err != nil {
		return err
	}
	var timed, scored *record.Run
	for i := range d.Runs {
		r := &d.Runs[i]
		if of, ok := scenarioOf(r); !ok || of != scenario {
			continue
		}
		if r.Performance != nil {
			timed = r
		} else {
			scored = r
		}
	}
	if timed == nil {
		return nil
	}
	run, err := s.productsRun(timed)
	if err != nil {
		return err
	}
	if scored != nil && len(scored.Accuracy.Metrics) > 0 && scored.Workload != nil {
		run.Products.Score = &also.Score{
			Value: float64(scored.Accuracy.Metrics[0].Value), Samples: scored.Accuracy.Samples,
			Size: scored.Workload.DatasetSize, Took: time.Duration(scored.Duration * float64(time.Second)),
		}
	}
	return writeEndpoints(dir, timed, run)
}

// productsRun is a timed run, as the harness would have made it.
func (s *session) productsRun(r *record.Run) (also.Run, error) {
	settings := r.Effective
	run := also.Run{
		Load: load.Pattern{Kind: load.Maximum, Seed: settings.ScheduleRNGSeed}, API: prompts.Chat,
		MaxTokens: s.plan.Served.Model.Endpoints.MaxTokens, Data: s.endpointsData(r),
		Products: &also.Products{
			DataSeed: settings.SampleIndexRNGSeed, Least: time.Duration(settings.MinDurationMS) * time.Millisecond,
		},
	}
	if r.Scenario == loadgen.Server.String() {
		run.Load.Kind, run.Load.Arrival, run.Load.PerSecond = load.Rate, load.Poisson, float64(settings.TargetQPS)
		run.Stream = true
	}
	var err error
	run.Requests, err = readQueries(filepath.Join(s.plan.Out, filepath.FromSlash(r.Dir), export.JSONLName), run.Stream)
	if n := len(run.Requests); err == nil && uint64(n) != r.Performance.Samples {
		err = fmt.Errorf("%s/%s has %d of %d queries: the files of the endpoints harness are not written; leave "+
			"--export-rows out", r.Dir, export.JSONLName, n, r.Performance.Samples)
	}
	run.Load.Requests = len(run.Requests)
	return run, err
}

// readQueries reads an export as requests to a server, in the order in which they were issued.
func readQueries(name string, stream bool) ([]measure.Request, error) {
	f, err := bounded.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	var all []measure.Request
	for rows := json.NewDecoder(bufio.NewReaderSize(f, 1<<16)); ; {
		var row export.Row
		switch err := rows.Decode(&row); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("%s: row %d: %w", name, len(all), err)
		}
		all = append(all, requestOf(row, len(all), stream))
	}
}

func requestOf(row export.Row, index int, stream bool) measure.Request {
	q := measure.Request{
		Index: index, Row: int(row.Index), Due: row.Scheduled, Sent: row.Issued, End: row.Issued, Whole: !stream,
		Status: measure.Unfinished, Usage: measure.NoUsage(), Retokenized: measure.Unknown, AskedIn: measure.Unknown,
		AskedOut: measure.Unknown,
	}
	if row.Completed != nil {
		q.End, q.Status = *row.Completed, measure.OK
	}
	if row.Tokens != nil {
		q.Usage.Completion = *row.Tokens
	}
	if row.FirstToken != nil {
		q.Events.Add(measure.Event{At: *row.FirstToken, Kind: measure.Content, Text: true})
	}
	return q
}
