package check

import (
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/power/spl"
	"github.com/plumbline-ml/plumbline/internal/submission/power"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

func (r *resultFolder) isPowerMeasured() bool { return power.IsMeasured(r.checker.tree, r.Place) }

// checkPower checks the power measurement of a result.
func (r *resultFolder) checkPower() {
	if !r.isPowerMeasured() {
		return
	}
	for _, d := range power.Differences(r.checker.tree, r.Place) {
		found := "missing: " + strings.Join(d.Missing, ", ") + "; besides: " + strings.Join(d.Extra, ", ")
		if d.NoFolder {
			found = "no folder"
		}
		r.addReject(rulePower, d.Folder, "the files are not those of a power measurement", found, "",
			"file the measurement's own folders")
	}
	if !r.checker.options.Skip.PowerFiles {
		r.checkMeterFiles()
	}
	r.checkSamples()
	r.checkNameplate()
	r.checkPowerTexts()
}

// checkPowerTexts checks for descriptions of the measurement, which the guidelines require and no official checker
// demands.
func (r *resultFolder) checkPowerTexts() {
	folder := r.checker.tree.Layout.Measurements(r.Place)
	for _, name := range tree.PowerTexts() {
		if !slices.ContainsFunc(r.checker.tree.Files(folder), func(file string) bool {
			return strings.HasPrefix(file, name+".")
		}) {
			r.addFinding(Note, rulePower, path.Join(folder, name+".md"), "a text about the measurement is missing", "",
				name+".*",
				"write it: how the system manages power, and with what it was measured")
		}
	}
}

// checkSamples checks that the log contains samples within the run.
func (r *resultFolder) checkSamples() {
	if r.performance == nil || !r.checker.tree.HasFile(path.Join(r.Run(), tree.PowerSamples)) {
		return
	}
	name := path.Join(r.Run(), tree.PowerSamples)
	average, err := power.AveragePower(r.checker.tree, r.Place, r.Run(), r.performance.textOf("power_begin"),
		r.performance.textOf("power_end"))
	if err != nil {
		r.addReject(rulePower, name, "the samples cannot be averaged", err.Error(), "",
			"file the samples and the log of one run")
		return
	}
	for _, fault := range average.Faults {
		r.addReject(rulePower, name, "a sample cannot be read", fault.Error(), "", "file the samples as the meter wrote them")
	}
	run := spl.MeasuredRun{Scenario: r.scenario, LoggedScenario: r.performance.logScenario(), Performance: r.metric,
		Queries: r.performance.expectedQueries(average.Window.Seconds())}
	if _, err := average.Metric(run); err != nil {
		r.addReject(rulePower, name, "there is no power result", err.Error(), "samples within the run",
			"file the samples and the log of one run; see that both clocks agree")
	}
}

// expectedQueries returns the number of queries of a run that lasted the given seconds. Logs before v2.0 lack it. For
// MultiStream it is then the number of generated queries, otherwise the rate times the time.
func (l *runLog) expectedQueries(seconds float64) uint64 {
	for _, key := range []string{"result_query_count", "generated_query_count"} {
		e, has := l.detail.First(key)
		if n, ok := e.Uint(); has && ok && (key == "result_query_count" || l.logScenario() == "MultiStream") {
			return n
		}
	}
	rate, _ := l.numberOf("result_qps_with_loadgen_overhead")
	return uint64(rate * seconds)
}

// checkNameplate checks for the ratings of the system's power supplies.
func (r *resultFolder) checkNameplate() {
	name := r.NameplateFile()
	if _, has := r.system.fields["system_power_capacity"]; has || !r.system.hasNameplate() {
		return
	}
	if !r.checker.tree.HasFile(name) {
		r.addFinding(Note, rulePower, name, "the description of the power supplies is missing", "", name,
			"add it, or system_power_capacity to the description of the system")
	}
}

// hasNameplate reports whether the round requires a description of the power supplies.
func (s *systemFolder) hasNameplate() bool { return s.checker.rules.HasNameplate() }

// checkNameplate reads the description of the power supplies. Like the official checker, it does so for every system,
// with or without power results.
func (s *systemFolder) checkNameplate() {
	name := s.NameplateFile()
	if _, there := s.checker.tree.Entry(name); !there || !s.hasNameplate() {
		return
	}
	text, err := s.checker.readText(name)
	if err == nil {
		_, err = power.SumNameplate([]byte(text))
	}
	if err != nil {
		s.checker.addFinding(Reject, rulePower, name, "the description of the power supplies cannot be read", err.Error(),
			"components with PSUs and Min PSUs Needed", "mend the file")
	}
}

// checkMeterFiles checks the files that the power meter's programs recorded.
func (r *resultFolder) checkMeterFiles() {
	for _, f := range power.CheckSession(r.checker.tree, r.Place) {
		r.addReject(rulePower, f.Path, "the session of the power meter does not hold: "+f.About, f.Text, "",
			"file the measurement's own folders, all of one session and as they are")
	}
	r.addFinding(Note, rulePower, r.Power(), "warnings and times in ptd_logs.txt are not looked at", "", "",
		"look at them with the power working group's program")
}
