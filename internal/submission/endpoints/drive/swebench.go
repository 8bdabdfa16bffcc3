package drive

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/internal/serving/client"
	files "github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/sdk"
)

// SWEBenchKey is the environment variable with the key of the service for SWE-bench, if it requires one.
const SWEBenchKey = "SWEBENCH_SERVICE_AUTH_TOKEN"

// benchService is the official service that runs SWE-bench against a server (API version v1).
type benchService struct {
	url, key string
	client   *http.Client
	poll     time.Duration
}

// The official client's settings for the service, and limits of its replies.
const (
	benchVersion      = "v1"
	benchPoll         = 5 * time.Second
	benchReplyTimeout = 30 * time.Second
	benchTimeout      = 24 * time.Hour
	maxBenchReply     = 64 << 20
)

// benchCapabilities lists the required capabilities of the service.
var benchCapabilities = []string{"swebench.run", "swebench.cancel"}

// newBenchService returns the service at an address without a path or a user.
func newBenchService(address, key string) (*benchService, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("client.swe_bench_service is %q, want http://HOST:PORT", address)
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &benchService{url: u.Scheme + "://" + u.Host, key: key, poll: benchPoll,
		client: &http.Client{Timeout: benchReplyTimeout, CheckRedirect: stay}}, nil
}

// benchStatus is the service's status of a run.
type benchStatus struct {
	Run       string          `json:"run_id"`
	Status    string          `json:"status"`
	Phase     string          `json:"phase"`
	Agents    int             `json:"agent_completed"`
	Evaluated int             `json:"eval_completed"`
	Result    json.RawMessage `json:"result"`
	Error     json.RawMessage `json:"error"`

	Version      string   `json:"api_version"` // from /health
	Capabilities []string `json:"capabilities"`
}

// hasEnded reports whether a run has ended.
func (s *benchStatus) hasEnded() bool {
	return slices.Contains([]string{"succeeded", "failed", "cancelled"}, s.Status)
}

