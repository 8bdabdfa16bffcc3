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
	Round string // such as "v6.1"
	mlconf.Layout
}

// Rounds returns the rounds whose submissions are supported for a purpose, newest first.
func Rounds(purpose mlconf.Purpose) []string { return mlconf.RoundsWithLayout(purpose) }

// LayoutOf returns the layout of a round whose submissions can be checked. An empty name means the newest round.
func LayoutOf(round string) (Layout, error) { return LayoutFor(round, mlconf.ToCheck) }

// LayoutFor returns the layout of a round whose submissions are supported for a purpose. An empty name means the newest
// round. If the purpose is not supported, the error names the supported ones.
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

// Divisions returns the names of the top-level folders of a tree. All other folders there do not belong to a
// submission.
func Divisions() []string { return []string{DivisionClosed, DivisionOpen, DivisionNetwork} }

// Scenarios returns the names of scenario folders.
func Scenarios() []string {
	return []string{"SingleStream", "MultiStream", "Offline", "Server", "Interactive"}
}

// CanonicalScenario returns the rules' name for a scenario folder: "Offline" for "offline". Only the canonical name and
// its lower-case form are valid. ok is false for others.
func CanonicalScenario(folder string) (name string, ok bool) {
	for _, s := range Scenarios() {
		if folder == s || folder == strings.ToLower(s) {
			return s, true
		}
	}
	return folder, false
}

// Place identifies the folder of a result: closed, Toylab, toy_edge, resnet50, Offline. A Place with fewer parts
// identifies a parent folder.
type Place struct {
	Division, Submitter, System, Benchmark, Scenario string
}

// Folder returns the submitter's folder.
func (p Place) Folder() string { return path.Join(p.Division, p.Submitter) }

// String returns the result's folder.
func (p Place) String() string { return p.Results() }

// Results returns the folder of the results, down to the last part that is set.
func (p Place) Results() string {
	return path.Join(p.Folder(), ResultsDir, p.System, p.Benchmark, p.Scenario)
}

// SystemFile returns the path of the system's description.
func (p Place) SystemFile() string { return path.Join(p.Folder(), SystemsDir, p.System+".json") }

// NameplateFile returns the path of the description of the system's power supplies.
func (p Place) NameplateFile() string {
	return path.Join(p.Folder(), SystemsDir, p.System+"_power.yaml")
}

// Run returns the folder of the performance run.
func (p Place) Run() string { return path.Join(p.Results(), PerformanceDir, RunDir) }

// Ranging returns the folder of the ranging run of a power measurement.
func (p Place) Ranging() string { return path.Join(p.Results(), PerformanceDir, RangingDir) }

// Power returns the folder of the power meter's files.
func (p Place) Power() string { return path.Join(p.Results(), PerformanceDir, PowerDir) }

// Accuracy returns the folder of the accuracy run.
func (p Place) Accuracy() string { return path.Join(p.Results(), AccuracyDir) }

// SourceDir returns the folder of the submitter's programs.
func (l Layout) SourceDir(p Place) string { return path.Join(p.Folder(), l.Source) }

// Measurements returns the folder of measurements.json, user.conf and README.md.
func (l Layout) Measurements(p Place) string { return l.separateFolder(p, "measurements") }

// MeasurementsFile returns the path of a new measurements file. An existing one can have another name before v6.0; see
// Tree.MeasurementsFile.
func (l Layout) MeasurementsFile(p Place) string {
	if l.Apart {
		return path.Join(l.Measurements(p), p.System+"_"+p.Scenario+".json")
	}
	return path.Join(l.Measurements(p), MeasurementFile)
}

// Audit returns the folder of an audit, such as ".../Offline/TEST01". TEST07 and later tests exist since v6.0 and are
// always in the scenario's folder.
func (l Layout) Audit(p Place, test string) string {
	if test >= "TEST07" {
		return path.Join(p.Results(), test)
	}
	return path.Join(l.Audits(p), test)
}

