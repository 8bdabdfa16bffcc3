package endpoints

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// LoadGenRun contains the data that only LoadGen's runs of benchmarks have. Such a run uses the round's seeds.
type LoadGenRun struct {
	Metric          string            // the official metric of the score (mlconf.AccuracyMetric); empty: none
	DataSeed        uint64            // seed of the order of samples; Run.Load contains the seed of arrivals
	MinDuration     time.Duration     // min_duration
	Score           *DatasetAccuracy  // nil: no accuracy run
	AccuracySets    []AccuracySet     // data sets of an accuracy run with external scoring
	CachingRequests []metrics.Request // requests of TEST04, which repeats one sample; nil: it did not run
}

// AccuracySet is a data set of an accuracy run with the scoring of its answers, in the terms of the endpoints harness.
type AccuracySet struct {
	Name, Path                     string
	Method, GroundTruth, Extractor string
	Repeats                        int
}

// DatasetAccuracy is the accuracy of a data set.
type DatasetAccuracy struct {
	Value         *float64      // in the unit of this project's metric; nil: not scored yet
	Size, Samples int           // samples of the data set, and scored samples
	Took          time.Duration // 0: unknown
}

// callsMetric is the official metric of function calls, used to score replays.
const callsMetric = "overall_accuracy"

// scoringMethod returns the endpoints harness's scoring method for a run's metric. The method is empty if the run has
// no metric or the metric no method.
func scoringMethod(r Run) (mlconf.EndpointsMethod, error) {
	name := ""
	switch {
	case r.LoadGen != nil:
		name = r.LoadGen.Metric
	case r.Agentic != nil:
		name = callsMetric
	}
	if name == "" {
		return mlconf.EndpointsMethod{}, nil
	}
	m, err := mlconf.AccuracyMetricOf(name)
	if err != nil || m.Endpoints == nil {
		return mlconf.EndpointsMethod{}, err
	}
	return *m.Endpoints, nil
}

// accuracyConfigOf returns a method in the form of a configuration.
func accuracyConfigOf(m mlconf.EndpointsMethod) *accuracyConfig {
	return &accuracyConfig{Method: m.Method, GroundTruth: m.GroundTruth, Extractor: m.Extractor, Repeats: 1}
}

// setLoadGenRun adds the settings of a run by LoadGen to a configuration.
func (c *endpointsConfig) setLoadGenRun(r Run, method mlconf.EndpointsMethod) {
	d := r.LoadGen
	c.Endpoint.API = cmp.Or(method.API, c.Endpoint.API)
	if d.Score != nil {
		c.Datasets = append(c.Datasets, endpointsDataset{
			Name: r.Data.Name, Type: "accuracy", Path: r.Data.Path,
			Accuracy: accuracyConfigOf(method),
		})
	}
	for _, s := range d.AccuracySets {
		c.Datasets = append(c.Datasets, endpointsDataset{Name: s.Name, Type: AccuracyType, Path: s.Path,
			Accuracy: &accuracyConfig{Method: s.Method, GroundTruth: s.GroundTruth, Extractor: s.Extractor, Repeats: s.Repeats}})
	}
	runtime := &c.Settings.Runtime
	runtime.MinDuration, runtime.MaxDuration, runtime.DataSeed = d.MinDuration.Milliseconds(), 0, d.DataSeed
}

// writeLoadGenFiles writes the accuracy and the audit of a run by LoadGen. It removes those of an earlier run.
func (e *aggregatedPoint) writeLoadGenFiles(dir string, r Run) error {
	return errors.Join(e.writeScore(dir, r), e.writeCaching(dir, r))
}

func (e *aggregatedPoint) writeScore(dir string, r Run) error {
	s, method := r.LoadGen.Score, e.method
	if r.isReplay() { // a replay writes its own score
		return nil
	}
	if s == nil || s.Value == nil {
		return removeIfExists(filepath.Join(dir, filepath.FromSlash(AccuracyFile)))
	}
	value := *s.Value
	if method.Percent {
		value /= 100
	}
	entry := ScoreEntry{
		Dataset: r.Data.Name, GroundTruth: &method.GroundTruth, Score: value, Unit: s.Size, Repeats: 1, Samples: s.Samples,
		Took: s.Took.Seconds(), Complete: s.Samples == s.Size, Type: AccuracyType,
	}
	if method.ExtractorClass != "" {
		entry.Extractor = &method.ExtractorClass
	}
	return WriteScores(dir, []ScoreEntry{entry})
}

