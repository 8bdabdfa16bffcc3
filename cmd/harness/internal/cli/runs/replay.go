package runs

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

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/record/requests"
	"github.com/plumbline-ml/plumbline/bench/serving/arrival"
	"github.com/plumbline-ml/plumbline/bench/serving/formats"
	"github.com/plumbline-ml/plumbline/bench/serving/formats/endpoints"
	"github.com/plumbline-ml/plumbline/bench/serving/prompts"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
)

// endpointsFolder is where the files of a replay lie in the form of the endpoints harness, below its scenario's folder.
const endpointsFolder = "endpoints"

// mostOf bounds files that are read back.
const mostOf = 1 << 30

// endpoints writes each replay among the runs in the form of the endpoints harness, which is the official one, with the
// accuracy that was measured beside it, now or before.
func (s *session) endpoints(d record.Document) error {
	var faults []error
	for i := range d.Runs {
		r := &d.Runs[i]
		if r.Serving != nil && r.Serving.Replay != nil && len(r.Serving.Replay.Scores) > 0 {
			faults = append(faults, sdk.Usage(s.endpointsOf(r)))
		}
	}
	return errors.Join(faults...)
}

func (s *session) endpointsOf(r *record.Run) error {
	dir := filepath.Join(s.plan.Out, filepath.FromSlash(r.Dir))
	scores, err := bounded.ReadFile(filepath.Join(dir, endpointsFolder, "scores.json"), mostOf)
	if err != nil {
		return err
	}
	f, err := bounded.Open(filepath.Join(dir, requests.JSONLName))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // opened for reading
	all, err := requests.Read(f)
	if err != nil {
		return err
	}
	p := s.plan.Served.Model.ParamValues(s.plan.Embedded, r.Options.Params)
	tokens, _ := strconv.Atoi(p["max_new_tokens"])
	timeout, _ := strconv.Atoi(p["turn_timeout"])
	seed, _ := strconv.ParseUint(p["seed"], 10, 64)
	written := writtenSettings(r)
	least, most := time.Duration(0), bench.ReplayTime
	if v, ok := written["min_duration"]; ok {
		least = time.Duration(v) * time.Millisecond
	}
	if v, ok := written["max_duration"]; ok {
		most = time.Duration(v) * time.Millisecond
	}
	dataSeed := seed
	if v, ok := written["sample_index_rng_seed"]; ok {
		dataSeed = v
	}
	if v, ok := written["schedule_rng_seed"]; ok {
		seed = v
	}
	conversations := map[string]bool{}
	for _, q := range all {
		conversations[q.Session] = true
	}
	run := endpoints.Run{Run: formats.Run{
		Requests: all, Load: arrival.Pattern{Kind: arrival.Users, Users: 1, Sessions: true, Seed: seed}, API: prompts.Chat,
		Stream: true, MaxTokens: tokens, Fields: map[string]string{"temperature": p["temperature"], "seed": p["seed"]},
		Data:        endpointsData(s.plan.Served.Model, r),
		Interrupted: r.Status == record.Interrupted,
	},
		Agentic: &endpoints.Agentic{
			Conversations: len(conversations), Timeout: time.Duration(timeout) * time.Second,
			Least: least, Most: most, DataSeed: dataSeed,
			Turns: r.Serving.Replay.Turns, Scores: scores, Score: float64(r.Serving.Replay.Scores[0].Value),
		},
	}
	if run.Agentic.Calls, err = callsBeside(filepath.Dir(dir), path.Dir(r.Dir), s.plan.Out); err != nil {
		return err
	}
	return writeEndpoints(filepath.Dir(dir), r, run)
}

// writtenSettings are the settings of a replay that a user wrote, by their keys: seeds and milliseconds.
func writtenSettings(r *record.Run) map[string]uint64 {
	written := map[string]uint64{}
	for _, s := range r.Settings {
		if v, err := strconv.ParseUint(s.Value, 10, 64); err == nil {
			written[s.Key] = v
		}
	}
	return written
}

// endpointsData is the data set of a run under its name in that harness's configurations, or else its own.
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

// writeEndpoints writes the files of the endpoints harness below a scenario's folder, with the server that was asked.
func writeEndpoints(scenario string, r *record.Run, run endpoints.Run) error {
	v := shell.Version()
	run.Model, run.Label, run.Version, run.Commit, run.Began = r.Model, r.Model, v.Version, v.Commit, r.Started
	if w := r.Workload; w != nil && w.BackendInfo["model"] != "" {
		run.Model = w.BackendInfo["model"]
	}
	run.Servers = strings.FieldsFunc(r.Options.BackendOptions["url"], func(c rune) bool { return c == ',' })
	out := filepath.Join(scenario, endpointsFolder)
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	if err := endpoints.Write(out, run); err != nil {
		return fmt.Errorf("the files of the endpoints harness: %w", err)
	}
	return nil
}

// callsBeside is the accuracy of function calls that a scenario's result.json has; nil: it has none.
func callsBeside(dir, scenario, out string) (*endpoints.Calls, error) {
	d, err := record.Read(filepath.Join(dir, "result.json"))
	if err != nil {
		return nil, err
	}
	for i := range d.Runs {
		r := &d.Runs[i]
		if r.Accuracy == nil || r.Status != record.Complete || path.Dir(r.Dir) != scenario {
			continue
		}
		text, err := bounded.ReadFile(filepath.Join(out, filepath.FromSlash(r.Dir), endpointsFolder, "bfcl_v4.json"), mostOf)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil || !json.Valid(text) {
			return nil, errors.Join(err, fmt.Errorf("%s: the score of function calls is no JSON", r.Dir))
		}
		return &endpoints.Calls{Entry: text, Took: time.Duration(r.Duration * float64(time.Second))}, nil
	}
	return nil, nil
}
