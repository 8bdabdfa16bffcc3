package form

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/record/results"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/plan"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/export"
	"github.com/plumbline-ml/plumbline/bench/record/judge"
	"github.com/plumbline-ml/plumbline/internal/serving/formats"
	"github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// writeDriven writes the endpoints harness's files for each scenario with LoadGen-driven runs, if that form was
// requested: the timed run, the accuracy and the audit, from this plan or earlier ones. If the form was not requested,
// it removes the files of timed runs that these runs replace.
func writeDriven(p *plan.Plan, d record.Document) error {
	if !p.InEndpointsForm() || p.LoadGen != nil {
		return removeStale(p, d)
	}
	var scenarios []string
	for i := range d.Runs {
		if dir, ok := scenarioOf(&d.Runs[i]); ok && !slices.Contains(scenarios, dir) {
			scenarios = append(scenarios, dir)
		}
	}
	var faults []error
	for _, scenario := range scenarios {
		faults = append(faults, sdk.Usage(endpointsForm{p.Out, p.Served.Model}.writeScenario(scenario)))
	}
	return errors.Join(faults...)
}

// removeStale removes the files of scenarios whose timed run was replaced by one without such files.
func removeStale(p *plan.Plan, d record.Document) error {
	var faults []error
	for i := range d.Runs {
		r := &d.Runs[i]
		if dir, ok := scenarioOf(r); ok && r.Test == "" && r.Performance != nil {
			faults = append(faults, os.RemoveAll(filepath.Join(p.Out, filepath.FromSlash(dir), endpoints.Folder)))
		}
	}
	return errors.Join(faults...)
}

// RewriteAccuracy rewrites the accuracy in a scenario's files of the endpoints harness, if there are any, after a log
// was scored again.
func RewriteAccuracy(log string, model sdk.ModelInfo) error {
	dir := filepath.Dir(filepath.Dir(log))
	if _, err := os.Stat(filepath.Join(dir, endpoints.Folder)); err != nil || model.Endpoints.MaxTokens == 0 {
		return nil //nolint:nilerr // most scenarios have no such files
	}
	d, err := record.Read(filepath.Join(dir, record.FileName))
	if err != nil {
		return err
	}
	for i := range d.Runs {
		if scenario, ok := scenarioOf(&d.Runs[i]); ok && d.Runs[i].Accuracy != nil {
			out := filepath.Join(dir, strings.Repeat("../", strings.Count(scenario, "/")+1))
			return endpointsForm{out, model}.writeScenario(scenario)
		}
	}
	return nil
}

// cachingTest is the only test that the endpoints harness also has.
const cachingTest = "TEST04"

// scenarioOf returns the folder of a run's scenario, with slashes. ok is false if the run is not part of a result.
func scenarioOf(r *record.Run) (dir string, ok bool) {
	timed := r.Mode == plan.ModePerformance && r.Performance != nil && r.Effective != nil
	switch {
	case r.Status != record.Complete:
	case timed && r.Test == cachingTest:
		return path.Dir(path.Dir(path.Dir(r.Dir))), true
	case r.Test != "":
	case timed:
		return path.Dir(path.Dir(r.Dir)), true
	case r.Mode == plan.ModeAccuracy && r.Accuracy != nil:
		return path.Dir(r.Dir), true
	}
	return "", false
}

// endpointsForm writes a model's runs in an output folder in the form of the endpoints harness.
type endpointsForm struct {
	out   string
	model sdk.ModelInfo
}

func (f endpointsForm) writeScenario(scenario string) error {
	dir := filepath.Join(f.out, filepath.FromSlash(scenario))
	d, err := record.Read(filepath.Join(dir, record.FileName))
	if err != nil {
		return err
	}
	var timed, scored, audit *record.Run
	for i := range d.Runs {
		r := &d.Runs[i]
		of, ok := scenarioOf(r)
		switch {
		case !ok || of != scenario:
		case r.Test != "":
			audit = r
		case r.Performance != nil:
			timed = r
		default:
			scored = r
		}
	}
	if timed == nil {
		return nil
	}
	run, err := f.timedRun(timed)
	if err != nil {
		return err
	}
	if scored != nil && scored.Workload != nil {
		if run.LoadGen.Score, err = f.accuracyScore(scored); err != nil {
			return err
		}
	}
	if audit != nil {
		if run.LoadGen.CachingRequests, err = f.readRequests(audit, run.Stream); err != nil {
			return err
		}
	}
	return writeFiles(dir, timed, run)
}

