package audit

import (
	"context"
	"io/fs"
	"os"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// Logs contains the paths of a run's logs.
type Logs struct{ Accuracy, Detail, Summary string }

// ResultLogs returns the logs of a submission's runs in a scenario's folder with accuracy/ and performance/run_1/.
func ResultLogs(folder string) Logs {
	l := logsIn(evidence.JoinPaths(folder, tree.PerformanceDir, tree.RunDir))
	l.Accuracy = evidence.JoinPaths(folder, tree.AccuracyDir, tree.AccuracyLog)
	return l
}

// RunLogs returns the logs of an audit's run, in accuracy/ and performance/run_1/ below folder, as in a submission, or
// in folder itself. The location of the detail log decides, because a stray accuracy log does not make a run. If a log
// exists only in the other location, that path is returned.
func RunLogs(folder string) Logs {
	first, second := logsIn(folder), ResultLogs(folder)
	if !pathExists(first.Detail) && (pathExists(second.Detail) || pathExists(second.Accuracy) ||
		pathExists(second.Summary)) {
		first, second = second, first
	}
	return Logs{Accuracy: existingPath(first.Accuracy, second.Accuracy), Detail: existingPath(first.Detail, second.Detail),
		Summary: existingPath(first.Summary, second.Summary)}
}

// existingPath returns the first path, or the second if only that exists.
func existingPath(first, second string) string {
	if !pathExists(first) && pathExists(second) {
		return second
	}
	return first
}

func logsIn(folder string) Logs {
	return Logs{
		Accuracy: evidence.JoinPaths(folder, tree.AccuracyLog), Detail: evidence.JoinPaths(folder, tree.DetailLog),
		Summary: evidence.JoinPaths(folder, tree.SummaryLog),
	}
}

func pathExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Request describes an audit to judge. All tests require Test and Run. The other fields depend on the test.
type Request struct {
	Test     string        // "TEST01", ...
	Rules    *mlconf.Rules // nil: the newest round
	Model    string        // name in the rules, or LoadGen's key; empty: settings of models are not compared
	Scenario string        // "Offline", "Interactive", ...; empty: from the run's log
	// logs of the submission's accuracy and performance runs; not used by TEST06, TEST07 and TEST09
	Reference Logs
	Run       Logs // logs of the audit's run
	// DType is the type of the payloads' elements: byte, float32, int16, int32 or int64. Empty: the test's default, which
	// is byte for TEST01 and int32 for tokens.
	DType string
	// PerformanceOnly skips checks of accuracy logs, which are truncated in a packed submission.
	PerformanceOnly bool

	EOS       string   // TEST06's end tokens, separated by commas; empty: 2
	Tolerance *float64 // TEST08's relative tolerance of the normalised entropy; nil: 0.001
	Threshold *float64 // TEST07's minimum accuracy; nil: from the audit.config, or else the round
	MinTokens *float64 // TEST09's limits; nil as for Threshold
	MaxTokens *float64
	// Config replaces the round's configuration of the test; nil: the round's.
	Config      *Config
	AuditConfig string // path of an audit.config with limits; empty: the round's limits

	// Score scores an accuracy log, for TEST07 and for TEST01's comparison of accuracies. Command is an alternative: a
	// shell command line in which {accuracy_log} is replaced with the log's path. The first match of Pattern in its output
	// is the score. An empty Pattern is the official one, 'exact_match': NUMBER.
	Score   func(ctx context.Context, accuracyLog string) (Score, error)
	Command string
	Pattern string
}

// comparesTwo reports whether the test is TEST04 of a round before v2.1, which compares two runs of its own. Reference
// is the run that issues each sample once, Run the one that repeats one sample.
func (r Request) comparesTwo() bool {
	return r.Test == tree.Caching && r.Rules != nil && r.Rules.AuditFeatures().CachingInTwo
}

// Score is the result of a benchmark's scorer for an accuracy log.
type Score struct {
	Text string // output in the form of the official program, as in accuracy.txt
	// by the rules' names, such as "acc", "F1" and "exact_match", in the units of the rules' targets
	Metrics map[string]float64
}

// checkReadable returns an error if a file is missing, a folder, or not a regular file.
func checkReadable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return &fs.PathError{Op: "read", Path: path, Err: errIrregular}
	}
	return nil
}
