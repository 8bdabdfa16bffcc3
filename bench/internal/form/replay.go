package form

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/plan"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/record/requests"
	"github.com/plumbline-ml/plumbline/internal/serving/formats"
	"github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
)

// writeReplays writes each replay among the runs in its official form, that of the endpoints harness, with the
// scenario's accuracy from this plan or earlier ones.
func writeReplays(p *plan.Plan, d record.Document) error {
	var faults []error
	for i := range d.Runs {
		r := &d.Runs[i]
		if r.Serving != nil && r.Serving.Replay != nil && len(r.Serving.Replay.Scores) > 0 {
			faults = append(faults, sdk.Usage(writeReplay(p, r)))
		}
	}
	return errors.Join(faults...)
}

func writeReplay(p *plan.Plan, r *record.Run) error {
	dir := filepath.Join(p.Out, filepath.FromSlash(r.Dir))
	scores, err := bounded.ReadFile(filepath.Join(dir, endpoints.Folder, endpoints.ScoresFile), maxFileSize)
	if err != nil {
		return err
	}
	f, err := bounded.Open(filepath.Join(dir, requests.JSONLName))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // opened only for reading
	all, err := requests.Read(f)
	if err != nil {
		return err
	}
	run := replayConfig(p, r)
	run.Requests = all
	conversations := map[string]bool{}
	for _, q := range all {
		conversations[q.Session] = true
	}
	run.Agentic.Conversations, run.Agentic.Turns = len(conversations), r.Serving.Replay.Turns
	run.Agentic.Scores, run.Agentic.Score = scores, float64(r.Serving.Replay.Scores[0].Value)
	if run.Agentic.Calls, err = readCalls(filepath.Dir(dir), path.Dir(r.Dir), p.Out); err != nil {
		return err
	}
	return writeFiles(filepath.Dir(dir), r, run)
}

// replayConfig returns the configuration of a replay. The model's parameters determine the values of the endpoints
// harness's keys.
func replayConfig(p *plan.Plan, r *record.Run) endpoints.Run {
	model := p.Served.Model
	params, values := model.ParamValues(p.Embedded, r.Options.Params), map[string]string{}
	for key, name := range model.ParamsOf(sdk.RoleReplay) {
		values[key] = params[name]
	}
	run := endpoints.ReplayOf(values)
	run.Data, run.Interrupted = endpointsData(model, r), r.Status == record.Interrupted
	a, written := run.Agentic, writtenSettings(r)
	a.MaxDuration = plan.ReplayTime
	if v, ok := written["min_duration"]; ok {
		a.MinDuration = time.Duration(v) * time.Millisecond
	}
	if v, ok := written["max_duration"]; ok {
		a.MaxDuration = time.Duration(v) * time.Millisecond
	}
	if v, ok := written["sample_index_rng_seed"]; ok {
		a.DataSeed = v
	}
	if v, ok := written["schedule_rng_seed"]; ok {
		run.Load.Seed = v
	}
	return run
}

// writtenSettings returns the settings of a replay that the user set, by key: seeds and milliseconds.
func writtenSettings(r *record.Run) map[string]uint64 {
	written := map[string]uint64{}
	for _, s := range r.Settings {
		if v, err := strconv.ParseUint(s.Value, 10, 64); err == nil {
			written[s.Key] = v
		}
	}
	return written
}

// endpointsData returns the data set of a run, under its name in the endpoints harness's configurations if it has one,
// or else under its own name.
func endpointsData(model sdk.ModelInfo, r *record.Run) formats.Data {
	name := r.Model
	if r.Workload != nil {
		name = r.Workload.Dataset
	}
	if r.Options.Dataset != "" {
		for _, d := range model.DatasetsFor(sdk.UsePerformance, false) {
			name = cmp.Or(d.EndpointsName, name)
		}
	}
	return formats.Data{Name: name, Path: r.Options.Dataset}
}

// writeFiles writes the files of the endpoints harness to a scenario's folder, with the server that was used.
func writeFiles(scenario string, r *record.Run, run endpoints.Run) error {
	run.Model, run.Label, run.Began = r.Model, r.Model, r.Started
	run.Version, run.Commit = r.Harness.Version, r.Harness.Commit
	if w := r.Workload; w != nil && w.BackendInfo["model"] != "" {
		run.Model = w.BackendInfo["model"]
	}
	run.Servers = strings.FieldsFunc(r.Options.BackendOptions["url"], func(c rune) bool { return c == ',' })
	out := filepath.Join(scenario, endpoints.Folder)
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	if err := endpoints.Write(out, run); err != nil {
		return fmt.Errorf("the files of the endpoints harness: %w", err)
	}
	return nil
}

// readCalls returns the accuracy of function calls in a scenario's result.json; nil: none.
func readCalls(dir, scenario, out string) (*endpoints.CallAccuracy, error) {
	d, err := record.Read(filepath.Join(dir, "result.json"))
	if err != nil {
		return nil, err
	}
	for i := range d.Runs {
		r := &d.Runs[i]
		if r.Accuracy == nil || r.Status != record.Complete || path.Dir(r.Dir) != scenario {
			continue
		}
		calls := filepath.Join(out, filepath.FromSlash(r.Dir), endpoints.Folder, endpoints.CallsFile)
		text, err := bounded.ReadFile(calls, maxFileSize)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil || !json.Valid(text) {
			return nil, errors.Join(err, fmt.Errorf("%s: the score of function calls is no JSON", r.Dir))
		}
		return &endpoints.CallAccuracy{Entry: text, Took: time.Duration(r.Duration * float64(time.Second))}, nil
	}
	return nil, nil
}
