package check

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/submission/tree"
)

// checkUserConf reads user.conf as LoadGen does, and what people may not have meant.
func (r *resultFolder) checkUserConf() {
	folder := r.checker.tree.Layout.Measurements(r.Place)
	r.checkOwnRules(path.Join(folder, tree.MLPerfConf))
	name := path.Join(folder, tree.UserConf)
	if e, _ := r.checker.tree.Entry(name); !r.checker.tree.HasFile(name) || e.Size == 0 {
		return // told by checkMeasurements
	}
	text, err := r.checker.readBytes(name)
	if err != nil {
		r.reject(ruleConf, name, "the settings cannot be read", err.Error(), "", "mend the file")
		return
	}
	if line := noSetting(string(text)); line != "" {
		r.reject(ruleConf, name, "a line is no setting", line, "MODEL.SCENARIO.KEY = VALUE", "remove or mend the line")
		return
	}
	for _, scenario := range []string{"SingleStream", "MultiStream", "Server", "Offline"} {
		if !r.checkConf(name, string(text), scenario) {
			return
		}
	}
	problems, _ := mlconf.Check(name, string(text), "", false)
	for _, p := range problems {
		r.warn(ruleConf, name, "LoadGen ignores or changes a setting", fmt.Sprintf("line %d: %s: %s", p.Line, p.Key,
			p.Text), "",
			"remove the line")
	}
}

// noSetting is the first line that is neither a setting nor a comment.
func noSetting(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") && !strings.Contains(line, "=") {
			return line
		}
	}
	return ""
}

// checkConf applies the settings of one scenario; false says that LoadGen takes none of them.
func (r *resultFolder) checkConf(name, text, scenario string) bool {
	official := mlconf.Official{Of: r.checker.rules}
	var s loadgen.TestSettings
	model := r.checker.rules.LoadGenModel(r.model, r.scenario)
	code, err := official.FromConfig(&s, &text, model, scenario, mlconf.ConfUser)
	if err != nil || code == mlconf.CodeInvalid {
		r.reject(ruleConf, name, "LoadGen cannot read the settings", firstFault(name, text),
			"lines MODEL.SCENARIO.KEY = VALUE", "mend the line")
		return false
	}
	severity := Warn // of settings that this result's run did not read
	if r.logged() == scenario {
		severity = Reject
	}
	if s.MinDuration < minDuration && !strings.HasPrefix(r.model, "e2e-rag") {
		r.add(severity, ruleConf, name, "a setting of "+scenario+" is below the minimum",
			fmt.Sprintf("min_duration %d", s.MinDuration.Milliseconds()),
			strconv.FormatInt(minDuration.Milliseconds(), 10), "remove it")
	}
	if n := s.PerformanceSampleCountOverride; n > 0 && n < r.checker.rules.PerformanceSampleCount(r.model) {
		r.add(severity, ruleConf, name, "a setting of "+scenario+" is below the minimum",
			fmt.Sprintf("performance_sample_count_override %d", n),
			strconv.FormatUint(r.checker.rules.PerformanceSampleCount(r.model), 10), "remove it")
	}
	limit := r.checker.rules.LatencyLimit(r.model, scenario)
	if scenario == "Server" && limit > 0 && s.ServerTargetLatency > limit {
		r.warn(ruleConf, name, "a setting of "+scenario+" is over the limit", fmt.Sprintf("target_latency %v",
			s.ServerTargetLatency),
			limit.String(), "remove it")
	}
	return true
}

// logged is the scenario that LoadGen knows of the result's.
func (r *resultFolder) logged() string {
	if r.scenario == "Interactive" {
		return "Server"
	}
	return r.scenario
}

// firstFault is the first line that cannot be read.
func firstFault(name, text string) string {
	problems, _ := mlconf.Check(name, text, "", true)
	if len(problems) == 0 {
		return ""
	}
	return fmt.Sprintf("line %d: %s", problems[0].Line, problems[0].Text)
}

// seedLine is a line of a configuration file that sets one of the rules' seeds.
var seedLine = regexp.MustCompile(`(?m)^\s*\*\.\*\.(qsl|sample_index|schedule)_rng_seed\s*=\s*(\d+)`)

// checkOwnRules warns of an mlperf.conf with other seeds than the round's, which LoadGen does not read.
func (r *resultFolder) checkOwnRules(name string) {
	if !r.checker.tree.HasFile(name) {
		return
	}
	text, err := r.checker.readBytes(name)
	if err != nil {
		r.warn(ruleConf, name, "the file cannot be read", err.Error(), "",
			"remove it: LoadGen has the rules' settings built in")
		return
	}
	seeds := r.checker.rules.Seeds
	want := map[string]uint64{"qsl": seeds.QSL, "sample_index": seeds.SampleIndex, "schedule": seeds.Schedule}
	for _, m := range seedLine.FindAllStringSubmatch(string(text), -1) {
		if seed, _ := strconv.ParseUint(m[2], 10, 64); seed != want[m[1]] {
			r.warn(ruleConf, name, "a seed is not the round's", strings.TrimSpace(m[0]),
				strconv.FormatUint(want[m[1]], 10),
				"remove the file: LoadGen has the rules' settings built in")
		}
	}
}
