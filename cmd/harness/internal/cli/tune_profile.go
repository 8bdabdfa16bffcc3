package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/division"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/tune"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/configdir"
)

// noTuning is the value of --tuning that leaves profiles alone.
const noTuning = "none"

// profiles is the folder of profiles.
func (a *app) profiles() (tune.Store, error) {
	dir, err := configdir.Dir(a.Env)
	return tune.Store{Dir: filepath.Join(dir, "tuning")}, err
}

// buildTuned is build, with a profile: that of file, or where it is empty the one of harness tune that fits, if there is
// one.
func (a *app) buildTuned(c *cobra.Command, f *pluginFlags, r bench.Request, file string) (*bench.Plan, error) {
	switch file {
	case noTuning:
		return a.build(c, f, r)
	case "":
		p, err := a.build(c, f, r)
		if err != nil {
			return nil, err
		}
		return p, a.tuneFound(p)
	}
	profile, err := tune.Load(file)
	if err != nil {
		return nil, exitcode.With(exitcode.Usage, fmt.Errorf("--tuning: %w", err))
	}
	if r.Backend == "" {
		r.Backend = profile.For.Backend
	}
	p, err := a.build(c, f, r)
	if err != nil {
		return nil, err
	}
	return p, a.tuneNamed(p, file, &profile)
}

// tuneFound uses the profile that fits the plan. Where there is no folder of settings there is none.
func (a *app) tuneFound(p *bench.Plan) error {
	if p.Division == division.Network { // a batch of the profile would be work at the client
		return nil
	}
	store, err := a.profiles()
	if err != nil {
		return nil
	}
	path, profile, ignored, err := store.Find(a.tuneSubject(p))
	p.Tuning.Notes = ignored
	if err != nil || profile == nil {
		return err
	}
	if flags := p.SettingFlags(); len(flags) > 0 {
		p.Tuning.Notes = append(p.Tuning.Notes, fmt.Sprintf("%s is not used: %s given", path, strings.Join(flags, ", ")))
		return nil
	}
	if profile.Offline != nil && !profile.Offline.Decided && slices.ContainsFunc(p.Runs, func(t bench.PlannedRun) bool { return t.Scenario == loadgen.Offline }) {
		p.Tuning.Notes = append(p.Tuning.Notes, fmt.Sprintf("the setting of %s for Offline is not used: harness tune called it not certain (--tuning %[1]s uses it)", path))
	}
	return p.Tune(path, profile.Certain())
}

// tuneNamed uses the profile that the user named. It may be one of another machine, which the plan then says.
func (a *app) tuneNamed(p *bench.Plan, file string, profile *tune.Profile) error {
	subject := a.tuneSubject(p)
	for _, part := range []struct{ what, has, want string }{
		{"model", profile.For.Model, subject.Model}, {"backend", profile.For.Backend, subject.Backend},
	} {
		if part.has != part.want {
			return exitcode.With(exitcode.Usage, fmt.Errorf("--tuning %s: it is for the %s %s, not %s; harness tune makes one", file, part.what, part.has, part.want))
		}
	}
	why, err := profile.Mismatch(subject)
	if err != nil {
		return err
	}
	if why == "" && !profile.For.Same(subject.Key) {
		why = "another precision, model file, data set, options or devices"
	}
	if why != "" {
		p.Tuning.Notes = append(p.Tuning.Notes, "it was measured with "+why)
	}
	return p.Tune(file, profile)
}
