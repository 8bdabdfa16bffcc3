package results

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/loadgen/official"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// AccuracyText is the name of the file with the metric of an accuracy log, in the log's folder.
const AccuracyText = "accuracy.txt"

// listedFiles contains the names of a run's files that its record lists.
var listedFiles = []string{mllog.SummaryFile, mllog.DetailFile, mllog.AccuracyFile, mllog.TraceFile, AccuracyText}

// ReadBare makes a record from the logs of the official LoadGen or ours in a folder without a record. It contains the
// measurements and verdicts, but not model, data and machine. If there is no detail log, the error wraps
// fs.ErrNotExist. A log without an end belongs to an unfinished run.
func ReadBare(dir string) (record.Run, error) {
	path := filepath.Join(dir, mllog.DetailFile)
	in, err := bounded.Open(path)
	if err != nil {
		return record.Run{}, err
	}
	defer in.Close()
	detail, err := mllog.ScanDetail(in)
	if err == nil && detail.Text {
		err = addSummary(detail, dir)
	}
	if err != nil {
		return record.Run{}, fmt.Errorf("%s: %w", path, err)
	}
	run, err := recordOfDetail(detail)
	if err != nil {
		return record.Run{}, fmt.Errorf("%s: %w", path, err)
	}
	run.Dir = "."
	run.Files, err = listLogs(dir)
	return run, err
}

