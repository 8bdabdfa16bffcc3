package check

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// logRole names which of a result's runs a log belongs to.
type logRole string

const (
	mainRun     logRole = ""
	accuracyRun logRole = "accuracy"
	// other roles are audits, such as "TEST01"
)

// runLog contains the logs of one run.
type runLog struct {
	folder  string
	role    logRole
	detail  *mllog.Detail
	summary *mllog.Summary // nil: missing or unreadable
}

func (l *runLog) logPath() string { return path.Join(l.folder, tree.DetailLog) }

func (l *runLog) summaryPath() string { return path.Join(l.folder, tree.SummaryLog) }

func (l *runLog) isAudit() bool { return l.role != mainRun && l.role != accuracyRun }

// missingSeverity returns the severity of a missing log of the run.
func (l *runLog) missingSeverity() Severity {
	if l.isAudit() && tree.FilesOf(string(l.role)).LogsNotCopied {
		return Warn
	}
	return Reject
}

// readRun reads the logs of a folder. It returns nil if the detail log is missing or empty.
func (r *resultFolder) readRun(folder string, as logRole) *runLog {
	l := &runLog{folder: folder, role: as}
	t := r.checker.tree
	if !t.HasFile(l.logPath()) {
		r.addReject(ruleFiles, l.logPath(), "a log is missing", "", l.logPath(), r.missingAdvice(folder))
		return nil
	}
	if !r.readDetail(l) {
		return nil
	}
	r.readSummary(l)
	if l.detail.Text && l.summary != nil {
		l.detail.AddSummary(l.summary)
	}
	if len(l.detail.All("effective_scenario")) == 0 && !l.detail.Has("sut_name") {
		r.addReject(ruleLogFormat, l.logPath(), "the log holds no run", "", "the entries of a LoadGen run",
			"file the run's own log")
		return nil
	}
	return l
}

// hasResult reports whether the logs contain the run's result. A detail log in text form does not; its summary does.
func (l *runLog) hasResult() bool { return !l.detail.Text || l.summary != nil }

// missingAdvice returns advice on a missing log.
func (r *resultFolder) missingAdvice(folder string) string {
	for _, e := range r.checker.tree.Folders(path.Dir(folder)) {
		if strings.HasPrefix(e.Name, "run_") && e.Name != tree.RunDir && path.Base(folder) == tree.RunDir {
			return "the run of a submission lies in " + tree.RunDir + ", not in " + e.Name
		}
	}
	return "add the run's logs"
}

// readDetail reads a detail log and reports faults of its form.
func (r *resultFolder) readDetail(l *runLog) bool {
	if err := r.scanLog(l); err != nil {
		r.addReject(ruleFiles, l.logPath(), "the log cannot be read", err.Error(), "",
			"make it readable, and leave it alone meanwhile")
		return false
	}
	r.checkLogFormat(l)
	return true
}

func (r *resultFolder) scanLog(l *runLog) error {
	f, err := r.checker.tree.Open(l.logPath())
	if err != nil {
		return err
	}
	defer f.Close()
	l.detail, err = mllog.ScanDetail(f)
	return err
}

