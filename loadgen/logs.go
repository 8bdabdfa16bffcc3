package loadgen

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// The log files of a test, in the order of Result.LogFiles.
const (
	logSummary = iota
	logDetail
	logAccuracy
	logTrace
	logFiles
)

var logNames = [logFiles]struct{ base, ext string }{
	logSummary:  {"summary", ".txt"},
	logDetail:   {"detail", ".txt"},
	logAccuracy: {"accuracy", ".json"},
	logTrace:    {"trace", ".json"},
}

// runLog is the log of one test. Without an output directory it writes nothing but still collects errors and
// warnings. Its methods are for one goroutine, except message, fail, warn and what accuracy returns.
type runLog struct {
	began  time.Time    // entries' times count from here; monotonic
	copyTo io.Writer    // receives the summary too; may be nil
	kind   scenarioKind // of the test's scenario, once its settings are logged

	files  [logFiles]*os.File
	paths  []string
	acc    *mllog.AccuracyWriter
	traced *mllog.TraceWriter

	mu       sync.Mutex          // guards what follows
	detail   *mllog.DetailWriter // nil without files and after finish: a SUT that was abandoned may still answer
	detailTo *bufio.Writer
	copied   *copiedLog
	errors   []LoggedError
	warnings []LoggedError
}

// openLogs creates the four log files of l, all empty. Without l.OutDir the log writes no file.
func openLogs(l LogSettings) (*runLog, error) {
	g := &runLog{began: time.Now()}
	if l.CopySummaryTo != nil {
		g.copyTo = l.CopySummaryTo
	}
	if l.OutDir == "" {
		if l.CopyDetailTo != nil {
			g.logDetail(&copiedLog{to: l.CopyDetailTo})
		}
		return g, nil
	}
	if err := g.createFiles(l); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLogs, err)
	}
	g.logDetail(&copiedLog{log: g.files[logDetail], to: l.CopyDetailTo})
	g.acc = mllog.NewAccuracyWriter(g.files[logAccuracy])
	if l.EnableTrace {
		g.traced = mllog.NewTraceWriter(g.files[logTrace], g.began, int64(os.Getpid()))
	}
	return g, nil
}

// logDetail begins the detail log.
func (g *runLog) logDetail(to *copiedLog) {
	g.copied = to
	g.detailTo = bufio.NewWriterSize(to, 64<<10)
	g.detail = mllog.NewDetailWriter(g.detailTo)
}

// copiedLog writes to a log and to a copy. Either may be nil; a copy that fails does no harm to the log.
type copiedLog struct {
	log, to io.Writer
	err     error // of the copy
}

// Write implements io.Writer.
func (c *copiedLog) Write(p []byte) (int, error) {
	if c.to != nil && c.err == nil {
		_, c.err = c.to.Write(p)
	}
	if c.log == nil {
		return len(p), nil
	}
	return c.log.Write(p)
}