// addSummary adds the results of the summary in the folder of a detail log. A run that ended early may have no summary.
func addSummary(d *mllog.Detail, dir string) error {
	in, err := bounded.Open(filepath.Join(dir, mllog.SummaryFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	s, err := mllog.ReadSummary(in)
	if err != nil {
		return fmt.Errorf("its results are in %s: %w", mllog.SummaryFile, err)
	}
	d.AddSummary(s)
	return nil
}

// recordOfDetail makes the record of a detail log.
func recordOfDetail(d *mllog.Detail) (record.Run, error) {
	l := bareLog{d}
	scenario, err1 := loadgen.ParseScenario(l.textValue("effective_scenario"))
	mode, err2 := loadgen.ParseMode(l.textValue("effective_test_mode"))
	if err := errors.Join(err1, err2); err != nil {
		return record.Run{}, fmt.Errorf("the log has no settings: %w", err)
	}
	run := record.Run{
		Model: "unknown", Scenario: scenario.String(), Mode: modeName(mode),
		Settings: l.listSettings(), Status: record.Unfinished, Verdict: "UNFINISHED",
	}
	if version := l.textValue("loadgen_version"); !strings.HasPrefix(version, ownLoadGen) {
		run.LoadGen = &record.LoadGen{Name: "official", Version: version, Logged: true}
	}
	res := &loadgen.Result{Requested: loadgen.TestSettings{Scenario: scenario, Mode: mode},
		Effective: l.effectiveSettings()}
	res.Effective.Scenario, res.Effective.Mode = scenario, mode
	res.Requested.UseTokenLatencies = l.boolValue("requested_use_token_latencies")
	res.Requested.ServerTTFTLatency = time.Duration(l.uintValue("requested_server_ttft_latency"))
	res.Requested.ServerTPOTLatency = time.Duration(l.uintValue("requested_server_tpot_latency"))
	if err := official.Read(d, res); err != nil {
		run.Notes = []record.Finding{{About: "log", Text: err.Error()}}
		return run, nil
	}
	run.Status, run.Verdict = record.Complete, "no target"
	if mode != loadgen.AccuracyOnly {
		run.Verdict = string(res.Verdict)
	}
	run.FromResult(res)
	return run, nil
}

// ownLoadGen is the prefix of the version of this project's LoadGen.
const ownLoadGen = "plumbline"

func modeName(m loadgen.Mode) string {
	switch m {
	case loadgen.AccuracyOnly:
		return "accuracy"
	case loadgen.FindPeakPerformance:
		return "findpeak"
	}
	return "performance"
}

// bareLog reads the entries of a detail log as values. Absent entries have zero values.
type bareLog struct{ *mllog.Detail }

func (l bareLog) textValue(key string) string {
	e, _ := l.First(key)
	text, _ := e.Text()
	return text
}

func (l bareLog) uintValue(key string) uint64 {
	e, _ := l.First(key)
	n, _ := e.Uint()
	return n
}

func (l bareLog) floatValue(key string) float64 {
	e, _ := l.First(key)
	v, _ := e.Float()
	return v
}

func (l bareLog) boolValue(key string) bool {
	e, _ := l.First(key)
	v, _ := e.Value.(bool)
	return v
}

func (l bareLog) effectiveSettings() loadgen.EffectiveSettings {
	ms := func(key string) time.Duration { return time.Duration(l.uintValue(key)) * time.Millisecond }
	return loadgen.EffectiveSettings{
		SamplesPerQuery: l.uintValue("effective_samples_per_query"), TargetQPS: l.floatValue("effective_target_qps"),
		TargetLatency:           time.Duration(l.uintValue("effective_target_latency_ns")),
		TargetLatencyPercentile: l.floatValue("effective_target_latency_percentile"),
		MaxAsyncQueries:         l.uintValue("effective_max_async_queries"),
		TargetDuration:          ms("effective_target_duration_ms"),
		MinDuration:             ms("effective_min_duration_ms"), MaxDuration: ms("effective_max_duration_ms"),
		MinQueryCount: l.uintValue("effective_min_query_count"), MaxQueryCount: l.uintValue("effective_max_query_count"),
		MinSampleCount: l.uintValue("effective_min_sample_count"), QSLRNGSeed: l.uintValue("effective_qsl_rng_seed"),
		SampleIndexRNGSeed:     l.uintValue("effective_sample_index_rng_seed"),
		ScheduleRNGSeed:        l.uintValue("effective_schedule_rng_seed"),
		AccuracyLogRNGSeed:     l.uintValue("effective_accuracy_log_rng_seed"),
		PerformanceSampleCount: l.uintValue("effective_performance_sample_count"),
		AccuracySampleCount:    l.uintValue("effective_accuracy_sample_count"),
	}
}

// effectiveNames are the settings with the prefix "effective_" in a log.
var effectiveNames = []string{"scenario", "test_mode", "samples_per_query", "target_qps", "target_latency_ns",
	"target_latency_percentile", "max_async_queries", "target_duration_ms", "min_duration_ms", "max_duration_ms",
	"min_query_count", "max_query_count", "min_sample_count", "qsl_rng_seed", "sample_index_rng_seed",
	"schedule_rng_seed", "accuracy_log_rng_seed", "accuracy_log_probability", "performance_sample_count",
	"accuracy_sample_count", "sample_concatenate_permutation"}

// listSettings returns the settings under the log's names, and the name of the system under test.
func (l bareLog) listSettings() []record.Setting {
	all := []record.Setting{{Key: "sut_name", Value: l.textValue("sut_name"), Origin: "as the detail log says"}}
	for _, key := range effectiveNames {
		if e, ok := l.First("effective_" + key); ok {
			all = append(all, record.Setting{Key: key, Value: fmt.Sprint(e.Value), Origin: "as used, by the detail log"})
		}
	}
	if text := l.sampleOrder(); text != "" {
		all = append(all, record.Setting{Key: "sample_order", Value: text, Origin: "by the samples that were loaded first"})
	}
	return all
}

// sampleOrder returns the name of the order in which the samples were drawn. It is "" if none were drawn or the order
// is not fixed.
func (l bareLog) sampleOrder() string {
	if len(l.FirstLoaded) == 0 || l.textValue("effective_test_mode") == loadgen.AccuracyOnly.String() {
		return ""
	}
	found := loadgen.SampleOrderOf(l.FirstLoaded, l.uintValue("qsl_reported_total_count"),
		l.uintValue("effective_performance_sample_count"), l.uintValue("effective_qsl_rng_seed"))
	if len(found) == 0 {
		return "none of those that are known"
	}
	names := make([]string, len(found))
	for i, order := range found {
		names[i] = order.String()
	}
	return strings.Join(names, ", or ")
}

// listLogs returns the logs with their checksums.
func listLogs(dir string) ([]record.File, error) {
	var all []record.File
	for _, name := range listedFiles {
		sum, size, err := checksum.File(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, record.File{Path: name, Size: size, SHA256: sum})
	}
	return all, nil
}