// removeIfExists removes a file if it exists.
func removeIfExists(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// cachingFile is the content of CachingFile, the result of the endpoints harness's TEST04.
type cachingFile struct {
	Test           string  `json:"test"`
	Passed         bool    `json:"passed"`
	Rate           float64 `json:"ref_qps"`
	AuditRate      float64 `json:"audit_qps"`
	Threshold      float64 `json:"threshold"`
	Completed      int     `json:"ref_completed"`
	Requested      int     `json:"ref_requested"`
	AuditCompleted int     `json:"audit_completed"`
	AuditRequested int     `json:"audit_requested"`
	Reason         string  `json:"reason"`
}

// maxCachingSpeedup contains the maximum relative speedup of a run that repeats one sample, by load type. The endpoints
// harness does not audit loads with a fixed rate, because caching does not change their rate.
var maxCachingSpeedup = map[string]float64{"max_throughput": 0.1, "concurrency": 0.2}

// writeCaching writes the audit by the endpoints harness's rule, which compares requests per second and numbers of
// answers.
func (e *aggregatedPoint) writeCaching(dir string, r Run) error {
	path := filepath.Join(dir, filepath.FromSlash(CachingFile))
	threshold, has := maxCachingSpeedup[e.pattern]
	if r.LoadGen.CachingRequests == nil || !has {
		return removeIfExists(path)
	}
	r.Requests = r.LoadGen.CachingRequests
	test, err := aggregatePoint(r)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(judgeCaching(e, &test, threshold), "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o666)
}

// judgeCaching compares the run of one repeated sample with the run of all samples.
func judgeCaching(all, one *aggregatedPoint, threshold float64) cachingFile {
	c := cachingFile{
		Test: "output_caching_test", Threshold: threshold, Completed: all.completed, Requested: len(all.samples),
		AuditCompleted: one.completed, AuditRequested: len(one.samples),
	}
	if rate, _ := all.throughputRates(); rate != nil {
		c.Rate = float64(*rate)
	}
	if rate, _ := one.throughputRates(); rate != nil {
		c.AuditRate = float64(*rate)
	}
	limit, least := c.Rate*(1+threshold), 1-threshold
	whole := float64(c.Completed) >= float64(c.Requested)*least &&
		float64(c.AuditCompleted) >= float64(c.AuditRequested)*least
	c.Passed = whole && c.AuditRate > 0 && c.AuditRate < limit
	switch {
	case !whole || c.AuditRate == 0:
		c.Reason = fmt.Sprintf("too little was answered: %d of %d, and %d of %d of the audit; %.0f %% must be", c.Completed,
			c.Requested, c.AuditCompleted, c.AuditRequested, 100*least)
	case c.Passed:
		c.Reason = fmt.Sprintf("audit_qps %.6g is below %.6g, ref_qps and %.0f %%", c.AuditRate, limit, 100*threshold)
	default:
		c.Reason = fmt.Sprintf("audit_qps %.6g is not below %.6g, ref_qps and %.0f %%", c.AuditRate, limit, 100*threshold)
	}
	return c
}

// accuracyFile is the content of AccuracyFile.
type accuracyFile struct {
	Average *float64     `json:"average_accuracy,omitempty"`
	All     []ScoreEntry `json:"accuracy_scores"`
}

// WriteScores writes AccuracyFile below a run's folder. The file contains the entries of the run's data sets and the
// mean of the numeric scores of accuracy runs.
func WriteScores(dir string, all []ScoreEntry) error {
	file, sum, n := accuracyFile{All: all}, 0.0, 0
	for _, e := range all {
		if score, is := e.Score.(float64); is && e.Type != PerformanceType {
			sum, n = sum+score, n+1
		}
	}
	if n > 0 {
		mean := sum / float64(n)
		file.Average = &mean
	}
	text, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, filepath.FromSlash(AccuracyFile))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o666)
}
