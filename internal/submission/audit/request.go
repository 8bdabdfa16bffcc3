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

// ResultLogs are the logs of a submission's runs in the folder of a scenario, with accuracy/ and performance/run_1/.
func ResultLogs(folder string) Logs {
	l := logsIn(evidence.Join(folder, tree.PerformanceDir, tree.RunDir))
	l.Accuracy = evidence.Join(folder, tree.AccuracyDir, tree.AccuracyLog)
	return l
}

// RunLogs are the logs of an audit's run: those in accuracy/ and performance/run_1/ below the folder, as a submission
// has them, or those in the folder itself. The detail log says which: a stray accuracy log beside makes no run. Of a
// log that lies in the other place alone, that is the path.
func RunLogs(folder string) Logs {
	first, second := logsIn(folder), ResultLogs(folder)
	if !pathExists(first.Detail) && (pathExists(second.Detail) || pathExists(second.Accuracy) ||
		pathExists(second.Summary)) {
		first, second = second, first
	}
	return Logs{Accuracy: existingPath(first.Accuracy, second.Accuracy), Detail: existingPath(first.Detail, second.Detail),
		Summary: existingPath(first.Summary, second.Summary)}
}

// existingPath is the first path, or the second where only that is there.
func existingPath(first, second string) string {
	if !pathExists(first) && pathExists(second) {
		return second
	}
	return first
}

func logsIn(folder string) Logs {
	return Logs{
		Accuracy: evidence.Join(folder, tree.AccuracyLog), Detail: evidence.Join(folder, tree.DetailLog),
		Summary: evidence.Join(folder, tree.SummaryLog),
	}
}

func pathExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Request describes an audit to judge. All tests need Test and Run; the other fields depend on the test.
type Request struct {
	Test      string        // "TEST01", ...
	Rules     *mlconf.Rules // of the round; nil means the newest
	Model     string        // by the name of the rules or LoadGen's key; empty: settings of models are not compared
	Scenario  string        // "Offline", "Interactive", ...; empty: as the run's log says
	Reference Logs          // of the submission's accuracy and performance runs; TEST06, TEST07 and TEST09 need none
	Run       Logs          // of the audit's run
	// DType is the type of the payloads' elements: byte, float32, int16, int32, int64. Empty means the test's own: byte
	// for TEST01, int32 for tokens.
	DType string
	// PerformanceOnly leaves out what needs accuracy logs, which are cut short in a submission that is packed.
	PerformanceOnly bool

	EOS       string   // the end tokens of TEST06 with commas between them; empty means 2
	Tolerance *float64 // of TEST08's normalised entropy, relative; nil means 0.001
	Threshold *float64 // of TEST07; nil means the audit.config's, or the round's
	MinTokens *float64 // of TEST09, as Threshold
	MaxTokens *float64
	// Config takes the place of the round's configuration of the test; nil: the round's.
	Config      *Config
	AuditConfig string // path of an audit.config with bounds; empty: the round's count

	// Score scores an accuracy log for TEST07 and for TEST01's comparison of accuracies. Command is a command line for
	// the shell in its place, in which {accuracy_log} stands for the log's path; of what it prints the first match of
	// Pattern is the score (empty: the official pattern, 'exact_match': NUMBER).
	Score   func(ctx context.Context, accuracyLog string) (Score, error)
	Command string
	Pattern string
}

// Score is the result of a benchmark's scorer for an accuracy log.
type Score struct {
	Text    string             // the official program's, as accuracy.txt has it
	Metrics map[string]float64 // by the rules' names: "acc", "F1", "exact_match", in the units of the rules' targets
}

// checkReadable says why a file is none that can be read: it is missing, a folder, or no regular file.
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
