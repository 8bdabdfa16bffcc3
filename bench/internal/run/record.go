package run

import (
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"

	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/internal/system"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/plan"
	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/settings"
	"github.com/plumbline-ml/plumbline/internal/record/output"
)

// facts are the parts of a record that do not depend on the run.
type facts struct {
	Harness  record.Harness
	System   system.Info
	Plugin   record.Plugin
	Command  []string
	datasets map[string]string // checksums by path
}

// known are the facts without checksums, for which files are read.
func known(p *plan.Plan) facts {
	f := facts{
		Harness: p.Request.Output.Harness, System: p.Request.Described(), Command: p.Request.Output.Command,
		Plugin: record.Plugin{Name: p.Served.Name, Version: p.Served.Description.Version, Path: p.Served.Path},
	}
	if f.Harness == (record.Harness{}) {
		f.Harness = version()
	}
	return f
}

// gather finds what every record of a plan's runs says.
func gather(p *plan.Plan) (f facts, err error) {
	f = known(p)
	if f.Plugin.SHA256, _, err = checksum.File(p.Served.Path); err != nil {
		return f, plugin.Fault(fmt.Errorf("plugin %s: %w", p.Served.Name, err))
	}
	f.datasets = map[string]string{}
	return f, nil
}

// dataset is the checksum of a data set of the user's, made once; empty: it is the plugin's own. It reads all of the
// folder, so that it comes after the plugin has found a data set there.
func (f facts) dataset(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	if sum := f.datasets[path]; sum != "" {
		return sum, nil
	}
	sum, err := checksum.Dataset(path)
	if err != nil {
		return "", sdk.Data(err)
	}
	f.datasets[path] = sum
	return sum, nil
}

// version is that of this module in the program that runs.
func version() record.Harness {
	const module = "github.com/plumbline-ml/plumbline"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == module {
				return record.Harness{Version: m.Version}
			}
		}
	}
	return record.Harness{Version: "devel"}
}

// record is the record of a run that has not begun.
func (r *runner) record(p *plan.Plan, t plan.Run) record.Run {
	rec := record.Run{
		Identity: p.Request.Output.Identity, Model: t.Model, Scenario: t.ScenarioName(), Mode: t.ModeName(),
		Profile: string(t.Settings.Profile), Deviations: t.Settings.Deviations, Rules: p.Rules, Pace: p.Pace,
		Audit: filepath.ToSlash(p.AuditPath(t)), Test: t.Test,
		Started: r.request.Clock(), Dir: filepath.ToSlash(t.Dir), Command: r.facts.Command, TuningNote: p.TuningText(),
		Plugin: r.facts.Plugin, System: r.facts.System, Harness: r.facts.Harness,
		LoadGen: driver(p),
		Stated:  record.Stated{System: p.Stated.System, Note: p.Stated.Note, Precision: p.Stated.Precision},
	}
	if p.Test.Judged {
		rec.TestVerdict = record.TestNotJudged
	}
	rec.Notes = append(rec.Notes, t.Outlook...)
	rec.RulesKey, rec.LoadGenKey = p.Served.Model.RulesKey, p.Served.Model.LoadGenKey
	rec.FromOptions(p.Shown(p.OptionsOf(t)))
	rec.Options.ScorerFiles = p.ScorerFiles
	if t.FromProfile() {
		rec.Tuning = p.Tuning.File
	}
	if t.Users > 0 { // LoadGen's settings have no part in it
		rec.Deviations = nil
		if t.Replay {
			if t.Settings.Profile == settings.Custom { // seeds and times of a replay are the user's to choose
				rec.Profile = string(settings.Official)
			}
			for _, row := range t.ReplayRows() {
				rec.Settings = append(rec.Settings, settingOf(row))
			}
			return rec
		}
		if n := p.Request.Load.Requests; n > 0 {
			rec.Settings = append(rec.Settings, record.Setting{Key: "requests", Value: strconv.Itoa(n), Origin: "flag"})
		}
		if d := p.Request.Load.Duration; d > 0 {
			rec.Settings = append(rec.Settings, record.Setting{Key: "duration", Value: d.String(), Origin: "flag"})
		}
		rec.Identity.Point = append(slices.Clone(rec.Identity.Point), fmt.Sprintf("users=%d", t.Users))
		return rec
	}
	for _, n := range t.Settings.Notes {
		rec.Notes = append(rec.Notes, record.Finding{About: "settings", Text: n.String()})
	}
	for _, row := range t.Settings.Rows() {
		rec.Settings = append(rec.Settings, settingOf(row))
	}
	return rec
}

func settingOf(row settings.Row) record.Setting {
	return record.Setting{Key: row.Key, Value: row.Value, Unit: row.Unit, Origin: row.Origin}
}

// skipped are the records of runs that are not made, for what ends with code.
func (r *runner) skipped(p *plan.Plan, runs []plan.Run, code exitcode.Code) []record.Run {
	records := make([]record.Run, len(runs))
	for i, t := range runs {
		records[i] = r.record(p, t)
		records[i].Skip(code)
		records[i].Hide(r.launch.Hide)
	}
	return records
}

// Unmade are the records of the plan's runs as runs that are not made, with the code of an interrupt: what result.json
// says of a run from the moment when somebody has set out to make it. They lack the checksums of the plugin and of the
// data set.
func Unmade(p *plan.Plan) []record.Run {
	p.Out = p.Request.Output.Dir
	return newRunner(p, known(p), nil).skipped(p, p.Runs, exitcode.Interrupted)
}

// Record puts records into result.json of the output folder out, and of their scenarios, in the place of those of the
// same runs. It is an error if another session writes there.
func Record(out string, runs ...record.Run) error {
	if len(runs) == 0 {
		return nil
	}
	claim, err := output.Hold(out)
	if err != nil {
		return err
	}
	defer claim.Release()
	return sdk.Usage(record.Save(out, runs...))
}

// Settle settles what a session that was killed left in the output folder out, for who makes no run there, and says in
// lines what became of results that it had set aside.
func Settle(out string) (note string) { return output.Settle(out).Text() }
