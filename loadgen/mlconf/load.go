package mlconf

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// ErrConfig is wrapped by every error of Load that a user can correct.
var ErrConfig = errors.New("configuration")

// fields is LoadGen's table of settings.
var fields = loadgen.Fields()

// Load returns the settings of a run: LoadGen's defaults, then the rules' defaults of the model and scenario, then
// o.Layers in order. It reports all faults of all layers together, each with file and line. The caller sets the
// scenario and the mode; only audit settings may change the mode. The rules' defaults of v5.0 to v6.0 are those of v6.1
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
	l := settingsLoader{options: o, round: round, settings: Settings{TestSettings: loadgen.DefaultTestSettings(),
		Origins: map[string]Origin{}}}
	l.settings.Scenario = o.Scenario
	for _, f := range fields {
		l.settings.Origins[f.Name] = Origin{Source: "LoadGen default", Key: f.Key, Text: f.Text(l.settings.TestSettings)}
	}
	l.beginLayer(rules.source)
	rules.applyTo(&l.settings.TestSettings, round.settingsModel(o), o.Scenario.String(), allowAllFields, l.noteOrigin,
		func(string, int, string) {})
	l.endLayer()
	for _, layer := range o.Layers {
		l.beginLayer(layer.Source)
		layer.apply(&l)
		l.endLayer()
	}
	return l.settings, toError(l.problems)
}

// settingsLoader applies layers to settings.
type settingsLoader struct {
	options   Options
	round     *Rules
	settings  Settings
	source    string // of the current layer
	setsMode  bool   // the current layer may set the mode
	setFields []string
	problems  []Problem
}

func (l *settingsLoader) beginLayer(source string) {
	l.source, l.setsMode, l.setFields = source, false, nil
}

// endLayer records the changes of a layer and restores the mode if the layer may not set it.
func (l *settingsLoader) endLayer() {
	if !l.setsMode {
		l.settings.Mode = l.options.Mode
		l.settings.Origins["Mode"] = Origin{Source: "the run's mode", Key: "mode", Text: strconv.Itoa(int(l.options.Mode))}
	}
	l.settings.Applied = append(l.settings.Applied, Applied{
		Source: l.source, Fields: l.setFields, After: l.settings.TestSettings,
	})
}

// noteOrigin records the origin of a value.
func (l *settingsLoader) noteOrigin(f loadgen.Field, key string, v confValue) {
	l.settings.Origins[f.Name] = Origin{Source: l.source, Line: v.line, Key: key, Text: v.text, Otherwise: v.otherwise}
	l.setFields = append(l.setFields, f.Name)
}

func (l *settingsLoader) addFault(line int, key, text string) {
	l.problems = append(l.problems, Problem{Source: l.source, Line: line, Key: key, Text: text})
}

// noteUnread adds a note on a line that LoadGen ignores because another setting is missing.
func (l *settingsLoader) noteUnread(key string, line int, without string) {
	l.addFault(line, key, "is ignored without "+without+" = 1")
}

// applyFile applies a checked configuration file for a model. If lines cannot be read, it changes nothing.
func (l *settingsLoader) applyFile(text, model string) {
	if f, bad := parseConf(l.source, text); len(bad) == 0 {
		keys := keysOfRound(l.round)
		f.applyTo(&l.settings.TestSettings, model, l.options.Scenario.String(), keys.setsField, l.noteOrigin, l.noteUnread)
		if keys.oldRules {
			f.applyArrivals(&l.settings.TestSettings, model, l.noteOrigin)
		}
	}
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
