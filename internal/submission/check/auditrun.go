package check

import (
	"path"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// findRun reads the logs of the audit's run. If the official checker does not require them, it accepts other folders
// with a warning. TEST08's logs can be missing, because the official script does not copy them.
func (a *auditFolder) findRun(files tree.AuditFiles) {
	home := path.Join(a.folder, tree.PerformanceDir, tree.RunDir)
	if files.Required || a.hasRun(home) {
		a.run = a.readRun(home, logRole(a.test))
		return
	}
	if i := slices.IndexFunc(a.handFiledPlaces(), a.hasRun); i >= 0 {
		folder := a.handFiledPlaces()[i]
		a.recordRead(folder, tree.DetailLog, tree.SummaryLog)
		a.addWarning(a.rule, path.Join(folder, tree.DetailLog), "the logs of the audit lie in another folder", folder, home,
			"move them")
		a.run = a.readRun(folder, logRole(a.test))
		return
	}
	if files.LogsNotCopied {
		a.addFinding(Note, a.rule, path.Join(home, tree.DetailLog), "the run of the audit is not shown", "",
			"its detail and summary log", adviceOnMissing(files))
		return
	}
	a.run = a.readRun(home, logRole(a.test)) // reports that the log is missing
}

// findLog returns the path of the audit's accuracy log: the correct place, or else the folder of the run's other logs.
func (a *auditFolder) findLog(files tree.AuditFiles) string {
	home := path.Join(a.folder, tree.AccuracyDir, tree.AccuracyLog)
	if files.Required || a.checker.tree.HasFile(home) {
		return home
	}
	for _, folder := range a.handFiledPlaces() {
		if name := path.Join(folder, tree.AccuracyLog); a.checker.tree.HasFile(name) {
			a.recordRead(folder, tree.AccuracyLog)
			a.addWarning(a.rule, name, "the logs of the audit lie in another folder", folder, path.Dir(home), "move it")
			return name
		}
	}
	return home
}

// handFiledPlaces returns folders in which people put logs of an audit by hand.
func (a *auditFolder) handFiledPlaces() []string {
	list := []string{a.folder, path.Join(a.folder, tree.PerformanceDir), path.Join(a.folder, tree.AccuracyDir)}
	for _, above := range []string{path.Join(a.folder, tree.PerformanceDir), a.folder} {
		for _, e := range a.checker.tree.Folders(above) {
			list = append(list, e.Path)
		}
	}
	return list
}

func (a *auditFolder) hasRun(folder string) bool {
	return a.checker.tree.HasFile(path.Join(folder, tree.DetailLog))
}

// recordRead records which files of the audit's own folder have been read.
func (a *auditFolder) recordRead(folder string, names ...string) {
	if folder == a.folder {
		a.readNames = append(a.readNames, names...)
	} else if path.Dir(folder) == a.folder {
		a.readNames = append(a.readNames, path.Base(folder))
	}
}

// missingSeverity returns the severity of missing logs of an audit.
func (a *auditFolder) missingSeverity(files tree.AuditFiles) Severity {
	if files.LogsNotCopied {
		return Note
	}
	return Warn
}

// adviceOnMissing returns advice on missing logs of an audit.
func adviceOnMissing(files tree.AuditFiles) string {
	if files.LogsNotCopied {
		return "nothing, or add them: the official script of the test copies the verdict alone"
	}
	return "add the audit run's logs"
}
