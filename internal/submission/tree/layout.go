package tree

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/power"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// Layout defines the places of files in a round's submissions. All paths are relative to the tree and use slashes.
type Layout struct {
	Round string // "v6.1"
	mlconf.Layout
}

// Rounds are the rounds whose submissions are taken for a purpose, the newest first.
func Rounds(purpose mlconf.Purpose) []string { return mlconf.RoundsWithLayout(purpose) }

// LayoutOf is the layout of a round whose submissions can be checked at least; the empty name means the newest.
func LayoutOf(round string) (Layout, error) { return LayoutFor(round, mlconf.ToCheck) }

// LayoutFor is the layout of a round whose submissions are taken for a purpose; the empty name means the newest. The
// error says what they are taken for, if for anything.
func LayoutFor(round string, purpose mlconf.Purpose) (Layout, error) {
	rules, err := mlconf.Round(round)
	l, known := mlconf.Layout{}, false
	if err == nil {
		l, known = rules.Layout()
	}
	want := strings.Join(Rounds(purpose), ", ")
	switch {
	case !known:
		return Layout{}, fmt.Errorf("no layout of a submission is known for %q, want one of %s", round, want)
	case !l.Serves(purpose):
		return Layout{}, fmt.Errorf("submissions of %s are taken by harness submission results and check alone, "+
			"want one of %s", rules.Name, want)
	}
	return Layout{Round: rules.Name, Layout: l}, nil
}

// Divisions are the folders at the top of a tree; whatever else lies there is no part of a submission.
func Divisions() []string { return []string{DivisionClosed, DivisionOpen, DivisionNetwork} }

// Scenarios are the names of scenario folders.
func Scenarios() []string {
	return []string{"SingleStream", "MultiStream", "Offline", "Server", "Interactive"}
}

// CanonicalScenario is the name of a scenario folder as the rules write it: "Offline" for "offline". Only the
// canonical form and the one in lower case count; ok is false for others.
func CanonicalScenario(folder string) (name string, ok bool) {
	for _, s := range Scenarios() {
		if folder == s || folder == strings.ToLower(s) {
			return s, true
		}
	}
	return folder, false
}

// Place names the folder of one result: closed, Toylab, toy_edge, resnet50, Offline. A Place with fewer parts names a
// folder above.
type Place struct {
	Division, Submitter, System, Benchmark, Scenario string
}

// Folder is the submitter's folder.
func (p Place) Folder() string { return path.Join(p.Division, p.Submitter) }

// String is the result's folder.
func (p Place) String() string { return p.Results() }

// Results is the folder of the results, of as much as the place names.
func (p Place) Results() string {
	return path.Join(p.Folder(), ResultsDir, p.System, p.Benchmark, p.Scenario)
}

// SystemFile is the description of the system.
func (p Place) SystemFile() string { return path.Join(p.Folder(), SystemsDir, p.System+".json") }

// NameplateFile is the description of the system's power supplies.
func (p Place) NameplateFile() string {
	return path.Join(p.Folder(), SystemsDir, p.System+"_power.yaml")
}

// Run is the folder of the performance run.
func (p Place) Run() string { return path.Join(p.Results(), PerformanceDir, RunDir) }

// Ranging is the folder of the ranging run of a power measurement.
func (p Place) Ranging() string { return path.Join(p.Results(), PerformanceDir, RangingDir) }

// Power is the folder of the power meter's files.
func (p Place) Power() string { return path.Join(p.Results(), PerformanceDir, PowerDir) }

// Accuracy is the folder of the accuracy run.
func (p Place) Accuracy() string { return path.Join(p.Results(), AccuracyDir) }

// SourceDir is the folder of the submitter's programs.
func (l Layout) SourceDir(p Place) string { return path.Join(p.Folder(), l.Source) }

// Measurements is the folder of measurements.json, user.conf and README.md.
func (l Layout) Measurements(p Place) string { return l.folderAside(p, "measurements") }

// MeasurementsFile is the path for a new measurements file. One that lies in a tree may have another name before v6.0:
// Tree.MeasurementsFile.
func (l Layout) MeasurementsFile(p Place) string {
	if l.Apart {
		return path.Join(l.Measurements(p), p.System+"_"+p.Scenario+".json")
	}
	return path.Join(l.Measurements(p), MeasurementFile)
}

// Audit is the folder of an audit: ".../Offline/TEST01". TEST07 and younger are not older than v6.0, and lie in the
// scenario's folder wherever somebody has them.
func (l Layout) Audit(p Place, test string) string {
	if test >= "TEST07" {
		return path.Join(p.Results(), test)
	}
	return path.Join(l.Audits(p), test)
}

