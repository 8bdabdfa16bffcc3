package plan

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/settings"
	"github.com/plumbline-ml/plumbline/bench/tune"
)

// Run is one test of the plan.
type Run struct {
	Model    string
	Scenario loadgen.Scenario
	Mode     loadgen.Mode
	Test     string // the compliance test of the run: "TEST01"; empty: none
	// Streams searches for the largest samples_per_query of MultiStream, with several runs of Mode in their own
	// directories.
	Streams bool
	Ranging bool // a run before the counted one that sets the ranges of a power meter
	// Users is the number of users of a closed loop, which replaces LoadGen; 0: LoadGen drives the run. In a closed loop,
	// Scenario only determines how the plugin forms batches.
	Users int
	// Replay sends recorded conversations turn by turn, instead of LoadGen's queries (sdk.ModelInfo.Replay). Users is then
	// 1.
	Replay   bool
	Settings settings.Settings
	// Tuned is the setting of a tuning profile; nil: none. TunedRate and TunedLatency state that target_qps or
	// target_latency comes from a profile.
	Tuned                   *tune.Setting
	TunedRate, TunedLatency bool
	// Outlook contains findings known before the run begins.
	Outlook []record.Finding
	// Dir is the directory of the log files, relative to the output directory, as in the official tree.
	Dir string
}

// resolveProfile chooses between the rules' durations and the model's smoke settings.
func (r Rules) resolveProfile(p *Plan) error {
	p.Profile = settings.Official
	switch {
	case r.Official && r.Smoke:
		return errors.New("--official and --smoke exclude each other")
	case r.Smoke, p.Embedded && !r.Official:
		p.Profile = settings.Smoke
	}
	return nil
}

// chooseRuns chooses the profile and makes the runs with their settings.
func (p *Plan) chooseRuns(r Request) []error {
	profile := r.Rules.resolveProfile(p)
	steps, overrides, faults := p.readSteps(r)
	for _, st := range steps {
		run := Run{
			Model: p.Served.Model.Name, Scenario: st.scenario, Mode: st.mode, Streams: st.streams, Test: r.Rules.Test.Name,
			Ranging: st.ranging, Users: st.users, Replay: st.replay,
		}
		run.Dir = run.runFolder()
		var err error
		run.Settings, err = settings.Load(settings.Request{
			Model: p.Served.Model, Scenario: st.scenario, Mode: st.mode, Profile: p.Profile,
			Rules: r.Rules.Round, UserConf: r.Rules.UserConf, Overrides: overrides, Audit: r.Rules.Audit,
			Test: r.Rules.Test.Name, TestConfig: r.Rules.Test.Config, IgnoreUnknownKeys: r.Rules.IgnoreUnknownKeys,
		})
		if err == nil {
			err = p.checkRun(r, run)
		}
		if err == nil {
			err = run.Settings.Check()
		}
		if err != nil {
			faults = append(faults, err)
		}
		p.Runs = append(p.Runs, run)
	}
	return append([]error{profile}, dedupeErrors(faults)...)
}

// checkRun lists the reasons why the requested run is impossible.
func (p *Plan) checkRun(r Request, run Run) error {
	return errors.Join(run.checkSearchable(p.Rules), run.checkLoop(r.Model), run.checkReplay(r))
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

// dedupeErrors removes repeated faults: a wrong key in user.conf is the same fault in each scenario. It joins faults of
// files into one error of limited length.
func dedupeErrors(faults []error) []error {
	var in mlconf.Faults
	var others []error
	seen, known := map[string]bool{}, map[mlconf.Problem]bool{}
	for _, err := range faults {
		file, ok := errors.AsType[mlconf.Faults](err)
		for _, f := range file {
			if !known[f] {
				known[f], in = true, append(in, f)
			}
		}
		if !ok && err != nil && !seen[err.Error()] {
			seen[err.Error()] = true
			others = append(others, err)
		}
	}
	if len(in) == 0 {
		return others
	}
	return append(others, in)
}

// ModeName returns the name of the run's mode: "performance", "accuracy", "findpeak" or "ranging", or "serving" for a
// closed loop.
func (r Run) ModeName() string {
	if r.Users > 0 {
		return record.ModeServing
	}
	switch r.Mode {
	case loadgen.AccuracyOnly:
		return ModeAccuracy
	case loadgen.FindPeakPerformance:
		return ModeFindPeak
	}
	switch {
	case r.Streams:
		return ModeFindPeak
	case r.Ranging:
		return ModeRanging
	}
	return ModePerformance
}

// ScenarioName returns the name of the run's scenario; "": it has none.
func (r Run) ScenarioName() string {
	if r.Users > 0 && !r.Replay {
		return ""
	}
	return r.Scenario.String()
}

// runFolder returns Dir. The runs of a search have a directory next to those of results.
func (r Run) runFolder() string {
	switch r.ModeName() {
	case ModeAccuracy:
		return filepath.Join(r.testDir(), "accuracy")
	case ModeFindPeak:
		return filepath.Join(r.testDir(), "performance", "findpeak")
	case ModeRanging:
		return filepath.Join(r.testDir(), "performance", "ranging")
	case record.ModeServing:
		if r.Replay {
			return filepath.Join(r.testDir(), "replay")
		}
		return filepath.Join(r.testDir(), "closed_loop", fmt.Sprintf("users_%d", r.Users))
	}
	return filepath.Join(r.testDir(), "performance", "run_1")
}

// scenarioDir returns the directory of the run's result.json, relative to the output directory.
func (r Run) scenarioDir() string { return filepath.Join(r.Model, r.ScenarioName()) }

// testDir returns the folder of the run's compliance test, or of its scenario without one, relative to the output
// directory.
func (r Run) testDir() string { return filepath.Join(r.scenarioDir(), r.Test) }
