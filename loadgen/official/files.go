package official

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// logFiles describes the four log files of a test, which the library writes.
type logFiles struct {
	dir, prefix, suffix string
	trace               bool
	audit               string // path of the copied audit settings; the file does not exist if there are no settings
	to                  loadgen.LogSettings
}

// The log files by their names between prefix and suffix.
const (
	summaryLog = iota
	detailLog
	accuracyLog
	traceLog
	logCount
)

var logNames = [logCount]struct{ base, ext string }{
	{"summary", ".txt"}, {"detail", ".txt"}, {"accuracy", ".json"}, {"trace", ".json"},
}

// newLogFiles makes the folder and removes old files with the names of the logs, because such a file may be a link.
func newLogFiles(l loadgen.LogSettings) (*logFiles, error) {
	f := &logFiles{dir: l.OutDir, prefix: l.Prefix, suffix: l.Suffix, trace: l.EnableTrace, to: l}
	f.prefix = cmp.Or(f.prefix, "mlperf_log_")
	err := os.MkdirAll(f.dir, 0o777)
	for i := range logNames {
		if err == nil {
			err = f.createLog(i)
		}
	}
	if err == nil {
		err = f.writeAudit(l.Audit)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", loadgen.ErrLogs, err)
	}
	return f, nil
}

func (f *logFiles) logPath(i int) string {
	return filepath.Join(f.dir, f.prefix+logNames[i].base+f.suffix+logNames[i].ext)
}

// createLog creates an empty log file, which shows that the log can be written.
func (f *logFiles) createLog(i int) error {
	info, err := os.Lstat(f.logPath(i))
	if err == nil && !info.IsDir() {
		err = os.Remove(f.logPath(i))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(f.logPath(i), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	return file.Close()
}

// writeAudit copies the audit settings to the test's own file. If from is empty, it writes no file, and the library
// gets a path without a file. The library then does not read an audit.config in the working directory.
func (f *logFiles) writeAudit(from string) error {
	dir, err := os.MkdirTemp(f.dir, ".audit-")
	if err != nil {
		return err
	}
	f.audit = filepath.Join(dir, "audit.config")
	if from == "" {
		return nil
	}
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(f.audit, text, 0o600)
	}
	if err != nil {
		f.removeAudit()
	}
	return err
}

func (f *logFiles) removeAudit() { _ = os.RemoveAll(filepath.Dir(f.audit)) }

// listPaths lists the paths of the log files.
func (f *logFiles) listPaths() []string {
	var list []string
	for i := range logNames {
		list = append(list, f.logPath(i))
	}
	return list
}

// copyLogs copies the summary and the detail log to the writers of the log settings.
func (f *logFiles) copyLogs() error {
	var errs []error
	for i, to := range map[int]io.Writer{summaryLog: f.to.CopySummaryTo, detailLog: f.to.CopyDetailTo} {
		if to == nil {
			continue
		}
		text, err := os.ReadFile(f.logPath(i))
		if err == nil {
			_, err = to.Write(text)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