// createFiles makes the directory and the files. All files that cannot be made are reported together.
func (g *runLog) createFiles(l LogSettings) error {
	if err := os.MkdirAll(l.OutDir, 0o777); err != nil {
		return fmt.Errorf("output directory: %w", err)
	}
	prefix := cmp.Or(l.Prefix, "mlperf_log_")
	if l.PrefixWithDatetime {
		prefix += g.beginDate() + "_"
	}
	var errs []error
	for i, n := range logNames {
		path := filepath.Join(l.OutDir, prefix+n.base+l.Suffix+n.ext)
		f, err := newFile(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		g.files[i], g.paths = f, append(g.paths, path)
	}
	if len(errs) > 0 {
		errs = append(errs, g.closeFiles())
	}
	return errors.Join(errs...)
}

// newFile makes an empty file. What had the name before is removed and not written to: it may be a link to something
// else.
func newFile(path string) (*os.File, error) {
	info, err := os.Lstat(path)
	if err == nil && !info.IsDir() {
		err = os.Remove(path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

func (g *runLog) closeFiles() error {
	var errs []error
	for i, f := range g.files {
		if f != nil {
			errs = append(errs, f.Close())
			g.files[i] = nil
		}
	}
	return errors.Join(errs...)
}

// beginDate is when the test began, in UTC.
func (g *runLog) beginDate() string { return g.began.UTC().Format("2006-01-02T15:04:05Z") }

// logDuring runs f, which the trace shows as a span.
func (g *runLog) logDuring(name string, f func() error) error {
	began := time.Since(g.began)
	err := f()
	if g.traced != nil {
		_ = g.traced.Span(name, began, time.Since(g.began)-began) // finish tells
	}
	return err
}

// accuracyWriter is the accuracy log's writer: safe for any goroutine, and nil (which accepts and drops) without files.
func (g *runLog) accuracyWriter() *mllog.AccuracyWriter { return g.acc }

// logMessage logs a line of free text.
func (g *runLog) logMessage(text string) { g.logValue("generic_message", text) }

const keyRuntime = "error_runtime"

// logError logs an error of the run.
func (g *runLog) logError(text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.errors = append(g.errors, LoggedError{Key: keyRuntime, Message: text})
	g.writeEntry(mllog.DetailEntry{Key: keyRuntime, Value: text, Error: true}, 1)
	g.flushDetail() // what went wrong must survive what may follow
}

// configError logs an error that was made before logging started.
func (g *runLog) configError(text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	const key = "error_invalid_config"
	g.errors = append(g.errors, LoggedError{Key: key, Message: text})
	g.writeEntry(mllog.DetailEntry{Key: key, Value: text, Error: true, Time: -1}, 1)
}

// logWarning logs a warning.
func (g *runLog) logWarning(text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.warnings = append(g.warnings, LoggedError{Key: keyWarning, Message: text, Warning: true})
	g.writeEntry(mllog.DetailEntry{Key: keyWarning, Value: text, Warning: true}, 1)
}

const keyWarning = "warning_generic_message"

// logValue writes one entry of the detail log. Its source line is that of the caller.
func (g *runLog) logValue(key string, value any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.writeEntry(mllog.DetailEntry{Key: key, Value: value}, 2)
}

// flush brings the detail log up to date on disk.
func (g *runLog) flush() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.flushDetail()
}

// flushDetail does it with the lock held. The buffer keeps a failure for finish.
func (g *runLog) flushDetail() {
	if g.detail != nil {
		_ = g.detailTo.Flush()
	}
}

// writeEntry completes and writes e, which is made now unless it has a time; skip counts the callers between entry and
// the line to name. The lock is held. Errors of writing are kept by the buffered writer and reported by finish.
func (g *runLog) writeEntry(e mllog.DetailEntry, skip int) {
	if g.detail == nil {
		return
	}
	if e.Time == 0 {
		e.Time = time.Since(g.began)
	}
	if _, file, line, ok := runtime.Caller(skip + 1); ok {
		e.File, e.Line = filepath.Base(file), line
	}
	e.PID = int64(os.Getpid())
	e.TID = e.PID
	_ = g.detail.Write(e)
}

// finishLogs writes the result (if r has a verdict), the summary and the ends of all files, and closes them.
// It fills r.Errors, r.Warnings, r.LogFiles and r.AccuracySampleCount.
func (g *runLog) finishLogs(r *Result) error {
	if r.Verdict != "" {
		g.results(r)
	}
	errs := []error{g.endDetail(r), g.acc.Close()}
	r.LogFiles, r.AccuracySampleCount = g.paths, g.acc.Entries()
	errs = append(errs, g.writeSummary(r))
	if g.traced != nil {
		errs = append(errs, g.traced.Close())
	}
	errs = append(errs, g.missingFiles(), g.closeFiles())
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w: %w", ErrLogs, err)
	}
	return nil
}

// missingFiles names the files that are open and no longer found under their names.
func (g *runLog) missingFiles() error {
	var gone []string
	for i, f := range g.files {
		if f != nil && !hasName(f, g.paths[i]) {
			gone = append(gone, g.paths[i])
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return fmt.Errorf("%w, with its folder or alone: %s; run again, and leave the folder until the end",
		ErrLogsLost, strings.Join(gone, ", "))
}

// hasName reports whether an open file is the one at path.
func hasName(f *os.File, path string) bool {
	open, err1 := f.Stat()
	there, err2 := os.Lstat(path)
	return err1 == nil && err2 == nil && os.SameFile(open, there)
}

// endDetail writes the last of the detail log and hands its errors and warnings to r. Entries that come later are lost.
func (g *runLog) endDetail(r *Result) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	r.Errors, r.Warnings = slices.Clone(g.errors), slices.Clone(g.warnings)
	if g.detail == nil {
		return nil
	}
	g.detail = nil
	err := g.detailTo.Flush()
	if g.copied.err != nil {
		err = errors.Join(err, fmt.Errorf("copy of the detail log: %w", g.copied.err))
	}
	return err
}

// writeSummary writes the summary to its file and to the copy.
func (g *runLog) writeSummary(r *Result) error {
	var errs []error
	s := summaryOf(r)
	if f := g.files[logSummary]; f != nil {
		errs = append(errs, mllog.WriteSummary(f, s))
	}
	if g.copyTo != nil {
		errs = append(errs, mllog.WriteSummary(g.copyTo, s))
	}
	return errors.Join(errs...)
}

// trace writes the samples of a finished series, if the trace log is enabled. A failure ends the trace; finish reports
// it.
func (g *runLog) trace(p *testSeries) {
	if g.traced == nil {
		return
	}
	start := p.Start.Sub(g.began).Nanoseconds()
	r := Recording{p}
	for i, done := range p.Done {
		if done < 0 {
			continue
		}
		at := r.Slot(i)
		s := mllog.TraceSample{
			SampleSeq: at.Sample, QuerySeq: at.Query, Index: uint64(at.Index),
			Scheduled: start + at.Scheduled, IssueDelay: at.Issued - at.Scheduled, Latency: done - at.Scheduled,
		}
		if err := g.traceSample(s, p.timeToToken(i)); err != nil {
			return
		}
	}
}

// timeToToken is the time to the first token of sample i, 0 where none is recorded.
func (p *testSeries) timeToToken(i int) int64 {
	if p.FirstToken == nil {
		return 0
	}
	return p.FirstToken[i] - p.Scheduled[i/int(p.SamplesPerQuery)]
}

// traceSample writes the events of a sample whose first token took first ns (0: none).
func (g *runLog) traceSample(s mllog.TraceSample, first int64) error {
	return errors.Join(g.kind.trace(g.traced, s, first), g.traced.Sample(s))
}