// Audits returns the folder that contains the audits' folders.
func (l Layout) Audits(p Place) string { return l.separateFolder(p, l.AuditsDir()) }

// AuditsDir returns the submitter's folder of audits, in rounds that separate them from results.
func (l Layout) AuditsDir() string { return cmp.Or(l.Layout.Audits, "compliance") }

func (l Layout) separateFolder(p Place, folder string) string {
	if !l.Apart {
		return p.Results()
	}
	return path.Join(p.Folder(), folder, p.System, p.Benchmark, p.Scenario)
}

// AuditFiles lists the files of one audit in its folder.
type AuditFiles struct {
	Verdicts      []string // such as verify_accuracy.txt
	Performance   bool     // performance/run_1 with detail and summary log
	Accuracy      bool     // accuracy/mlperf_log_accuracy.json
	Required      bool     // the official checker requires the performance logs too
	LogsNotCopied bool     // the official script of the test copies no logs, so a submission contains only its verdict
	// Opened lists the files that the official checker opens before it judges anything, if they exist, in every division
	// and for every benchmark. An unreadable one ends the checker.
	Opened []string
}

// The two runs of TEST04 before v2.1: one issues each sample once, the other repeats one sample.
const (
	Caching       = "TEST04"
	CachingUnique = "TEST04-A"
	CachingSame   = "TEST04-B"
)

// AuditTests returns the audits with known files.
func AuditTests() []string {
	return []string{"TEST01", "TEST04", "TEST05", "TEST06", "TEST07", "TEST08", "TEST09"}
}

// FilesOf returns the files of an audit, such as "TEST01". It returns none for an unknown audit.
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
	case CachingSame: // the other run's folder contains the verdict
		return AuditFiles{Performance: true}
	case "TEST05":
		return AuditFiles{Verdicts: performance, Performance: true}
	case "TEST06":
		return AuditFiles{Verdicts: accuracy, Accuracy: true, Opened: accuracy}
	case "TEST07", "TEST08":
		return AuditFiles{Verdicts: accuracy, Performance: true, Accuracy: true, LogsNotCopied: test == "TEST08",
			Opened: accuracy}
	case "TEST09":
		length := []string{VerifyOutputLength}
		return AuditFiles{Verdicts: length, Performance: true, Accuracy: true, Opened: length}
	}
	return AuditFiles{}
}

// RunFiles returns the names of a performance run's logs.
func RunFiles() []string { return []string{SummaryLog, DetailLog} }

// AccuracyFiles returns the names of an accuracy run's files.
func AccuracyFiles() []string { return []string{SummaryLog, DetailLog, AccuracyText, AccuracyLog} }

// PowerFiles returns the names of the files in Place.Power.
func PowerFiles() []string { return power.SessionFiles() }

// PowerTexts returns the names without extensions of the text files in the measurements folder of a result with power.
// In them, a person describes the system's power management and the measuring devices.
func PowerTexts() []string { return []string{"power_settings", "analyzer_table"} }

// IsPowerText reports whether a file is one of PowerTexts.
func IsPowerText(name string) bool {
	text, _, _ := strings.Cut(name, ".")
	return slices.Contains(PowerTexts(), text)
}

// IsExtra reports whether a file is permitted in every folder of logs in addition to the required ones.
func IsExtra(name string) bool {
	return slices.Contains([]string{TraceLog, "results.json", ".gitkeep"}, name)
}

// IsHarmless reports whether a file is a text, image or system record that people and their programs typically leave
// next to logs. Such files are neither required nor harmful.
func IsHarmless(name string) bool {
	kinds := []string{".md", ".adoc", ".html", ".pdf", ".png", ".mmd", ".out", ".csv"}
	records := []string{"metadata.json", "cpu_info.json", "os_info.json", "pip_freeze.json", "mlc-version-info.json",
		"cm-version-info.json", "system_meta.json"}
	return slices.Contains(kinds, path.Ext(name)) || slices.Contains(records, name)
}
