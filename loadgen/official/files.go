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

// logFiles are the four log files of a test: the library writes them.
type logFiles struct {
	dir, prefix, suffix string
	trace               bool
	audit               string // path of the audit settings; where there are none, nothing is at it
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

// newLogFiles makes the folder and takes away what has the names of the logs: it may be a link to something else.
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

// createLog shows that a log can be written.
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

// writeAudit copies the audit settings to a file that is the test's own. Without any the library gets the path of a
// file that does not exist, so that it finds none in the working directory either.
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

// listPaths lists the files.
func (f *logFiles) listPaths() []string {
	var list []string
	for i := range logNames {
		list = append(list, f.logPath(i))
	}
	return list
}

// copyLogs copies the summary and the detail log to those who want them.
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
