package mlconf

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// ErrConfig is wrapped by every error of Load that a user can mend.
var ErrConfig = errors.New("configuration")

// Load makes the settings of a run: LoadGen's defaults, then the rules' defaults of the model and scenario, then
// o.UserConf, then o.Overrides, then o.Scenario and o.Mode. It reports all faults of all inputs at once, each with
// file and line. The rules' defaults of v5.0 to v6.0 are those of v6.1 with the seeds of the round.
func Load(o Options) (Settings, error) {
	round, err := Round(o.Rules)
	if err != nil {
		return Settings{}, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	rules, err := rulesFile(round)
	if err != nil {
		return Settings{}, err
	}
	s := Settings{TestSettings: loadgen.DefaultTestSettings(), Origins: map[string]Origin{}}
	for _, f := range fields {
		s.Origins[f.Name] = Origin{Source: "LoadGen default", Key: f.Key, Text: f.Text(s.TestSettings)}
	}
	rules.apply(&s.TestSettings, o.Model, o.Scenario.String(), true, s.note(rules.source), func(string, int, string) {})
	var problems []Problem
	if o.UserConf != "" {
		problems = s.userConf(o)
	}
	problems = append(problems, s.overrides(o)...)
	s.Scenario, s.Mode = o.Scenario, o.Mode
	s.Origins["Mode"] = Origin{Source: "the run's mode", Key: "mode", Text: strconv.Itoa(int(o.Mode))}
	return s, asError(problems)
}

// note records where values come from.
func (s *Settings) note(source string) func(Field, string, value) {
	return func(f Field, key string, v value) {
		s.Origins[f.Name] = Origin{Source: source, Line: v.line, Key: key, Text: v.text, Otherwise: v.otherwise}
	}
}

// userConf applies a user.conf.
func (s *Settings) userConf(o Options) []Problem {
	text, err := readConf(o.UserConf)
	if err != nil {
		return []Problem{{Source: o.UserConf, Text: "cannot be read: " + err.Error()}}
	}
	problems, notes := Check(o.UserConf, text, o.Model, o.IgnoreUnknownKeys)
	s.Notes = append(s.Notes, notes...)
	f, bad := parse(o.UserConf, text)
	if len(bad) == 0 {
		f.apply(&s.TestSettings, o.Model, o.Scenario.String(), false, s.note(o.UserConf), func(key string, line int, without string) {
			problems = append(problems, Problem{Source: o.UserConf, Line: line, Key: key, Text: "is ignored without " + without + " = 1"})
		})
	}
	return problems
}

// overrides applies single settings, in order.
func (s *Settings) overrides(o Options) []Problem {
	var problems []Problem
	for _, over := range o.Overrides {
		if text := s.override(over, o.Scenario); text != "" {
			problems = append(problems, Problem{Source: over.Source, Key: over.Key, Text: text})
		}
	}
	return problems
}

// override applies one setting and returns what is wrong with it.
func (s *Settings) override(over Override, scenario loadgen.Scenario) string {
	f, ok := fieldFor(over.Key, scenario)
	if !ok {
		return fmt.Sprintf("no such setting of a %v run%s", scenario, suggest(over.Key, keysFor(scenario)))
	}
	text := over.Value
	if i := slices.Index([]string{"false", "true"}, text); i >= 0 && (f.kind == boolean || f.kind == exactlyOne) {
		text = [...]string{"0", "1"}[i]
	}
	v, ok := parseValue(text)
	if !ok {
		return fmt.Sprintf("want a number%s, found %q", inUnit(f), over.Value)
	}
	if fault := f.check(v); fault != "" {
		return fault
	}
	f.set(&s.TestSettings, v)
	s.note(over.Source)(f, over.Key, v)
	return ""
}

// fieldFor finds the field that a key without model and scenario means in a run of scenario.
func fieldFor(key string, scenario loadgen.Scenario) (Field, bool) {
	for _, f := range fields {
		if (f.Key == key || f.Key == "" && f.Official == key) && f.Applies(scenario) {
			return f, true
		}
	}
	return Field{}, false
}

func keysFor(scenario loadgen.Scenario) []string {
	var keys []string
	for _, f := range fields {
		switch {
		case !f.Applies(scenario):
		case f.Key != "":
			keys = append(keys, f.Key)
		default:
			keys = append(keys, f.Official)
		}
	}
	return keys
}

func inUnit(f Field) string {
	if f.Unit == "" {
		return ""
	}
	return " in " + f.Unit
}