// sendRequest sends a request to the service.
func (b *benchService) sendRequest(ctx context.Context, method, path string, body any) (s benchStatus, err error) {
	var send io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return s, err
		}
		send = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, b.url+path, send)
	if err != nil {
		return s, err
	}
	request.Header.Set("Content-Type", "application/json")
	if b.key != "" {
		request.Header.Set("Authorization", "Bearer "+b.key)
	}
	reply, err := b.client.Do(request)
	if err != nil {
		return s, fmt.Errorf("the service for SWE-bench: %w", err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(io.LimitReader(reply.Body, maxBenchReply))
	switch {
	case err != nil:
		return s, fmt.Errorf("the service for SWE-bench: %w", err)
	case reply.StatusCode/100 != 2:
		return s, fmt.Errorf("the service for SWE-bench answers %s with %s: %.300s", path, reply.Status, text)
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("the service for SWE-bench answers %s with what is no JSON: %w", path, err)
	}
	return s, nil
}

// checkHealth requires the supported version of the API and the required capabilities.
func (b *benchService) checkHealth(ctx context.Context) error {
	s, err := b.sendRequest(ctx, http.MethodGet, "/health", nil)
	if err != nil {
		return err
	}
	if s.Version != benchVersion {
		return fmt.Errorf("the service for SWE-bench has version %q of its API, want %s", s.Version, benchVersion)
	}
	for _, name := range benchCapabilities {
		if !slices.Contains(s.Capabilities, name) {
			return fmt.Errorf("the service for SWE-bench cannot do %s", name)
		}
	}
	return nil
}

var runName = regexp.MustCompile(`\A[A-Za-z0-9_-]+\z`)

// executeRun submits a run and waits for its end. If it fails or ctx ends, it cancels the run.
func (b *benchService) executeRun(ctx context.Context, order map[string]any, tell func(s benchStatus)) (benchStatus,
	error) {
	waiting, done := context.WithTimeoutCause(ctx, benchTimeout,
		fmt.Errorf("SWE-bench takes longer than %v", benchTimeout))
	defer done()
	s, err := b.sendRequest(waiting, http.MethodPost, "/"+benchVersion+"/runs", order)
	if err != nil {
		return s, err
	}
	if !runName.MatchString(s.Run) {
		return s, fmt.Errorf("the service for SWE-bench names its run %q: want letters, digits, - and _", s.Run)
	}
	path := "/" + benchVersion + "/runs/" + s.Run
	for !s.hasEnded() && err == nil {
		tell(s)
		select {
		case <-waiting.Done():
			err = context.Cause(waiting)
		case <-time.After(b.poll):
			s, err = b.sendRequest(waiting, http.MethodGet, path, nil)
		}
	}
	if err != nil {
		cancelling, end := context.WithTimeout(context.WithoutCancel(ctx), benchReplyTimeout)
		defer end()
		_, errCancel := b.sendRequest(cancelling, http.MethodPost, path+"/cancel", nil)
		if ctx.Err() != nil {
			return s, context.Cause(ctx)
		}
		return s, errors.Join(err, errCancel)
	}
	if s.Status != "succeeded" {
		return s, fmt.Errorf("run %s of SWE-bench ended as %s: %.300s", s.Run, s.Status, s.Error)
	}
	return s, nil
}

// missingForBench returns what the plan lacks for SWE-bench, with advice; empty: nothing.
func (o *OwnClient) missingForBench() string {
	need := o.Accuracy.Settings.SWEBench.Instances
	if o.SWEBench == "" {
		return fmt.Sprintf("client.swe_bench_service of the plan is missing: start the official service for SWE-bench "+
			"(swebench_service of mlcommons/endpoints), which runs %d instances against the server, and give its address", need)
	}
	if o.Accuracy.Path == o.Prompts.File {
		return fmt.Sprintf("client.accuracy_set of the plan is missing: give the file of SWE-bench Verified, whose column "+
			"instance_id names the %d instances", need)
	}
	return ""
}

// measureSWEBench runs SWE-bench in the service at the point's concurrency, and adds its score to the inline score.
func (o *OwnClient) measureSWEBench(ctx context.Context, j PointJob) (run AccuracyRun, err error) {
	run.Began = time.Now()
	if run.Missing = o.missingForBench(); run.Missing != "" {
		return run, nil
	}
	settings := o.Accuracy.Settings.SWEBench
	instances, err := readInstances(o.Accuracy.Path, settings.Instances)
	if err != nil {
		return run, sdk.Data(err)
	}
	key := ""
	if o.Connection.Lookup != nil {
		key, _ = o.Connection.Lookup(SWEBenchKey)
	}
	service, err := newBenchService(o.SWEBench, key)
	if err != nil {
		return run, sdk.Usage(err)
	}
	if o.Poll > 0 {
		service.poll = o.Poll
	}
	server, err := o.Server(ctx)
	if err != nil {
		return run, err
	}
	if err := service.checkHealth(ctx); err != nil {
		return run, sdk.Data(err)
	}
	status, err := service.executeRun(ctx, o.benchRequest(j, server, instances), func(s benchStatus) {
		if j.Report != nil {
			j.Report(benchState{j.Point.Name(), s, len(instances)})
		}
	})
	switch {
	case ctx.Err() != nil:
		return run, context.Cause(ctx)
	case err != nil:
		return run, plugin.Fault(err)
	}
	run.Seconds = time.Since(run.Began).Seconds()
	entry, err := benchEntry(status.Result, len(instances))
	if err != nil {
		return run, plugin.Fault(err)
	}
	entry.Took = run.Seconds
	run.Scores = []string{describeEntry(entry)}
	return run, addBenchEntry(j.Dir, entry, status.Result)
}

// benchRequest returns the request to the service.
func (o *OwnClient) benchRequest(j PointJob, server ServerDescription, instances []string) map[string]any {
	params := map[string]json.RawMessage{}
	_ = json.Unmarshal(o.Accuracy.Settings.Params, &params) // checked when the rules were read
	order := map[string]any{"model_name": server.Model, "endpoint_urls": []string{o.Endpoint}, "endpoint_api_key": nil,
		"generation_params": params, "subset": "verified", "split": "test", "num_instances": len(instances),
		"workers": j.Point.Concurrency, "max_eval_workers": maxBenchGraders, "evaluated_instance_ids": instances,
		"template": "default"}
	if t := o.Accuracy.Settings.SWEBench.Template; t != "" {
		order["template"] = t
	}
	if name := o.Connection.Options["key_env"]; name != "" && o.Connection.Lookup != nil {
		if key, ok := o.Connection.Lookup(name); ok {
			order["endpoint_api_key"] = key
		}
	}
	return order
}

// maxBenchGraders is the maximum number of instances that the service grades at the same time.
const maxBenchGraders = 10

// benchState is the progress of SWE-bench.
type benchState struct {
	point  string
	status benchStatus
	all    int
}

// String returns the progress as a line for a log.
func (s benchState) String() string {
	return fmt.Sprintf("%s: accuracy: SWE-bench: %d of %d instances, %d graded", s.point, s.status.Agents, s.all,
		s.status.Evaluated)
}

// benchEntry returns the score: the share of resolved instances.
func benchEntry(result json.RawMessage, instances int) (files.ScoreEntry, error) {
	var counts struct {
		Submitted *int `json:"submitted_instances"`
		Resolved  *int `json:"resolved_instances"`
	}
	e := files.ScoreEntry{Dataset: endpoints.SWEBenchSet, Unit: instances, Repeats: 1, Samples: instances,
		Type: files.AccuracyType}
	if err := json.Unmarshal(result, &counts); err != nil || counts.Submitted == nil || counts.Resolved == nil {
		return e, fmt.Errorf("the result of SWE-bench has no submitted_instances and resolved_instances: %.300s", result)
	}
	submitted, resolved := *counts.Submitted, *counts.Resolved
	if resolved < 0 || resolved > submitted || submitted > instances || submitted == 0 {
		return e, fmt.Errorf("the result of SWE-bench contradicts itself: %d resolved and %d submitted of %d instances",
			resolved, submitted, instances)
	}
	e.Score, e.Complete = float64(resolved)/float64(instances), submitted == instances
	return e, nil
}

// benchResultFile contains the service's result.
const benchResultFile = "accuracy/swe_bench_results.json"

// addBenchEntry adds the score of SWE-bench to the point's scores, and writes benchResultFile.
func addBenchEntry(dir string, entry files.ScoreEntry, result json.RawMessage) error {
	text, err := bounded.ReadFile(filepath.Join(dir, filepath.FromSlash(files.AccuracyFile)), maxCurveSize)
	var scores struct {
		All []files.ScoreEntry `json:"accuracy_scores"`
	}
	if err == nil {
		err = json.Unmarshal(text, &scores)
	}
	if err != nil {
		return sdk.Data(fmt.Errorf("the point's %s: %w", files.AccuracyFile, err))
	}
	all := slices.DeleteFunc(scores.All, func(e files.ScoreEntry) bool { return e.Dataset == entry.Dataset })
	if err := files.WriteScores(dir, append(all, entry)); err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(dir, filepath.FromSlash(benchResultFile)), append(result, '\n'), 0o644)
}

// readInstances returns the first names in the column instance_id of a Parquet or JSON lines file.
func readInstances(file string, most int) (all []string, err error) {
	add := func(text []byte) error {
		var row struct {
			ID string `json:"instance_id"`
		}
		if err := json.Unmarshal(text, &row); err != nil || row.ID == "" {
			return fmt.Errorf("%s: row %d has no instance_id: want the instances of SWE-bench Verified", file, len(all)+1)
		}
		all = append(all, row.ID)
		return nil
	}
	if strings.HasSuffix(file, ".parquet") {
		t, err := client.OpenParquet(file)
		if err != nil {
			return nil, err
		}
		defer func() { _ = t.Close() }() // there is no buffered data
		for text, err := range t.Rows(func(column string) bool { return column == "instance_id" }) {
			if err == nil && len(all) < most {
				err = add(text)
			}
			if err != nil {
				return nil, err
			}
		}
		return all, nil
	}
	text, err := bounded.ReadFile(file, maxInstancesSize)
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) == 0 || len(all) == most {
			continue
		}
		if err := add(line); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s names no instance: want rows with instance_id", file)
	}
	return all, nil
}

// maxInstancesSize is the maximum size in bytes of a file of instances.
const maxInstancesSize = 256 << 20
