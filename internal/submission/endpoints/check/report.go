package check

import "fmt"

// Severity is the consequence of a finding for a submission.
type Severity string

// The severities. An error fails a submission. A warning fails it only if the user requests that.
const (
	Info    Severity = "info"
	Warning Severity = "warning"
	Error   Severity = "error"
)

// Row is the finding of a rule about a file or folder.
type Row struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Path     string   `json:"path"`    // relative to the submission, with slashes; "." for the submission itself
	Section  string   `json:"section"` // section of the rules
	Message  string   `json:"message"`
}

// Report contains all findings in the order of the checks.
type Report struct {
	Folder string `json:"folder"` // ORG/SUBMISSION_ID as given or found
	Rows   []Row  `json:"rows"`
}

// Count returns the number of rows with a severity.
func (r *Report) Count(s Severity) (n int) {
	for _, row := range r.Rows {
		if row.Severity == s {
			n++
		}
	}
	return n
}

// ruleSections contains the section of the rules for each rule of the check.
var ruleSections = map[string]string{
	"accuracy-coverage": "§4.3, §5.3", "accuracy-gate": "§15", "accuracy-present": "§15", "accuracy-sample-count": "§15",
	"accuracy-valid": "§4.3", "agentic-accuracy": "§3.2", "agentic-accuracy-inline": "§4.3",
	"agentic-accuracy-swebench": "§4.3", "agentic-metric-consistency": "§4.1", "agentic-osl-range": "§4.3",
	"approved-drafter": "§2.9.4", "benchmark-model-dir": "§1", "benchmark-type-consistency": "§6.1, §8.5",
	"c-min-override": "§5.4", "concurrency-in-range": "§9", "config-consistency-dataset": "§9.1",
	"config-consistency-model": "§9.1", "config-file-present": "§8.1", "drafter-approval-lead-time": "§2.9.4",
	"high-concurrency-coverage": "§§3–6", "load-pattern": "§10", "low-concurrency-coverage": "§§3–6",
	"max-concurrency-declared": "§7", "maximal-engagement": "§4.5.3", "measurement-points-present": "§1",
	"med-concurrency-coverage": "§§3–6", "metric-consistency-accounting": "§14", "metric-consistency-duration": "§14",
	"metric-consistency-output-tokens": "§14", "metric-consistency-system-tps": "§9.1",
	"metric-consistency-tpot-p90": "§9.1", "metric-consistency-tps-per-kw": "§4.5.3",
	"metric-consistency-tps-per-user": "§9.1", "min-query-count": "§12", "model-name-consistency": "§8.1",
	"model-name-valid": "§3.2", "nodes-used": "§4.5.3", "offline-declared": "§5.7", "offline-ordering": "§5.7.2",
	"offline-point-present": "§5.7", "path-exists": "§1", "point-cap": "§2, §8", "point-config-valid": "§8.3",
	"point-count": "§2, §8", "point-dirname-concurrency": "§1", "point-dirs": "§1", "point-disclosure-complete": "§8.3",
	"point-duration": "§6.2", "point-rules-skipped": "§1", "power-descriptor": "§4.5.2", "power-estimated": "§4.5.2",
	"region-basis": "§5.4", "region-computation": "§5.5", "region-declared": "§8.3", "region-placement": "§8.3",
	"required-dir": "§1", "result-file-valid": "§8.3", "result-summary-present": "§1", "seed-config-legacy": "§4.6",
	"seed-runtime-match": "§4.6", "seed-set-adoption": "§4.6", "seed-set-consistency": "§4.6",
	"seed-set-membership": "§4.6", "shared-path-resolution": "§9.1", "src-dir": "§1", "src-readme": "§1",
	"steady-state-basis": "§4.4", "steady-state-consistency": "§4.4", "steady-state-valid": "§4.4",
	"streaming-config": "§6.5", "system-description-consistency": "§8.5", "system-description-present": "§8.2",
	"system-description-valid": "§8.2", "system-results-dir": "§1", "target-cohort": "§4.6", "tps-utilization": "§8.2",
	"ultra-low-concurrency-coverage": "§5.4", "warmup-logs-retained": "§6.3.2", "warmup-present": "§6.3.3",
	"warmup-salt": "§6.3.3",
}

// Sections of rows that differ from the section of their rule.
const (
	sectionOffline         = "§5.7.1" // exemptions of a dedicated Offline run
	sectionOfflinePattern  = "§6.1"
	sectionOfflineElection = "§5.7.2"
	sectionPowerScope      = "§4.5"
	sectionCMin            = "§5.4"
)

// addRow adds a row of a rule. It panics for a rule without a section; tests cover all rules.
func (c *submissionChecker) addRow(rule string, s Severity, path, format string, args ...any) {
	section, known := ruleSections[rule]
	if !known {
		panic("check: the rule " + rule + " has no section")
	}
	c.addRowInSection(section, rule, s, path, format, args...)
}

// addRowInSection adds a row with its own section.
func (c *submissionChecker) addRowInSection(section, rule string, s Severity, path, format string, args ...any) {
	c.report.Rows = append(c.report.Rows, Row{rule, s, c.shownPath(path), section, fmt.Sprintf(format, args...)})
}

// addEither adds an info row if holds is true, and a row with the severity otherwise.
func (c *submissionChecker) addEither(holds bool, rule string, s Severity, path, good, bad string) {
	if holds {
		c.addRow(rule, Info, path, "%s", good)
	} else {
		c.addRow(rule, s, path, "%s", bad)
	}
}
