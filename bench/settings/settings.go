// Package settings merges the LoadGen settings of a run from the rules' values, a model's smoke settings, user.conf and
// the command line. It keeps the origin of each value and reports values that deviate from the rules.
package settings

import (
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"
)

// Profile is the source of a run's durations and counts.
type Profile string

// The profiles. Only runs with profile Official may be submitted.
const (
	Official Profile = "official" // the rules' values
	Smoke    Profile = "smoke"    // the model's values for a run of a few seconds
	Custom   Profile = "custom"   // the user changed a value that the rules fix
	Audit    Profile = "audit"    // the rules' values except for audit settings
)

// Request determines the settings to load.
type Request struct {
	Model     sdk.ModelInfo
	Scenario  loadgen.Scenario
	Mode      loadgen.Mode
	Profile   Profile // Official or Smoke
	Rules     string
	UserConf  string
	Overrides []mlconf.Override // from the command line
	Audit     string            // path of audit settings, which override all others; "": none
	// Test is the compliance test of the run. TestConfig is the text of its audit settings and replaces Audit.
	Test, TestConfig string
	// IgnoreUnknownKeys turns keys of UserConf and Audit that LoadGen does not know into notes instead of faults.
	IgnoreUnknownKeys bool
}

// Settings contains the settings of a run and their deviations from the rules.
type Settings struct {
	mlconf.Settings
	Profile Profile
	// Deviations lists the values that differ from those that the rules fix: "min_duration = 2000 ms, rules 600000 ms".
	Deviations []string
}

// Load determines the settings of one run. In ascending priority, their sources are LoadGen's defaults, the rules,
// smoke settings, user.conf, --set and audit settings.
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

// Indices of layers in mlconf.Settings.Applied, above the rules' defaults.
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

// hasAudit reports whether there are audit settings.
func (r Request) hasAudit() bool { return r.Audit != "" || r.TestConfig != "" }

// auditSource returns the name of the audit settings for messages.
func (r Request) auditSource() string {
	if r.Audit != "" {
		return r.Audit
	}
	return r.Test + " of rules " + r.Rules
}

// smokeLayer returns the layer of the model's smoke settings; it is empty if the profile is not Smoke.
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

// profileOf returns the profile of the settings, ignoring audit settings. It is Smoke if user.conf has not replaced all
// smoke settings.
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

// checkAudit rejects audit settings that change the mode, because the mode determines the run's directory and
// judgement.
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

// Suggest sets a value with the given source, unless the user set one. It has a higher priority than smoke settings and
// a lower one than user.conf, --set and audit settings.
func (s *Settings) Suggest(source string, o mlconf.Override) error {
	for _, f := range loadgen.Fields() {
		if f.UserKey() == o.Key && f.Applies(s.Scenario) && s.Written(f.Name) {
			return nil
		}
	}
	return s.Set(source, o)
}

// listDeviations lists the values that deviate from the rules, starting with settings of all scenarios.
func listDeviations(rules, s loadgen.TestSettings) []string {
	var common, own []string
	for _, f := range loadgen.Fields() {
		if !f.Applies(s.Scenario) || f.Keeps(rules, s) || isResult(f, s) {
			continue
		}
		text := fmt.Sprintf("%s = %s, rules %s", f.UserKey(), withUnit(f, s), withUnit(f, rules))
		if f.Scenario == "" {
			common = append(common, text)
		} else {
			own = append(own, text)
		}
	}
	return append(common, own...)
}

// isResult reports whether a setting that the rules otherwise fix is the result of the run: at an arrival interval, the
// number of samples per query.
func isResult(f loadgen.Field, s loadgen.TestSettings) bool {
	return f.Name == "MultiStreamSamplesPerQuery" && s.MultiStreamArrivalInterval > 0
}

// withUnit returns a value with its unit. Counts have no unit because their names state what they count.
func withUnit(f loadgen.Field, s loadgen.TestSettings) string {
	if f.Unit == "ms" || f.Unit == "%" {
		return f.Text(s) + " " + f.Unit
	}
	return f.Text(s)
}
