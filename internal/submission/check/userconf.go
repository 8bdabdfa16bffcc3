package check

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// checkUserConf reads user.conf like LoadGen, and warns of settings that were probably not intended. The performance
// run's log has precedence: a setting that breaks a rule rejects the result only if the log does not show that another
// value was used.
func (r *resultFolder) checkUserConf() {
	folder := r.checker.tree.Layout.Measurements(r.Place)
	r.checkOwnRules(path.Join(folder, tree.MLPerfConf))
	name := path.Join(folder, tree.UserConf)
	if e, _ := r.checker.tree.Entry(name); !r.checker.tree.HasFile(name) || e.Size == 0 {
		return // checkMeasurements reports it
	}
	text, err := r.checker.readBytes(name)
	if err != nil {
		r.addReject(ruleConf, name, "the settings cannot be read", err.Error(), "", "mend the file")
		return
	}
	if line, others := firstNoSetting(string(text)); line != "" {
		r.addFinding(r.unreadableSeverity(others), ruleConf, name, "a line is no setting", line, "MODEL.SCENARIO.KEY = VALUE",
			"remove or mend the line")
		return
	}
	for _, scenario := range []string{"SingleStream", "MultiStream", "Server", "Offline"} {
		if !r.checkConf(name, string(text), scenario) {
			return
		}
	}
	problems, unknown := mlconf.Check(name, string(text), "", r.checker.rules, true)
	for _, p := range problems {
		r.addWarning(ruleConf, name, "LoadGen ignores or changes a setting", fmt.Sprintf("line %d: %s: %s", p.Line, p.Key,
			p.Text), "", "remove the line")
	}
	for _, n := range unknown {
		r.addFinding(r.unreadSeverity(), ruleConf, name, "a line is none of LoadGen's", fmt.Sprintf("line %d: %s",
			n.Lines[0], n.Text),
			"", "remove it")
	}
}

// unreadSeverity returns the severity of a line that LoadGen ignores. It is low if the log shows the settings.
func (r *resultFolder) unreadSeverity() Severity {
	if r.performance != nil {
		return Note
	}
	return Warn
}

// firstNoSetting returns the first line that is neither a setting nor a comment, and whether the text contains
// settings.
func firstNoSetting(text string) (first string, settings bool) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.Contains(line, "="):
			settings = true
		case first == "":
			first = line
		}
	}
	return first, settings
}

// unreadableSeverity returns the severity of a user.conf that LoadGen cannot read. If there is a log, LoadGen ran with
// another file. A file without settings is a placeholder.
func (r *resultFolder) unreadableSeverity(settings bool) Severity {
	if settings && r.performance != nil {
		return Warn
	}
	return r.checker.descriptionSeverity()
}

// checkConf checks the settings of one scenario. It returns false if LoadGen cannot read the file.
func (r *resultFolder) checkConf(name, text, scenario string) bool {
	official := mlconf.Official{Of: r.checker.rules}
	var s loadgen.TestSettings
	model := r.checker.rules.LoadGenModel(r.model, r.scenario)
	code, err := official.FromConfig(&s, &text, model, scenario, mlconf.ConfUser)
	if err != nil || code == mlconf.CodeInvalid {
		r.addFinding(r.unreadableSeverity(true), ruleConf, name, "LoadGen cannot read the settings", firstFault(name, text),
			"lines MODEL.SCENARIO.KEY = VALUE", "mend the line")
		return false
	}
	minDuration, ok := r.minDuration(scenario)
	if ok && s.MinDuration < minDuration && !strings.HasPrefix(r.model, "e2e-rag") {
		r.judgeSetting(name, scenario, Reject, confSetting{problem: "below the minimum", key: "min_duration",
			value: float64(s.MinDuration.Milliseconds()), bound: float64(minDuration.Milliseconds()),
			loggedKey: "effective_min_duration_ms"})
	}
	least := r.checker.rules.PerformanceSampleCount(r.model)
	if n := s.PerformanceSampleCountOverride; n > 0 && n < least {
		r.judgeSetting(name, scenario, Reject, confSetting{problem: "below the minimum",
			key:   "performance_sample_count_override",
			value: float64(n), bound: float64(least), loggedKey: "effective_performance_sample_count"})
	}
	limit := r.checker.rules.LatencyLimit(r.model, scenario)
	if scenario == "Server" && limit > 0 && s.ServerTargetLatency > limit {
		r.judgeSetting(name, scenario, Warn, confSetting{problem: "over the limit", key: "target_latency in ns", isMax: true,
			value: float64(s.ServerTargetLatency), bound: float64(limit), loggedKey: "effective_target_latency_ns"})
	}
	return true
}

