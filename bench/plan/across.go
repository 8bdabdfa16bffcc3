package plan

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/power"
	"github.com/plumbline-ml/plumbline/loadgen"
)

// checkRun lists the reasons why the requested run is impossible.
func (p *Plan) checkRun(r Request, run Run) error {
	return errors.Join(run.checkSearchable(p.Rules), run.checkLoop(r.Model), run.checkReplay(r))
}

// checkAcross lists the requirements of a request's sections that the runs do not meet.
func (p *Plan) checkAcross(r Request) []error {
	return []error{p.checkDatasets(r.Data), p.checkPower(r.Power), p.checkExports(r.Output)}
}

// checkSearchable requires an arrival interval for a search of MultiStream.
func (r Run) checkSearchable(rules string) error {
	if !r.Streams || r.Settings.MultiStreamArrivalInterval > 0 {
		return nil
	}
	return fmt.Errorf("--mode %s in MultiStream searches for the largest samples_per_query at a fixed arrival interval, "+
		"which the rules %s do not have: give --rules v0.5 to v1.1", ModeFindPeak, rules)
}

// checkLoop checks that a run can be a closed loop.
func (r Run) checkLoop(m Model) error {
	if r.Users == 0 || r.Replay {
		return nil
	}
	if !r.Settings.UseTokenLatencies {
		return fmt.Errorf("--concurrency is for benchmarks of language models, which tell of their tokens: %s does not",
			r.Model)
	}
	for _, o := range m.BackendOptions {
		if key, value, _ := strings.Cut(o, "="); strings.TrimSpace(key) == "concurrency" {
			return fmt.Errorf("--concurrency %d and --backend-opt concurrency=%s: the first is how many users wait for "+
				"answers, the second a cap on the requests that the client has under way; leave the cap out", r.Users, value)
		}
	}
	return nil
}

// checkReplay lists the parts of a request that do not apply to replays.
func (r Run) checkReplay(asked Request) error {
	if !r.Replay {
		return nil
	}
	var other []string
	for _, of := range []struct {
		flag  string
		given bool
	}{
		{"--concurrency", asked.Load.Concurrency != 0}, {"--mode " + ModeFindPeak, asked.Load.Mode == ModeFindPeak},
		{"--audit", asked.Rules.Audit != "" || asked.Rules.Test.Name != ""},
		{"--power", asked.Power.Meter != "" || asked.Power.Logs != ""},
	} {
		if of.given {
			other = append(other, of.flag)
		}
	}
	if len(other) == 0 {
		return nil
	}
	return fmt.Errorf("%s: a timed run of %s replays recorded conversations one turn at a time, without LoadGen; leave "+
		"it out", strings.Join(other, ", "), r.Model)
}

// checkDatasets checks that the user names all data sets that the runs open, or none. A data set of the plugin must not
// be mixed with the user's.
func (p *Plan) checkDatasets(d Data) error {
	var faults []error
	told := map[string]bool{}
	fault := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !told[text] {
			told[text] = true
			faults = append(faults, errors.New(text))
		}
	}
	given := datasets{d.AccuracyPath, d.AuditPath}
	others := d.Path != "" || given != datasets{}
	for _, run := range p.Runs {
		use := p.UseOf(run)
		own, has := p.Served.Model.DatasetOf(use)
		switch {
		case use == run.Test && has && d.Path != "" && d.AuditPath == "":
			fault("%s of %s has a data set of its own, %s of %d samples: name it with --audit-dataset", use,
				p.Served.Model.Name, own.Name, own.Samples)
		case others && p.pick(use, d.Path, given) == "":
			fault("the %s run would have the plugin's own data, beside data sets of yours: name one with %s", run.ModeName(),
				datasetFlag(use))
		}
	}
	return errors.Join(faults...)
}

// checkPower requires a run during which the meter, if there is one, can measure, and checks the logs of the power
// session.
func (p *Plan) checkPower(w Power) error {
	if p.Power == nil {
		return nil
	}
	if len(p.Runs) > 0 && !slices.ContainsFunc(p.Runs, Run.Timed) {
		return fmt.Errorf("--power measures runs of mode %s, and this plan has none", ModePerformance)
	}
	return checkPowerLogs(w.Logs, p.Runs)
}

// checkPowerLogs requires the logs of one power session and exactly one run to which it belongs.
func checkPowerLogs(dir string, runs []Run) error {
	if dir == "" {
		return nil
	}
	var faults []error
	for _, name := range power.SessionFiles() {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil {
			faults = append(faults, fmt.Errorf("--power-logs: %w", err))
		} else if !info.Mode().IsRegular() {
			faults = append(faults, fmt.Errorf("--power-logs: %s: found %v, want a file", filepath.Join(dir, name), info.Mode()))
		}
	}
	count := 0
	for _, run := range runs {
		if run.ModeName() == ModePerformance {
			count++
		}
	}
	if count > 1 {
		faults = append(faults, fmt.Errorf("--power-logs is one session's, and this plan has %d runs of mode %s: give one "+
			"--scenario", count, ModePerformance))
	}
	return errors.Join(faults...)
}

// checkExports requires a timed run to export, and a LoadGen that provides its measurements.
func (p *Plan) checkExports(o Output) error {
	switch {
	case o.ExportRows < 0:
		return fmt.Errorf("--export-rows %d: want 1 or more", o.ExportRows)
	case len(o.Exports) == 0:
		return nil
	case p.Request.Rules.LoadGen == LoadGenOfficial:
		return errors.New("--export: the official LoadGen does not hand out what it measured; --trace writes its own log " +
			"of it")
	}
	for _, t := range p.Runs {
		if t.Mode != loadgen.AccuracyOnly {
			return nil
		}
	}
	if len(p.Runs) == 0 { // reported as another fault
		return nil
	}
	return errors.New("--export: it is of timed runs, and there is none")
}
