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

// runLog is the log of one test. Without an output directory it writes nothing but still collects errors and warnings.
// Only these methods are safe for concurrent use: logMessage, logError, logWarning and those of the accuracy writer.
type runLog struct {
	began  time.Time    // origin of the entries' times; monotonic
	copyTo io.Writer    // also receives the summary; may be nil
	kind   scenarioKind // the scenario's kind; set when the settings are logged

	files    [logFiles]*os.File
	paths    []string
	accuracy *mllog.AccuracyWriter
	tracer   *mllog.TraceWriter

	mu       sync.Mutex          // guards the following fields
	detail   *mllog.DetailWriter // nil without files and after endDetail, because an abandoned SUT may still answer
	detailTo *bufio.Writer
	copied   *copiedLog
	errors   []LoggedError
	warnings []LoggedError
}

// openLogs creates the four empty log files of l. If l.OutDir is empty, it creates no files.
func openLogs(l LogSettings) (*runLog, error) {
	g := &runLog{began: time.Now()}
	if l.CopySummaryTo != nil {
		g.copyTo = l.CopySummaryTo
	}
	if l.OutDir == "" {
		if l.CopyDetailTo != nil {
			g.logDetail(&copiedLog{copy: l.CopyDetailTo})
		}
		return g, nil
	}
	if err := g.createFiles(l); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLogs, err)
	}
	g.logDetail(&copiedLog{log: g.files[logDetail], copy: l.CopyDetailTo})
	g.accuracy = mllog.NewAccuracyWriter(g.files[logAccuracy])
	if l.EnableTrace {
		g.tracer = mllog.NewTraceWriter(g.files[logTrace], g.began, int64(os.Getpid()))
	}
	return g, nil
}

// logDetail begins the detail log.
func (g *runLog) logDetail(to *copiedLog) {
	g.copied = to
	g.detailTo = bufio.NewWriterSize(to, 64<<10)
	g.detail = mllog.NewDetailWriter(g.detailTo)
}

// copiedLog writes to a log and to a copy. Either may be nil. An error of the copy does not affect the log.
type copiedLog struct {
	log, copy io.Writer
	err       error // of the copy
}

// Write implements io.Writer.
func (c *copiedLog) Write(p []byte) (int, error) {
	if c.copy != nil && c.err == nil {
		_, c.err = c.copy.Write(p)
	}
	if c.log == nil {
		return len(p), nil
	}
	return c.log.Write(p)
}

// createFiles makes the directory and the files. It reports all files that it cannot create in one error.
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

// newFile creates an empty file. It removes an existing file instead of writing to it, because the file may be a link.
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

// beginDate returns the time of the test's begin in UTC.
func (g *runLog) beginDate() string { return g.began.UTC().Format("2006-01-02T15:04:05Z") }

// logDuring runs f and writes a span for it to the trace.
func (g *runLog) logDuring(name string, f func() error) error {
	began := time.Since(g.began)
	err := f()
	if g.tracer != nil {
		_ = g.tracer.Span(name, began, time.Since(g.began)-began) // finishLogs reports the error
	}
	return err
}

// accuracyWriter returns the writer of the accuracy log, which is safe for concurrent use. Without files it returns
// nil, and a nil writer drops its entries.
func (g *runLog) accuracyWriter() *mllog.AccuracyWriter { return g.accuracy }

// logMessage logs a line of free text.
func (g *runLog) logMessage(text string) { g.logValue("generic_message", text) }

const keyRuntime = "error_runtime"

// logError logs an error of the run.
func (g *runLog) logError(text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.errors = append(g.errors, LoggedError{Key: keyRuntime, Message: text})
	g.writeEntry(mllog.DetailEntry{Key: keyRuntime, Value: text, Error: true}, 1)
	g.flushDetail() // the entry must be on disk if the program crashes
}

// configError logs an error from before the start of logging.
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

// logValue writes one entry of the detail log. The entry's source line is that of the caller.
func (g *runLog) logValue(key string, value any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.writeEntry(mllog.DetailEntry{Key: key, Value: value}, 2)
}

// flush writes the detail log's buffer to disk.
func (g *runLog) flush() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.flushDetail()
}

// flushDetail flushes like flush; the caller must hold the lock. The buffer keeps an error for finishLogs.
func (g *runLog) flushDetail() {
	if g.detail != nil {
		_ = g.detailTo.Flush()
	}
}

// writeEntry completes and writes e. An entry without a time gets the current time. skip is the number of callers
// between writeEntry and the line to log. The caller must hold the lock. The buffered writer keeps errors, and
// finishLogs reports them.
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

// finishLogs writes the result (if r has a verdict), the summary and the ends of all files, and closes the files. It
// sets r.Errors, r.Warnings, r.LogFiles and r.AccuracySampleCount.
func (g *runLog) finishLogs(r *Result) error {
	if r.Verdict != "" {
		g.logResults(r)
	}
	errs := []error{g.endDetail(r), g.accuracy.Close()}
	r.LogFiles, r.AccuracySampleCount = g.paths, g.accuracy.Entries()
	errs = append(errs, g.writeSummary(r))
	if g.tracer != nil {
		errs = append(errs, g.tracer.Close())
	}
	errs = append(errs, g.missingFiles(), g.closeFiles())
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w: %w", ErrLogs, err)
	}
	return nil
}

// missingFiles returns an error that names the open files that are no longer at their paths.
func (g *runLog) missingFiles() error {
	var gone []string
	for i, f := range g.files {
		if f != nil && !isAtPath(f, g.paths[i]) {
			gone = append(gone, g.paths[i])
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return fmt.Errorf("%w, with its folder or alone: %s; run again, and leave the folder until the end",
		ErrLogsLost, strings.Join(gone, ", "))
}

// isAtPath reports whether an open file is the one at path.
func isAtPath(f *os.File, path string) bool {
	open, err1 := f.Stat()
	there, err2 := os.Lstat(path)
	return err1 == nil && err2 == nil && os.SameFile(open, there)
}

// endDetail writes the end of the detail log and stores its errors and warnings in r. Later entries are lost.
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

// traceSeries writes the samples of a finished series if the trace log is enabled. An error ends the trace, and
// finishLogs reports it.
func (g *runLog) traceSeries(p *testSeries) {
	if g.tracer == nil {
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

// timeToToken returns the time to the first token of sample i, or 0 if it is not recorded.
func (p *testSeries) timeToToken(i int) int64 {
	if p.FirstToken == nil {
		return 0
	}
	return p.FirstToken[i] - p.Scheduled[i/int(p.SamplesPerQuery)]
}

// traceSample writes the events of a sample. first is the time to its first token in ns (0: none).
func (g *runLog) traceSample(s mllog.TraceSample, first int64) error {
	return errors.Join(g.kind.trace(g.tracer, s, first), g.tracer.Sample(s))
}