// checkLogFormat checks the lines of a detail log.
func (r *resultFolder) checkLogFormat(l *runLog) {
	d, name := l.detail, l.logPath()
	reject := func(what, found, expected string) {
		r.addReject(ruleLogFormat, name, what, found, expected,
			"file the log as LoadGen wrote it: the official checker stops at it")
	}
	if d.Lines == 0 {
		reject("the log is empty", "", "the entries of a LoadGen run")
	}
	if d.Text && !r.checker.features.TextLogs {
		reject("the log is text, as LoadGens before v1.0 wrote it", "", "lines that begin with "+mllog.DetailPrefix)
	}
	if d.NumForeign > 0 && d.Foreign[0] == 1 {
		reject("the first line is no entry", "", "a line that begins with "+mllog.DetailPrefix)
	} else if d.NumForeign > 0 {
		r.addWarning(ruleLogFormat, name, "lines are not entries", fmt.Sprintf("%d lines, the first is line %d",
			d.NumForeign, d.Foreign[0]),
			"lines that begin with "+mllog.DetailPrefix, "file the log as LoadGen wrote it")
	}
	if d.NumFaults > 0 {
		reject("entries cannot be read", fmt.Sprintf("%d entries; %v", d.NumFaults, d.Faults[0]), "")
	}
	for _, c := range []struct {
		line                  int
		what, found, expected string
	}{
		{d.NotUTF8, "the log is no text", "is not UTF-8", "UTF-8"},
		{d.Unmarked, "an entry does not say whether it is an error", "lacks it", "is_error in metadata, true or false"},
		{d.Broken, "a line is broken", "has a carriage return inside", "line feeds alone"},
	} {
		if c.line > 0 {
			reject(c.what, fmt.Sprintf("line %d %s", c.line, c.found), c.expected)
		}
	}
	if d.NotJSON > 0 {
		r.noteOddEntry(l)
	}
	if d.CRLF {
		r.addWarning(ruleLogFormat, name, "lines end with carriage returns", "", "line feeds alone",
			"file the log as LoadGen wrote it")
	}
	if d.Open && d.Lines > 0 {
		r.addWarning(ruleLogFormat, name, "the last line has no end", "", "a whole log", "see whether the log was cut off")
	}
}

// noteOddEntry reports a readable entry that is not valid JSON. LoadGen writes quotes and control characters in names
// unescaped. The official checker fails at such an entry in the logs that it reads.
func (r *resultFolder) noteOddEntry(l *runLog) {
	severity, do := Reject, "call it by another name and run again: the official checker stops at it"
	if l.isAudit() && r.checker.features.AuditLogsUnread {
		severity, do = Warn, "nothing for this run; call it by another name in the next"
	}
	r.addFinding(severity, ruleLogFormat, l.logPath(), "an entry is not JSON",
		fmt.Sprintf("line %d, as where a name has a quote or a control character", l.detail.NotJSON),
		"JSON behind "+mllog.DetailPrefix, do)
}

func (r *resultFolder) readSummary(l *runLog) {
	name := l.summaryPath()
	do := "file the summary that LoadGen wrote beside the detail log"
	if !r.checker.tree.HasFile(name) {
		r.addFinding(l.missingSeverity(), ruleFiles, name, "a log is missing", "", name, do)
		return
	}
	text, err := r.checker.readBytes(name)
	if err == nil && len(bytes.TrimSpace(text)) == 0 {
		err = errors.New("is empty")
	}
	if err == nil {
		l.summary, err = mllog.ReadSummary(bytes.NewReader(text))
	}
	if err != nil {
		r.addReject(ruleLogFormat, name, "the summary cannot be read", err.Error(), "", do)
	}
}

// numberOf returns the first value of a key as a number. ok is false if it is missing or text.
func (l *runLog) numberOf(key string) (v float64, ok bool) {
	e, has := l.detail.First(key)
	if !has {
		return 0, false
	}
	return e.Float()
}

// textOf returns the first value of a key as text.
func (l *runLog) textOf(key string) string {
	e, _ := l.detail.First(key)
	s, _ := e.Text()
	return s
}

// flagOf returns the first value of a key as a boolean. ok is false if it is not one.
func (l *runLog) flagOf(key string) (v, ok bool) {
	e, _ := l.detail.First(key)
	v, ok = e.Value.(bool)
	return v, ok
}

// quotedValue returns the first value of a key in the form of findings.
func (l *runLog) quotedValue(key string) string {
	e, has := l.detail.First(key)
	if !has {
		return "no " + key
	}
	return key + " " + quoteValue(e.Value)
}

// logScenario returns the scenario in the log.
func (l *runLog) logScenario() string { return l.textOf("effective_scenario") }
