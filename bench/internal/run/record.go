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

// runFacts contains the parts of a record that do not depend on the run.
type runFacts struct {
	Harness  record.Harness
	System   system.Info
	Plugin   record.Plugin
	Command  []string
	datasets map[string]string // checksums by path
}

// knownFacts returns the facts that can be determined without reading large files, without checksums.
func knownFacts(p *plan.Plan) runFacts {
	f := runFacts{
		Harness: p.Request.Output.Harness, System: p.Request.Described(), Command: p.Request.Output.Command,
		Plugin: record.Plugin{Name: p.Served.Name, Version: p.Served.Description.Version, Path: p.Served.Path},
	}
	if f.Harness == (record.Harness{}) {
		f.Harness = harnessVersion()
	}
	return f
}

// gatherFacts determines the facts that the records of all runs contain.
func gatherFacts(p *plan.Plan) (f runFacts, err error) {
	f = knownFacts(p)
	if f.Plugin.SHA256, _, err = checksum.File(p.Served.Path); err != nil {
		return f, plugin.Fault(fmt.Errorf("plugin %s: %w", p.Served.Name, err))
	}
	f.datasets = map[string]string{}
	return f, nil
}

// checksumDataset returns the checksum of a user's data set, computed once; "" for the plugin's own. It reads the whole
// folder, so call it only after the plugin has accepted the data set.
func (f runFacts) checksumDataset(path string) (string, error) {
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

// harnessVersion returns the version of this module in the running program.
func harnessVersion() record.Harness {
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

// newRecord returns the record of a run that has not begun.
func (r *runner) newRecord(p *plan.Plan, t plan.Run) record.Run {
	rec := record.Run{
		Identity: p.Request.Output.Identity, Model: t.Model, Scenario: t.ScenarioName(), Mode: t.ModeName(),
		Profile: string(t.Settings.Profile), Deviations: t.Settings.Deviations, Rules: p.Rules, Pace: p.Pace,
		Audit: filepath.ToSlash(p.AuditPath(t)), Test: t.Test,
		Started: r.request.Clock(), Dir: filepath.ToSlash(t.Dir), Command: r.facts.Command, TuningNote: p.TuningText(),
		Plugin: r.facts.Plugin, System: r.facts.System, Harness: r.facts.Harness,
		LoadGen: loadGenRecord(p),
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
	if t.Users > 0 { // LoadGen's settings do not apply
		rec.Deviations = nil
		if t.Replay {
			if t.Settings.Profile == settings.Custom { // the user may choose seeds and times of a replay
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

// skippedRecords returns records of runs that are not made because the session ends with code.
func (r *runner) skippedRecords(p *plan.Plan, runs []plan.Run, code exitcode.Code) []record.Run {
	records := make([]record.Run, len(runs))
	for i, t := range runs {
		records[i] = r.newRecord(p, t)
		records[i].Skip(code)
		records[i].Hide(r.launch.Hide)
	}
	return records
}

// Unmade returns a record for each run of the plan that marks it as not made, with the exit code of an interrupt.
// Commands write them to result.json when they begin a series of runs. The records lack the checksums of the plugin and
// of the data set.
func Unmade(p *plan.Plan) []record.Run {
	p.Out = p.Request.Output.Dir
	return newRunner(p, knownFacts(p), nil).skippedRecords(p, p.Runs, exitcode.Interrupted)
}

// Record writes records into result.json of the output folder out and of their scenarios. They replace the records of
// the same runs. It returns an error if another session is writing there.
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

// Settle cleans up the output folder out after a killed session, for commands that make no run there. note describes
// the recovered results, one per line.
func Settle(out string) (note string) { return output.Settle(out).Text() }
