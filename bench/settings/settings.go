// Package settings gathers the LoadGen settings of one run: the rules' values, a model's smoke settings, user.conf and
// the command line, each value with its origin; and says where the result leaves the rules.
package settings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
)

// Profile says whose durations and counts a run uses.
type Profile string

// The profiles.
const (
	Official Profile = "official" // the rules'
	Smoke    Profile = "smoke"    // the model's, for a run of seconds
	Custom   Profile = "custom"   // the user's: a value that the rules fix was changed
	Audit    Profile = "audit"    // the rules' but for audit settings
)

// Request says what to load.
type Request struct {
	Model     sdk.ModelInfo
	Scenario  loadgen.Scenario
	Mode      loadgen.Mode
	Profile   Profile // Official or Smoke
	Rules     string
	UserConf  string
	Overrides []Override
	Tuned     []mlconf.Override // of a profile: stronger than smoke settings, weaker than what a user wrote
	Audit     string            // path of audit settings, applied over all others; empty: none
	// IgnoreUnknownKeys makes keys of UserConf and Audit that LoadGen does not know notes instead of faults.
	IgnoreUnknownKeys bool
}

// Settings are a run's settings and how they stand to the rules.
type Settings struct {
	mlconf.Settings
	Profile Profile
	// Deviations name each value that differs from what the rules fix: "min_duration = 2000 ms, rules 600000 ms".
	Deviations []string
}

// Load gathers the settings of one run. Weakest first: LoadGen's defaults, the rules, smoke settings, a profile,
// user.conf, --set, audit settings.
func Load(r Request) (Settings, error) {
	rules, err := mlconf.Load(r.options("", nil))
	if err != nil {
		return Settings{}, usage(err)
	}
	user, err := mlconf.Load(r.options(r.UserConf, nil))
	if err != nil {
		return Settings{}, usage(err)
	}
	written := r.written(user)
	smoke := r.smoke(written)
	s, err := mlconf.Load(r.options(r.UserConf, slices.Concat(smoke, unwritten(r.Tuned, written), r.flags())))
	if err != nil {
		return Settings{}, usage(err)
	}
	s.Mode = r.Mode // a mode in user.conf would put the logs of one mode into the directory of another
	out := Settings{Profile: Official}
	switch {
	case len(smoke) > 0:
		out.Profile = Smoke
	case len(deviations(rules, s)) > 0:
		out.Profile = Custom
	case r.Audit != "":
		out.Profile = Audit
	}
	if err := r.audit(&s); err != nil {
		return Settings{}, usage(err)
	}
	out.Settings, out.Deviations = s, deviations(rules, s)
	return out, nil
}

// audit applies the audit settings. They may not change what the run does: its directory and judgement are its mode's.
func (r Request) audit(s *mlconf.Settings) error {
	if r.Audit != "" {
		if err := s.AuditFrom(r.Audit, r.IgnoreUnknownKeys); err != nil {
			return err
		}
	}
	switch {
	case s.Mode != r.Mode:
		return fmt.Errorf("%s sets the mode %v, and this is a run of mode %v; choose the other one with --mode", r.Audit, s.Mode, r.Mode)
	case s.Test05 && r.Mode != loadgen.PerformanceOnly:
		return fmt.Errorf("test05 = 1 makes every run one of mode %v, and this is one of mode %v; give --mode performance", loadgen.PerformanceOnly, r.Mode)
	}
	return nil
}

func usage(err error) error { return exitcode.With(exitcode.Usage, err) }

func (r Request) options(userConf string, overrides []mlconf.Override) mlconf.Options {
	return mlconf.Options{
		Rules: r.Rules, Model: r.Model.LoadGenKey, Scenario: r.Scenario, Mode: r.Mode, UserConf: userConf, Overrides: overrides,
		IgnoreUnknownKeys: r.IgnoreUnknownKeys,
	}
}

func (r Request) flags() []mlconf.Override {
	var in []mlconf.Override
	for _, o := range r.Overrides {
		if o.applies(r.Scenario) {
			in = append(in, o.Override)
		}
	}
	return in
}

// written are the keys that user.conf sets: what a user wrote beats smoke settings and profiles.
func (r Request) written(user mlconf.Settings) map[string]bool {
	written := map[string]bool{}
	for _, o := range user.Origins {
		if r.UserConf != "" && o.Source == r.UserConf {
			written[o.Key[strings.LastIndexByte(o.Key, '.')+1:]] = true
		}
	}
	return written
}

// unwritten are the overrides but for the keys that user.conf sets.
func unwritten(overrides []mlconf.Override, written map[string]bool) []mlconf.Override {
	return slices.DeleteFunc(slices.Clone(overrides), func(o mlconf.Override) bool { return written[o.Key] })
}

// smoke returns the model's smoke settings, where they are asked for, but for the keys that user.conf sets.
func (r Request) smoke(written map[string]bool) []mlconf.Override {
	if r.Profile != Smoke {
		return nil
	}
	var in []mlconf.Override
	for _, s := range r.Model.Smoke {
		if s.Scenario == r.Scenario {
			in = append(in, mlconf.Override{Key: s.Key, Value: s.Value, Source: "smoke settings of " + r.Model.Name})
		}
	}
	return unwritten(in, written)
}
