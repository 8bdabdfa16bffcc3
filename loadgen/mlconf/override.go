package mlconf

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// Override is one setting given outside a file: a flag, a model's smoke settings, a tuned rate.
type Override struct {
	Scenario loadgen.Scenario // the only one that it is for, unless All
	All      bool             // it is for each scenario that has such a setting
	// Key is a configuration key without model and scenario, such as "min_duration" or "target_qps", or the official name
	// of a setting without a key. Value is in the file's unit.
	Key, Value string
}

// ParseOverride reads key=value, for each scenario that has the setting, or Scenario.key=value for one. The value is
// not looked at.
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

// String is the text that ParseOverride reads.
func (o Override) String() string {
	if o.All {
		return o.Key + "=" + o.Value
	}
	return o.Scenario.String() + "." + o.Key + "=" + o.Value
}

// Means says whether the override has a meaning where it is meant: in its own scenario, or in any of those that run.
func (o Override) Means(running ...loadgen.Scenario) bool {
	if !o.All {
		running = []loadgen.Scenario{o.Scenario}
	}
	return slices.Contains(keysFor(running...), o.Key)
}

// appliesTo says whether the override is for runs of scenario: those that it names; or it is for all, and it is not so
// that only others have such a setting.
func (o Override) appliesTo(scenario loadgen.Scenario) bool {
	if !o.All {
		return o.Scenario == scenario
	}
	_, ok := fieldFor(o.Key, scenario)
	return ok || !slices.ContainsFunc(fields, func(f loadgen.Field) bool { return f.UserKey() == o.Key })
}

// findField finds the field and the value of an override in a run of scenario, or says what is wrong with it.
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
		return f, v, fmt.Sprintf("want a number%s, found %q", inUnit(f), o.Value)
	}
	return f, v, checkValue(f, v)
}

// keysFor lists the names of the settings that mean something in any of the scenarios, each once.
func keysFor(scenarios ...loadgen.Scenario) []string {
	var names []string
	for _, f := range fields {
		if n := f.UserKey(); slices.ContainsFunc(scenarios, f.Applies) && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// fieldFor finds the field that a key without model and scenario means in a run of scenario.
func fieldFor(key string, scenario loadgen.Scenario) (loadgen.Field, bool) {
	for _, f := range fields {
		if f.UserKey() == key && f.Applies(scenario) {
			return f, true
		}
	}
	return loadgen.Field{}, false
}
