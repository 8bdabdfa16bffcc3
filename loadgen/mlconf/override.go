package mlconf

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// Override is one setting from outside a file: a flag, a model's smoke settings or a tuned rate.
type Override struct {
	Scenario loadgen.Scenario // the scenario for which it is meant, unless All is set
	All      bool             // it is for each scenario that has such a setting
	// Key is a configuration key without model and scenario, such as "min_duration" or "target_qps", or the official name
	// of a setting without a key. Value has the unit of the file.
	Key, Value string
}

// ParseOverride parses key=value, for each scenario that has the setting, or Scenario.key=value for one scenario. It
// does not check the value.
func ParseOverride(text string) (Override, error) {
	key, value, ok := strings.Cut(text, "=")
	o := Override{All: true, Key: strings.TrimSpace(key), Value: strings.TrimSpace(value)}
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
	if known := keysFor(loadgen.Scenarios()...); !slices.Contains(known, o.Key) {
		return o, fmt.Errorf("unknown setting %q%s", o.Key, nearestWord(o.Key, known))
	}
	return o, nil
}

// String returns the text that ParseOverride parses.
func (o Override) String() string {
	if o.All {
		return o.Key + "=" + o.Value
	}
	return o.Scenario.String() + "." + o.Key + "=" + o.Value
}

// Means reports whether the override has an effect: in its own scenario or, without one, in any of the running
// scenarios.
func (o Override) Means(running ...loadgen.Scenario) bool {
	if !o.All {
		running = []loadgen.Scenario{o.Scenario}
	}
	return slices.Contains(keysFor(running...), o.Key)
}

// appliesTo reports whether the override is for runs of scenario. An override for all scenarios does not apply if only
// other scenarios have such a setting.
func (o Override) appliesTo(scenario loadgen.Scenario) bool {
	if !o.All {
		return o.Scenario == scenario
	}
	_, ok := fieldFor(o.Key, scenario)
	return ok || !slices.ContainsFunc(fields, func(f loadgen.Field) bool { return f.UserKey() == o.Key })
}

// findField returns the field and the value of an override in a run of scenario. fault describes an error in the
// override, or is "".
func (o Override) findField(scenario loadgen.Scenario) (f loadgen.Field, v confValue, fault string) {
	f, ok := fieldFor(o.Key, scenario)
	if !ok {
		return f, v, fmt.Sprintf("no such setting of a %v run%s", scenario, nearestWord(o.Key, keysFor(scenario)))
	}
	text := o.Value
	if _, isSwitch := f.At(&confSettings{}).(*bool); isSwitch {
		text = asNumber(text)
	}
	if v, ok = parseValue(text); !ok {
		return f, v, fmt.Sprintf("want a number%s, found %q", unitText(f), o.Value)
	}
	return f, v, checkValue(f, v)
}

// keysFor lists the names of the settings that have an effect in any of the scenarios, each once.
func keysFor(scenarios ...loadgen.Scenario) []string {
	var names []string
	for _, f := range fields {
		if n := f.UserKey(); slices.ContainsFunc(scenarios, f.Applies) && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// fieldFor returns the field that a key without model and scenario means in a run of scenario.
func fieldFor(key string, scenario loadgen.Scenario) (loadgen.Field, bool) {
	for _, f := range fields {
		if f.UserKey() == key && f.Applies(scenario) {
			return f, true
		}
	}
	return loadgen.Field{}, false
}

// applyOverride applies one setting unless it is for other scenarios.
func (l *settingsLoader) applyOverride(o Override) {
	if !o.appliesTo(l.options.Scenario) {
		return
	}
	f, v, fault := o.findField(l.options.Scenario)
	if fault != "" {
		l.addFault(0, o.Key, fault)
		return
	}
	storeValue(f, &l.settings.TestSettings, v)
	l.noteOrigin(f, o.Key, v)
}

// Set changes one setting of a run and records source as its origin.
func (s *Settings) Set(source string, o Override) error {
	l := settingsLoader{options: Options{Scenario: s.Scenario}, settings: *s, source: source}
	l.applyOverride(o)
	*s = l.settings
	return toError(l.problems)
}