// Audits is the folder that holds the audits' folders.
func (l Layout) Audits(p Place) string { return l.folderAside(p, l.AuditsDir()) }

// AuditsDir is the submitter's folder of audits, where they lie apart.
func (l Layout) AuditsDir() string { return cmp.Or(l.Layout.Audits, "compliance") }

func (l Layout) folderAside(p Place, folder string) string {
	if !l.Apart {
		return p.Results()
	}
	return path.Join(p.Folder(), folder, p.System, p.Benchmark, p.Scenario)
}

// AuditFiles lists the files of one audit in its folder.
type AuditFiles struct {
	Verdicts    []string // verify_accuracy.txt, ...
	Performance bool     // performance/run_1 with detail and summary log
	Accuracy    bool     // accuracy/mlperf_log_accuracy.json
	Required    bool     // the official checker asks for the performance logs too
	Unfiled     bool     // the official script of the test copies no log: what a submission has of it is the verdict
	// Opened are the files that the official checker opens before it judges anything, where they are there: in every
	// division, for every benchmark. One that cannot be read ends it.
	Opened []string
}

// The two runs of TEST04 in rounds before v2.1: each sample once, and one sample again and again.
const (
	CachingUnique = "TEST04-A"
	CachingSame   = "TEST04-B"
)

// AuditTests are the audits whose files are known.
func AuditTests() []string {
	return []string{"TEST01", "TEST04", "TEST05", "TEST06", "TEST07", "TEST08", "TEST09"}
}

// FilesOf are the files of an audit ("TEST01"); none of one that is not known.
func FilesOf(test string) AuditFiles {
	accuracy, performance := []string{VerifyAccuracy}, []string{VerifyPerformance}
	withLog := []string{path.Join(PerformanceDir, RunDir, DetailLog), VerifyAccuracy}
	switch test {
	case "TEST01":
		return AuditFiles{Verdicts: []string{VerifyAccuracy, VerifyPerformance}, Performance: true, Accuracy: true,
			Required: true, Opened: withLog}
	case "TEST04":
		return AuditFiles{Verdicts: performance, Performance: true, Required: true, Opened: withLog}
	case CachingUnique:
		return AuditFiles{Verdicts: performance, Performance: true}
	case CachingSame: // the verdict is the other's
		return AuditFiles{Performance: true}
	case "TEST05":
		return AuditFiles{Verdicts: performance, Performance: true}
	case "TEST06":
		return AuditFiles{Verdicts: accuracy, Accuracy: true, Opened: accuracy}
	case "TEST07", "TEST08":
		return AuditFiles{Verdicts: accuracy, Performance: true, Accuracy: true, Unfiled: test == "TEST08",
			Opened: accuracy}
	case "TEST09":
		length := []string{VerifyOutputLength}
		return AuditFiles{Verdicts: length, Performance: true, Accuracy: true, Opened: length}
	}
	return AuditFiles{}
}

// RunFiles are the logs of a performance run.
func RunFiles() []string { return []string{SummaryLog, DetailLog} }

// AccuracyFiles are the files of an accuracy run.
func AccuracyFiles() []string { return []string{SummaryLog, DetailLog, AccuracyText, AccuracyLog} }

// PowerFiles are the files of Place.Power.
func PowerFiles() []string { return power.SessionFiles() }

// PowerTexts are the names, without their endings, of the files beside the measurements of a result with power, in
// which a person says how the system manages power and with what it was measured.
func PowerTexts() []string { return []string{"power_settings", "analyzer_table"} }

// IsPowerText says whether a file is one of them.
func IsPowerText(name string) bool {
	text, _, _ := strings.Cut(name, ".")
	return slices.Contains(PowerTexts(), text)
}

// Extra says whether a file may lie beside the required ones of any folder of logs.
func Extra(name string) bool {
	return slices.Contains([]string{TraceLog, "results.json", ".gitkeep"}, name)
}

// Aside says whether a file is a text, picture or record of the machine that people and their programs leave beside
// logs: no rule asks for it, and none is hurt by it.
func Aside(name string) bool {
	kinds := []string{".md", ".adoc", ".html", ".pdf", ".png", ".mmd", ".out", ".csv"}
	records := []string{"metadata.json", "cpu_info.json", "os_info.json", "pip_freeze.json", "mlc-version-info.json",
		"cm-version-info.json", "system_meta.json"}
	return slices.Contains(kinds, path.Ext(name)) || slices.Contains(records, name)
}
