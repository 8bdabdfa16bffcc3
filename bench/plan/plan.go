// Package plan resolves a request into runs with their settings, data and files. It does this before any run is
// started.
package plan

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/internal/system"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/official"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/discover"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/internal/division"
	"github.com/plumbline-ml/plumbline/bench/internal/flagtext"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/settings"
	"github.com/plumbline-ml/plumbline/internal/power"
)

// Request is a user's request, in sections: each flag of harness run, and facts about the process. Zero values mean the
// default. Errors name a field by its flag.
type Request struct {
	Plugins Plugins // where plugins are found, and how they are started and watched
	Model   Model   // the model and its options
	Data    Data    // the data set, and how the accuracy is judged
	Load    Load    // the runs, and how they send queries
	Rules   Rules   // the rules that determine settings
	Power   Power   // the power measurement
	Output  Output  // the folder and contents of the results
}

// Described returns the description of the machine.
func (r Request) Described() system.Info { return system.Describe(r.Root()) }

// Root returns the machine's file system.
func (r Request) Root() fs.FS {
	if r.Output.Machine == nil {
		return os.DirFS("/")
	}
	return r.Output.Machine
}

// Clock returns the current time of the request's clock or, by default, of the machine's.
func (r Request) Clock() time.Time {
	if r.Output.Now == nil {
		return time.Now()
	}
	return r.Output.Now()
}

// Plan contains the runs to execute.
type Plan struct {
	Served   discover.Served
	File     *sdk.ModelFile    // the manifest entry of the model file; nil for a user's file
	Embedded bool              // the plugin's embedded model runs, without files of the user
	Options  sdk.Options       // of every run, except the scenario and separate data sets (OptionsOf)
	Secrets  map[string]string // the secret values of Options.BackendOptions, which are never shown
	Division division.Division
	Profile  settings.Profile
	Rules    string
	UserConf string
	Audit    string            // path of the audit settings that every run applies; "": none
	Test     Test              // the compliance test of the runs
	Pace     string            // PaceDefault or PacePrecise
	LoadGen  *official.Library // drives the runs; nil: package loadgen does
	Power    *power.Meter      // measures timed runs; nil: no measurement
	Wanted   Wanted            // requirements on accuracy
	Stated   Stated
	Tuning   Tuning // the profile that the runs use
	Out      string // the output directory, once it has been chosen
	// ScorerFiles contains the models that the scorer runs, by part, if they are not embedded.
	ScorerFiles map[string]string
	Runs        []Run
	// Left lists the scenarios that are not run because a submission for Rules.SystemType does not include them, each with
	// the reason.
	Left []string
	// Launch determines how the plugin is started and watched.
	Launch host.LaunchOptions

	// Request is the request of the plan, with its secrets and the name of its round.
	Request Request

	datasets datasets
}

// NameOf returns the run's name, as in its record (record.Run.Name).
func (p *Plan) NameOf(r Run) string {
	return record.Run{
		Identity: p.Request.Output.Identity, Model: r.Model, Scenario: r.ScenarioName(), Mode: r.ModeName(), Test: r.Test,
	}.Name()
}

// Files finds the files of models that are not embedded.
type Files = flagtext.Finder

// New finds the plugin that serves the request's model and makes the plan. It starts no process except plugins and
// writes no files. The error lists all faults of the request.
func New(ctx context.Context, r Request) (*Plan, error) {
	served, catalog, err := r.Plugins.resolve(ctx, r.Model.Name)
	if err != nil {
		return nil, err
	}
	r.Plugins.Catalog = catalog
	return buildPlan(r, served)
}

// buildPlan makes the plan for a model that was already found. It resolves the sections of the request one after the
// other, and chooses the runs before the sections that depend on them. The faults of single sections come first, then
// the faults between sections and runs.
func buildPlan(r Request, s discover.Served) (*Plan, error) {
	if err := r.prepareRequest(); err != nil {
		return nil, sdk.Usage(err)
	}
	p := &Plan{
		Served: s, Rules: r.Rules.Round, UserConf: r.Rules.UserConf, Audit: r.Rules.Audit, Test: r.Rules.Test, Request: r,
	}
	load, rules := r.Load.resolve(p), r.Rules.resolve(p, r.Load)
	files, options, profile, err := r.Model.resolve(p)
	if err != nil {
		return nil, err
	}
	runs := p.chooseRuns(r)
	datasets, scoring, datasetsOfRuns := r.Data.resolve(p, r.Model.Finder)
	stated, exports := r.Output.resolve(p)
	meter, meteredRuns := r.Power.resolve(p)
	faults := slices.Concat(load, rules, files, r.checkNumbers(), datasets, options, runs,
		[]error{scoring, stated, meter, datasetsOfRuns, meteredRuns, exports})
	if err := exitcode.OfRequest(faults); err != nil {
		return nil, err
	}
	p.Launch = r.Plugins.Options(p.Profile == settings.Smoke)
	if err := p.useProfile(r, profile); err != nil {
		return nil, err
	}
	return p, nil
}

// prepareRequest reads the secrets and the round, which all other checks need.
func (r *Request) prepareRequest() error {
	if r.Model.Secrets == nil {
		r.Model.Secrets = new(Secrets)
	}
	if err := r.Model.readSecrets(); err != nil {
		return err
	}
	if r.Plugins.Launch.Hide == nil {
		r.Plugins.Launch.Hide = r.Model.Secrets.Hide
	}
	round, err := mlconf.Round(r.Rules.Round)
	if err != nil {
		return fmt.Errorf("--rules: %w", err)
	}
	r.Rules.Round = round.Name
	return nil
}

// Dirs returns the directories of the runs.
func (p *Plan) Dirs() []string {
	dirs := make([]string, len(p.Runs))
	for i, r := range p.Runs {
		dirs[i] = r.Dir
	}
	if p.Request.Power.Logs != "" {
		dirs = append(dirs, p.PowerDir())
	}
	return dirs
}
