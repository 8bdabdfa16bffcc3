package settings

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/suggest"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// flagSource is the origin of values from the command line.
const flagSource = "flag --set"

// ParseOverrides reads --set flags: key=value for each scenario that has the setting, or Scenario.key=value for one.
func ParseOverrides(texts []string) ([]mlconf.Override, []error) {
	var overrides []mlconf.Override
	var faults []error
	for _, text := range texts {
		o, err := parseOverride(text)
		if err != nil {
			faults = append(faults, fmt.Errorf("--set %s: %w", text, err))
			continue
		}
		overrides = append(overrides, o)
	}
	return overrides, faults
}

func parseOverride(text string) (mlconf.Override, error) {
	key, value, ok := strings.Cut(text, "=")
	o := mlconf.Override{All: true, Key: strings.TrimSpace(key), Value: strings.TrimSpace(value)}
	if !ok || o.Key == "" || o.Value == "" {
		return o, errors.New("want key=value or Scenario.key=value, such as min_duration=5000 or Server.target_qps=100")
	}
	if scenario, rest, scoped := strings.Cut(o.Key, "."); scoped {
		s, err := loadgen.ParseScenario(scenario)
		if err != nil {
			return o, err
		}
		o.Scenario, o.All, o.Key = s, false, rest
	}
	if o.Key == "mode" {
		return o, errors.New("the mode is chosen with --mode")
	}
	if names := keys(loadgen.Scenarios()...); !slices.Contains(names, o.Key) {
		return o, suggest.Unknown("setting", o.Key, names)
	}
	return o, nil
}

// Unused lists the overrides that mean nothing where they are meant: in their own scenario, or
// in any of those that run.
func Unused(overrides []mlconf.Override, running []loadgen.Scenario) []error {
	var faults []error
	for _, o := range overrides {
		meant := running
		if !o.All {
			meant = []loadgen.Scenario{o.Scenario}
		}
		if !slices.ContainsFunc(meant, func(s loadgen.Scenario) bool { return slices.Contains(keys(s), o.Key) }) {
			faults = append(faults, fmt.Errorf("--set %s=%s: it means nothing in %v", o.Key, o.Value, meant))
		}
	}
	return faults
}

// keys lists the names of the settings that mean something in any of the scenarios, each once.
func keys(scenarios ...loadgen.Scenario) []string {
	var names []string
	for _, f := range loadgen.Fields() {
		if n := f.UserKey(); slices.ContainsFunc(scenarios, f.Applies) && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}