// confSetting is a setting of user.conf that breaks a limit of the rules.
type confSetting struct {
	problem, key string
	value, bound float64
	isMax        bool   // bound is a maximum
	loggedKey    string // key of the setting in a detail log, in the same unit
}

// respectsBound reports whether a value respects the limit.
func (p confSetting) respectsBound(value float64) bool {
	return value == p.bound || (value < p.bound) == p.isMax
}

// judgeSetting judges a setting by its value in the run's log.
func (r *resultFolder) judgeSetting(name, scenario string, severity Severity, p confSetting) {
	found, bound := p.key+" "+quoteValue(p.value), quoteValue(p.bound)
	if scenario != r.performanceScenario() { // not the scenario of this result's run
		r.addWarning(ruleConf, name, "a setting of "+scenario+" is "+p.problem, found, bound, "remove it")
		return
	}
	if r.performance != nil {
		if ran, ok := r.performance.numberOf(p.loggedKey); ok && p.respectsBound(ran) {
			r.addWarning(ruleConf, name, "user.conf is not what ran",
				found+"; the log has "+r.performance.quotedValue(p.loggedKey), bound,
				"file the user.conf that the run read")
			return
		}
	}
	r.addFinding(severity, ruleConf, name, "a setting of "+scenario+" is "+p.problem, found, bound,
		"remove it, and run again")
}

// performanceScenario returns the scenario of the performance run from its log, or else the result's.
func (r *resultFolder) performanceScenario() string {
	if r.performance != nil && r.performance.logScenario() != "" {
		return r.performance.logScenario()
	}
	return r.loggedScenario()
}

// loggedScenario returns LoadGen's name of the result's scenario.
func (r *resultFolder) loggedScenario() string {
	if r.scenario == "Interactive" {
		return "Server"
	}
	return r.scenario
}

// firstFault returns the first line that cannot be read.
func firstFault(name, text string) string {
	problems, _ := mlconf.Check(name, text, "", nil, true)
	if len(problems) == 0 {
		return ""
	}
	return fmt.Sprintf("line %d: %s", problems[0].Line, problems[0].Text)
}

// seedLine matches a line of a configuration file that sets one of the rules' seeds.
var seedLine = regexp.MustCompile(`(?m)^\s*\*\.\*\.(qsl|sample_index|schedule)_rng_seed\s*=\s*(\d+)`)

// checkOwnRules warns of an mlperf.conf with seeds other than the round's. LoadGen does not read that file.
func (r *resultFolder) checkOwnRules(name string) {
	if !r.checker.tree.HasFile(name) {
		return
	}
	text, err := r.checker.readBytes(name)
	if err != nil {
		r.addWarning(ruleConf, name, "the file cannot be read", err.Error(), "",
			"remove it: LoadGen has the rules' settings built in")
		return
	}
	seeds := r.checker.rules.Seeds
	want := map[string]uint64{"qsl": seeds.QSL, "sample_index": seeds.SampleIndex, "schedule": seeds.Schedule}
	for _, m := range seedLine.FindAllStringSubmatch(string(text), -1) {
		if seed, _ := strconv.ParseUint(m[2], 10, 64); seed != want[m[1]] {
			r.addWarning(ruleConf, name, "a seed is not the round's", strings.TrimSpace(m[0]),
				strconv.FormatUint(want[m[1]], 10), "remove the file: LoadGen has the rules' settings built in")
		}
	}
}
