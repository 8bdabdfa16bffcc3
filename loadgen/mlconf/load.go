package mlconf

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// ErrConfig is wrapped by every error of Load that a user can mend.
var ErrConfig = errors.New("configuration")

// fields is LoadGen's table of settings.
var fields = loadgen.Fields()

// Load makes the settings of a run: LoadGen's defaults, then the rules' defaults of the model and scenario, then
// o.Layers one after the other. It reports all faults of all layers at once, each with file and line. The scenario and
// the mode are the caller's, but for a mode in audit settings. The rules' defaults of v5.0 to v6.0 are those of v6.1
// with the seeds of the round.
func Load(o Options) (Settings, error) {
	round, err := Round(o.Rules)
	if err != nil {
		return Settings{}, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	rules, err := rulesFile(round)
	if err != nil {
		return Settings{}, err
	}
	l := loader{o: o, round: round, s: Settings{TestSettings: loadgen.DefaultTestSettings(), Origins: map[string]Origin{}}}
	l.s.Scenario = o.Scenario
	for _, f := range fields {
		l.s.Origins[f.Name] = Origin{Source: "LoadGen default", Key: f.Key, Text: f.Text(l.s.TestSettings)}
	}
	l.begin(rules.source)
	rules.apply(&l.s.TestSettings, round.settingsModel(o), o.Scenario.String(), every, l.note,
		func(string, int, string) {})
	l.end()
	for _, layer := range o.Layers {
		l.begin(layer.Source)
		layer.apply(&l)
		l.end()
	}
	return l.s, asError(l.problems)
}

// loader applies layers to settings.
type loader struct {
	o        Options
	round    *Rules
	s        Settings
	source   string // of the layer at work
	mode     bool   // the layer may set the mode
	set      []string
	problems []Problem
}

func (l *loader) begin(source string) { l.source, l.mode, l.set = source, false, nil }

// end closes a layer: what it did is kept, but for the mode.
func (l *loader) end() {
	if !l.mode {
		l.s.Mode = l.o.Mode
		l.s.Origins["Mode"] = Origin{Source: "the run's mode", Key: "mode", Text: strconv.Itoa(int(l.o.Mode))}
	}
	l.s.Applied = append(l.s.Applied, Applied{Source: l.source, Fields: l.set, After: l.s.TestSettings})
}

// note records where a value comes from.
func (l *loader) note(f loadgen.Field, key string, v value) {
	l.s.Origins[f.Name] = Origin{Source: l.source, Line: v.line, Key: key, Text: v.text, Otherwise: v.otherwise}
	l.set = append(l.set, f.Name)
}

func (l *loader) fault(line int, key, text string) {
	l.problems = append(l.problems, Problem{Source: l.source, Line: line, Key: key, Text: text})
}

// unread tells of a line that another setting keeps from being read.
func (l *loader) unread(key string, line int, without string) {
	l.fault(line, key, "is ignored without "+without+" = 1")
}

// file applies a checked configuration file for a model. One with lines that cannot be read changes nothing.
func (l *loader) file(text, model string) {
	if f, bad := parse(l.source, text); len(bad) == 0 {
		keys := keysOf(l.round)
		f.apply(&l.s.TestSettings, model, l.o.Scenario.String(), keys.set, l.note, l.unread)
		if keys.old {
			f.applyArrivals(&l.s.TestSettings, model, l.note)
		}
	}
}

// override applies one setting, unless it is of other scenarios.
func (l *loader) override(o Override) {
	if !o.meant(l.o.Scenario) {
		return
	}
	f, v, fault := o.read(l.o.Scenario)
	if fault != "" {
		l.fault(0, o.Key, fault)
		return
	}
	store(f, &l.s.TestSettings, v)
	l.note(f, o.Key, v)
}

// Set changes one setting of a run, which comes from source then.
func (s *Settings) Set(source string, o Override) error {
	l := loader{o: Options{Scenario: s.Scenario}, s: *s, source: source}
	l.override(o)
	*s = l.s
	return asError(l.problems)
}
