package audit

import (
	"fmt"
	"strconv"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// checkSettings checks the settings of the test and the round's seeds in the log of the audit's run.
func (j *auditJudge) checkSettings() {
	if scenario, err := loadgen.ParseScenario(j.scenario); err == nil && j.config != nil {
		for _, s := range j.config.SettingsFor(scenario) {
			j.checkSetting(s)
		}
	}
	if j.rules == nil || j.request.Test == "TEST05" {
		return
	}
	j.checkSeeds(j.rules.Seeds, "round "+j.rules.Name)
}

// logNames maps audit settings to their names in the logs, if these differ.
var logNames = map[string]string{"min_duration": "min_duration_ms"}

// checkSetting compares one requested setting of the run. Counts above the test's value are accepted.
func (j *auditJudge) checkSetting(s mlconf.Override) {
	switch s.Key {
	case "mode":
		return // checkRunValid checks the mode
	case "test05":
		j.checkSecondSeeds()
		return
	case logShareKey:
		if logCount(j.run, "requested_"+logShareKey) > 0 {
			return // old rounds accepted any share
		}
	case "min_duration":
		return // 0 in tests that do not judge speed, which accept longer runs
	}
	name := s.Key
	if other, ok := logNames[name]; ok {
		name = other
	}
	name = "requested_" + name
	got := logValueText(j.run, name)
	if got == s.Value || got == boolText(s.Value) || isPermittedIncrease(s.Key, got, s.Value) {
		return
	}
	j.addReason(&j.bothReasons, Reason{Check: "audit-setting", File: j.request.Run.Detail,
		Found:  name + " " + valueOrMissing(got),
		Want:   s.Value,
		Advice: "run with the test's audit.config of this round, which harness audit writes beside its runs"})
}

// logValueText returns a log's value as text.
func logValueText(d *mllog.Detail, key string) string {
	e, ok := d.First(key)
	if !ok {
		return ""
	}
	return fmt.Sprint(e.Value)
}

// boolText converts 0 and 1 of a configuration to the logs' form of switches.
func boolText(value string) string {
	switch value {
	case "0":
		return "false"
	case "1":
		return "true"
	}
	return value
}

// isPermittedIncrease reports whether a setting has a permitted larger value.
func isPermittedIncrease(key, got, want string) bool {
	if key != countKey && key != "accuracy_log_sampling_target" {
		return false
	}
	g, err := strconv.ParseUint(got, 10, 64)
	w, err2 := strconv.ParseUint(want, 10, 64)
	return err == nil && err2 == nil && g >= w
}

// checkSeeds checks the seeds of a round in the run's log. It skips unknown seeds.
func (j *auditJudge) checkSeeds(seeds mlconf.Seeds, of string) {
	for _, s := range []struct {
		key  string
		want uint64
	}{
		{"effective_qsl_rng_seed", seeds.QSL}, {"effective_sample_index_rng_seed", seeds.SampleIndex},
		{"effective_schedule_rng_seed", seeds.Schedule},
	} {
		if got := logValueText(j.run, s.key); s.want != 0 && got != strconv.FormatUint(s.want, 10) {
			j.addReason(&j.bothReasons, Reason{Check: "seed", File: j.request.Run.Detail,
				Found:  s.key + " " + valueOrMissing(got),
				Want:   fmt.Sprintf("%d, of %s", s.want, of),
				Advice: "name the round that the run is for (--rules), or run again with its seeds", Rule: "seeds of the round"})
		}
	}
}

// checkSecondSeeds checks the round's seeds for TEST05.
func (j *auditJudge) checkSecondSeeds() {
	scenario, err := loadgen.ParseScenario(j.scenario)
	if err != nil {
		return
	}
	s, err := mlconf.Load(mlconf.Options{Rules: j.rules.Name, Model: j.request.Model, Scenario: scenario,
		Mode: loadgen.PerformanceOnly})
	if err != nil {
		return // the round has no settings for the model
	}
	j.checkSeeds(mlconf.Seeds{QSL: s.Test05QSLRNGSeed, SampleIndex: s.Test05SampleIndexRNGSeed,
		Schedule: s.Test05ScheduleRNGSeed}, "TEST05 in "+j.rules.Name)
}
