// Package settings merges the LoadGen settings of a run from the rules' values, a model's smoke settings, user.conf and
// the command line. Each value keeps its origin, and the package reports values that deviate from the rules.
package settings

import (
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"
)

// Profile says whose durations and counts a run uses.
type Profile string

// Only a run of the profile Official may be submitted.
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
	Overrides []mlconf.Override // of the command line
	Audit     string            // path of audit settings, applied over all others; empty: none
	// Test is the compliance test that the run is made for, TestConfig the text of its audit settings, in place of Audit.
	Test, TestConfig string
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

// Load gathers the settings of one run. Weakest first: LoadGen's defaults, the rules, smoke settings, user.conf, --set,
// audit settings.
func Load(r Request) (Settings, error) {
	s, err := mlconf.Load(mlconf.Options{
		Rules: r.Rules, Model: r.Model.LoadGenKey, RulesModel: r.Model.RulesKey, Scenario: r.Scenario, Mode: r.Mode,
		Layers: r.settingLayers(), IgnoreUnknownKeys: r.IgnoreUnknownKeys,
	})
	if err == nil {
		err = r.checkAudit(s)
	}
	if err != nil {
		return Settings{}, err
	}
	return Settings{Settings: s, Profile: r.profileOf(s), Deviations: listDeviations(s.Rules(), s.TestSettings)}, nil
}

// flagSource is the origin of values from the command line.
const flagSource = "flag --set"

// Where the layers of a run stand in mlconf.Settings.Applied, over the rules' defaults.
const (
	smokeLayer = 1
	userLayers = 2 // from here on: what a user wrote
)

func (r Request) settingLayers() []mlconf.Layer {
	layers := []mlconf.Layer{r.smokeLayer()}
	if r.UserConf != "" {
		layers = append(layers, mlconf.UserConf(r.UserConf))
	}
	layers = append(layers, mlconf.Values(flagSource, r.Overrides...))
	switch {
	case r.Audit != "":
		layers = append(layers, mlconf.Audit(r.Audit))
	case r.TestConfig != "":
		layers = append(layers, mlconf.AuditText(r.auditSource(), r.TestConfig))
	}
	return layers
}

// hasAudit says whether there are audit settings.
func (r Request) hasAudit() bool { return r.Audit != "" || r.TestConfig != "" }

// auditSource names the audit settings.
func (r Request) auditSource() string {
	if r.Audit != "" {
		return r.Audit
	}
	return r.Test + " of rules " + r.Rules
}

// smokeLayer is the layer of the model's smoke settings; it is empty where they are not asked for.
func (r Request) smokeLayer() mlconf.Layer {
	source := "smoke settings of " + r.Model.Name
	if r.Profile != Smoke {
		return mlconf.Values(source)
	}
	var own []mlconf.Override
	for _, s := range r.Model.Smoke {
		own = append(own, mlconf.Override{Scenario: s.Scenario, Key: s.Key, Value: s.Value})
	}
	return mlconf.Smoke(source, own...)
}

// profileOf names what the settings are, whatever audit settings change of them: smoke, where
// user.conf left any of those.
func (r Request) profileOf(s mlconf.Settings) Profile {
	own, user := s.Applied, []string(nil)
	if r.hasAudit() {
		own = own[:len(own)-1]
	}
	if r.UserConf != "" {
		user = own[userLayers].Fields
	}
	switch {
	case slices.ContainsFunc(own[smokeLayer].Fields, func(field string) bool { return !slices.Contains(user, field) }):
		return Smoke
	case len(listDeviations(s.Rules(), own[len(own)-1].After)) > 0:
		return Custom
	case r.hasAudit():
		return Audit
	}
	return Official
}

// checkAudit refuses audit settings that change what the run does: its directory and judgement are its mode's.
func (r Request) checkAudit(s mlconf.Settings) error {
	switch {
	case s.Mode != r.Mode:
		return fmt.Errorf("%s sets the mode %v, and this is a run of mode %v; choose the other one with --mode",
			r.auditSource(), s.Mode, r.Mode)
	case s.Test05 && r.Mode != loadgen.PerformanceOnly:
		return fmt.Errorf("test05 = 1 makes every run one of mode %v, and this is one of mode %v; give --mode performance",
			loadgen.PerformanceOnly, r.Mode)
	}
	return nil
}

// Suggest sets a value that comes from source, unless the user wrote one: it is stronger than smoke settings and weaker
// than user.conf, --set and audit settings.
func (s *Settings) Suggest(source string, o mlconf.Override) error {
	for _, f := range loadgen.Fields() {
		if f.UserKey() == o.Key && f.Applies(s.Scenario) && s.Written(f.Name) {
			return nil
		}
	}
	return s.Set(source, o)
}
