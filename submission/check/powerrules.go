package check

import (
	"path"
	"strings"

	"github.com/plumbline-ml/plumbline/submission/power"
	"github.com/plumbline-ml/plumbline/submission/tree"
)

func (r *resultFolder) measured() bool { return power.Measured(r.checker.tree, r.Place) }

// checkPower looks at the power measurement of a result.
func (r *resultFolder) checkPower() {
	if !r.measured() {
		return
	}
	for _, d := range power.Differences(r.checker.tree, r.Place) {
		found := "missing: " + strings.Join(d.Missing, ", ") + "; besides: " + strings.Join(d.Extra, ", ")
		if d.NoFolder {
			found = "no folder"
		}
		r.reject(rulePower, d.Folder, "the files are not those of a power measurement", found, "",
			"file the measurement's own folders")
	}
	if !r.checker.options.Skip.PowerFiles {
		r.checkMeterFiles()
	}
	r.checkSamples()
	r.checkNameplate()
}

// checkSamples wants samples within the run.
func (r *resultFolder) checkSamples() {
	if r.perf == nil || !r.checker.tree.HasFile(path.Join(r.Run(), tree.PowerSamples)) {
		return
	}
	name := path.Join(r.Run(), tree.PowerSamples)
	average, err := power.Average(r.checker.tree, r.Run(), r.perf.word("power_begin"), r.perf.word("power_end"))
	switch {
	case err != nil:
		r.reject(rulePower, name, "the samples cannot be averaged", err.Error(), "",
			"file the samples and the log of one run")
	case average.Samples == 0:
		r.reject(rulePower, name, "no sample lies within the run",
			r.perf.word("power_begin")+" to "+r.perf.word("power_end"),
			"at least one", "file the samples and the log of one run; see that both clocks agree")
	}
}

// checkNameplate looks for what the system's power supplies are made for.
func (r *resultFolder) checkNameplate() {
	name := r.NameplateFile()
	if _, has := r.system.fields["system_power_capacity"]; has || r.checker.rules.Name != "v6.1" {
		return
	}
	if !r.checker.tree.HasFile(name) {
		r.add(Note, rulePower, name, "the description of the power supplies is missing", "", name,
			"add it, or system_power_capacity to the description of the system")
		return
	}
	text, err := r.checker.readText(name)
	if err == nil {
		_, err = power.Nameplate(text)
	}
	if err != nil {
		r.reject(rulePower, name, "the description of the power supplies cannot be read", err.Error(),
			"components with PSUs and Min PSUs Needed", "mend the file")
	}
}

// checkMeterFiles judges what the power meter's programs recorded of their session.
func (r *resultFolder) checkMeterFiles() {
	for _, f := range power.CheckSession(r.checker.tree, r.Place) {
		r.reject(rulePower, f.Path, "the session of the power meter does not hold: "+f.About, f.Text, "",
			"file the measurement's own folders, all of one session and as they are")
	}
	r.add(Note, rulePower, r.Power(), "warnings and times in ptd_logs.txt are not looked at", "", "",
		"look at them with the power working group's program")
}
