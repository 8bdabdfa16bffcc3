package official

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// readResult adds the results in the logs to r if the test succeeded. If err is not nil, it marks the test as aborted.
func (f *logFiles) readResult(r *loadgen.Result, err error) (*loadgen.Result, error) {
	r.LogFiles = f.listPaths()
	if err != nil {
		r.Aborted = err
		return r, errors.Join(err, f.markAborted(r), f.copyLogs())
	}
	file, err := os.Open(f.logPath(detailLog))
	if err != nil {
		return r, fmt.Errorf("%w: %w", loadgen.ErrLogs, err)
	}
	defer file.Close()
	detail, err := mllog.ScanDetail(file)
	if err == nil {
		err = Read(detail, r)
	}
	if err != nil {
		return r, fmt.Errorf("%w: %s: %w", loadgen.ErrLogs, f.logPath(detailLog), err)
	}
	return r, f.copyLogs()
}

// markAborted writes into the logs that the test was aborted. It replaces the summary, because results that the library
// wrote before the end do not count.
func (f *logFiles) markAborted(r *loadgen.Result) error {
	text := "Test aborted: " + strings.ReplaceAll(r.Aborted.Error(), "\n", "; ")
	detail, err := os.OpenFile(f.logPath(detailLog), os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		line := mllog.AppendDetail(nil, mllog.DetailEntry{Key: "error_runtime", Value: text, Error: true,
			Time: r.Duration, File: "result.go", PID: int64(os.Getpid())})
		_, err = detail.Write(line)
		err = errors.Join(err, detail.Close())
	}
	if !isTimed(r) {
		return err
	}
	r.TargetPercentile.P = r.Effective.TargetLatencyPercentile
	setHeadline(r)
	r.Verdict = loadgen.Invalid
	r.Reasons = []loadgen.Reason{{
		Rule: "aborted", Measured: "ended early: " + r.Aborted.Error(), Needed: "a run to its natural end",
		Hint: "Remove the cause and run again; the logs have no results.",
	}}
	return errors.Join(err, os.WriteFile(f.logPath(summaryLog), []byte(text+"\nThere is no result.\n"), 0o666))
}

func isTimed(r *loadgen.Result) bool { return r.Effective.Mode != loadgen.AccuracyOnly }