// timedRun returns a timed run in the form of the endpoints harness.
func (f endpointsForm) timedRun(r *record.Run) (endpoints.Run, error) {
	settings := r.Effective
	run := endpoints.Run{
		Run: formats.Run{
			Load: arrival.Pattern{Kind: arrival.Maximum, Seed: settings.ScheduleRNGSeed}, API: prompts.Chat,
			MaxTokens: f.model.Endpoints.MaxTokens, Data: endpointsData(f.model, r),
		},
		LoadGen: &endpoints.LoadGenRun{
			Metric: f.officialMetric(r), DataSeed: settings.SampleIndexRNGSeed,
			MinDuration: time.Duration(settings.MinDurationMS) * time.Millisecond,
		},
	}
	switch r.Scenario {
	case loadgen.Server.String():
		run.Load.Kind, run.Load.Arrival, run.Load.PerSecond = arrival.Rate, arrival.Poisson, float64(settings.TargetQPS)
		run.Stream = true
	case loadgen.SingleStream.String():
		run.Load.Kind, run.Load.Users = arrival.Users, 1
	}
	var err error
	run.Requests, err = f.readRequests(r, run.Stream)
	run.Load.Requests = len(run.Requests)
	return run, err
}

// officialMetric returns the first official metric of the model in a run's scenario, from the run's round or, if that
// round does not have the model, from the newest round that has it. It is empty if no round has the model.
func (f endpointsForm) officialMetric(r *record.Run) string {
	for _, round := range append([]string{r.Rules}, mlconf.RoundsWith(f.model.RulesKey)...) {
		rules, err := mlconf.Round(round)
		if err != nil {
			continue // the record is from another version of the harness
		}
		if targets := rules.Targets(f.model.RulesKey, r.Scenario); len(targets) > 0 {
			return targets[0].Metric
		}
	}
	return ""
}

// firstMetric returns the name of the model's first metric, which every result contains.
func (f endpointsForm) firstMetric() string {
	if len(f.model.Metrics) == 0 {
		return ""
	}
	return f.model.Metrics[0].Name
}

// readRequests returns the requests of a timed run.
func (f endpointsForm) readRequests(r *record.Run, stream bool) ([]metrics.Request, error) {
	all, err := readQueries(filepath.Join(f.out, filepath.FromSlash(r.Dir), export.JSONLName), stream)
	if n := len(all); err == nil && uint64(n) != r.Performance.Samples {
		err = fmt.Errorf("%s/%s has %d of %d queries: the files of the endpoints harness are not written; leave "+
			"--export-rows out", r.Dir, export.JSONLName, n, r.Performance.Samples)
	}
	return all, err
}

// accuracyScore returns an accuracy run's value of the first metric. It prefers accuracy.txt to the record, because
// accuracy.txt is newer if the log was scored again.
func (f endpointsForm) accuracyScore(r *record.Run) (*endpoints.DatasetAccuracy, error) {
	s := &endpoints.DatasetAccuracy{
		Samples: r.Accuracy.Samples, Size: r.Workload.DatasetSize, Took: time.Duration(r.Duration * float64(time.Second)),
	}
	name := f.firstMetric()
	text, err := bounded.ReadFile(filepath.Join(f.out, filepath.FromSlash(r.Dir), results.AccuracyText), maxFileSize)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	line := regexp.MustCompile("(?m)^\\{'" + regexp.QuoteMeta(name) + "': ([0-9.]+)\\}")
	if m := line.FindSubmatch(text); m != nil {
		value, err := strconv.ParseFloat(string(m[1]), 64)
		s.Value = &value
		return s, err
	}
	if i := slices.IndexFunc(r.Accuracy.Metrics, func(m judge.Metric) bool { return m.Name == name }); i >= 0 {
		value := float64(r.Accuracy.Metrics[i].Value)
		s.Value = &value
	}
	return s, nil
}

// readQueries reads an export as requests to a server, in the order of issue.
func readQueries(name string, stream bool) ([]metrics.Request, error) {
	f, err := bounded.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened only for reading
	var all []metrics.Request
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

func requestOf(row export.Row, index int, stream bool) metrics.Request {
	q := metrics.Request{
		Index: index, Row: int(row.Index), Due: row.Scheduled, Sent: row.Issued, End: row.Issued, Whole: !stream,
		Status: metrics.Unfinished, Usage: metrics.NoUsage(), Retokenized: metrics.Unknown, AskedIn: metrics.Unknown,
		AskedOut: metrics.Unknown,
	}
	if row.Completed != nil {
		q.End, q.Status = *row.Completed, metrics.OK
	}
	if row.Tokens != nil {
		q.Usage.Completion = *row.Tokens
	}
	if row.FirstToken != nil {
		q.Events.Add(metrics.StreamEvent{At: *row.FirstToken, Kind: metrics.Content, Text: true})
	}
	return q
}
