// Package plan resolves a request into runs with their settings, data and files, before anything is started.
package plan

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/internal/lists"
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
// default. Errors name a field as its flag does.
type Request struct {
	Plugins Plugins // where they are, and how they are started and watched
	Model   Model   // what is run, and how
	Data    Data    // what it is run on, and how its accuracy is judged
	Load    Load    // which runs are made, and what asks the model
	Rules   Rules   // what decides about settings
	Power   Power   // what is measured beside the runs
	Output  Output  // where results go, and what they say of the runs
}

// Described describes the machine.
func (r Request) Described() system.Info { return system.Describe(r.Root()) }

// Root is the machine's file system.
func (r Request) Root() fs.FS {
	if r.Output.Machine == nil {
		return os.DirFS("/")
	}
	return r.Output.Machine
}

// Clock is the time by the request's clock, else the machine's.
func (r Request) Clock() time.Time {
	if r.Output.Now == nil {
		return time.Now()
	}
	return r.Output.Now()
}

// Plan is what will be done.
type Plan struct {
	Served   discover.Served
	File     *sdk.ModelFile    // the manifest entry of the model file; nil for a user's own
	Embedded bool              // no file of the user's: the plugin's embedded model
	Options  sdk.Options       // of every run, but for the scenario and the data of a use of its own (OptionsOf)
	Secrets  map[string]string // those of Options.BackendOptions that are shown nowhere, whatever they are called
	Division division.Division
	Profile  settings.Profile
	Rules    string
	UserConf string
	Audit    string            // path of the audit settings that every run applies; empty: none
	Test     Test              // the compliance test that the runs are made for
	Pace     string            // PaceDefault or PacePrecise
	LoadGen  *official.Library // drives the runs; nil: package loadgen does
	Power    *power.Meter      // read beside timed runs; nil: none
	Wanted   Wanted            // of the accuracy
	Stated   Stated
	Tuning   Tuning // what the runs use of a profile
	Out      string // the output directory, once it is chosen
	// ScorerFiles are the models that the scorer runs, by part, where they are not the embedded ones.
	ScorerFiles map[string]string
	Runs        []Run
	// Left are scenarios that are not run, as a submission for Rules.SystemType does not have them, each with the
	// reason.
	Left []string
	// Launch is how the plugin is started and watched.
	Launch host.LaunchOptions

	// Request is what was asked for, with its secrets and the name of its round.
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

// New finds the plugin that serves the request's model and makes the plan. Nothing but the plugins is started, and
// nothing is written. All faults of the request are reported at once.
func New(ctx context.Context, r Request) (*Plan, error) {
	served, catalog, err := r.Plugins.resolve(ctx, r.Model.Name)
	if err != nil {
		return nil, err
	}
	r.Plugins.Catalog = catalog
	return buildPlan(r, served)
}

// buildPlan is New for a model that was found already: each section of the request in its turn, then the runs that
// follow from all of them, and what has to hold between sections and runs. Faults are in this order.
func buildPlan(r Request, s discover.Served) (*Plan, error) {
	if err := r.prepareRequest(); err != nil {
		return nil, sdk.Usage(err)
	}
	p := &Plan{
		Served: s, Rules: r.Rules.Round, UserConf: r.Rules.UserConf, Audit: r.Rules.Audit, Test: r.Rules.Test, Request: r,
	}
	profile, err := r.Model.namedProfile()
	if err != nil {
		return nil, err
	}
	if profile != nil && r.Model.Backend == "" {
		r.Model.Backend = profile.For.Backend
	}
	faults := slices.Concat(r.Load.resolve(p), r.Rules.resolve(p, r.Load), r.Model.resolve(p), r.checkNumbers(),
		r.Data.resolve(p), r.Model.resolveOptions(p))
	faults = append(faults, r.Rules.resolveProfile(p))
	faults = append(faults, p.chooseRuns(r)...)
	faults = append(faults, r.Data.resolveScoring(p, r.Model.Finder), r.Output.resolve(p), r.Power.resolve(p))
	faults = append(faults, p.checkAcross(r)...)
	if err := exitcode.OfRequest(faults); err != nil {
		return nil, err
	}
	p.Launch = r.Plugins.Options(p.Profile == settings.Smoke)
	if err := p.useProfile(r, profile); err != nil {
		return nil, err
	}
	return p, nil
}

// prepareRequest reads the secrets and the round, without which nothing else is looked at.
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

// Dirs are the directories of the runs.
func (p *Plan) Dirs() []string {
	dirs := lists.Map(p.Runs, func(r Run) string { return r.Dir })
	if p.Request.Power.Logs != "" {
		dirs = append(dirs, p.PowerDir())
	}
	return dirs
}
