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

// Layer is one source of settings over the rules' defaults: [Values], [Smoke], [UserConf], [Audit] or [AuditText].
type Layer struct {
	Source string // in origins and faults: "flag --set", "smoke settings of resnet50", the path of a file
	apply  func(*settingsLoader)
}

// Values returns a layer of single settings, applied in order. Settings for scenarios other than the run's are skipped.
func Values(source string, settings ...Override) Layer {
	return Layer{Source: source, apply: func(l *settingsLoader) {
		for _, o := range settings {
			l.applyOverride(o)
		}
	}}
}

// Smoke returns a layer of a model's settings for a run of a few seconds. In SingleStream, MultiStream and Offline,
// whose answers determine the duration, it sets no minimum duration. A run on a fast machine is then not INVALID.
// Server's duration is that of the schedule, which the settings determine.
func Smoke(source string, settings ...Override) Layer {
	var none []Override
	for _, s := range []loadgen.Scenario{loadgen.SingleStream, loadgen.MultiStream, loadgen.Offline} {
		none = append(none, Override{Scenario: s, Key: "min_duration", Value: "0"})
	}
	return Values(source, append(none, settings...)...)
}

// UserConf returns the layer of a user.conf. An entry that the official LoadGen would ignore or change silently is a
// fault.
func UserConf(path string) Layer {
	return Layer{Source: path, apply: func(l *settingsLoader) {
		text, err := readConf(path)
		if err != nil {
			l.addFault(0, "", "cannot be read: "+err.Error())
			return
		}
		problems, notes := Check(path, text, l.options.Model, l.round, l.options.IgnoreUnknownKeys)
		l.problems, l.settings.Notes = append(l.problems, problems...), append(l.settings.Notes, notes...)
		l.applyFile(text, l.options.Model)
	}}
}

// Audit returns the layer of audit settings, an audit.config. It should be the last layer and may set the mode. Like in
// the official LoadGen, only keys whose model is "*" apply. These lines cause a note: lines of single models, keys that
// only an audit's verification script reads (test07_accuracy_threshold), and with Options.IgnoreUnknownKeys unknown
// keys. In rounds up to v4.1 the layer may set the seeds and test05, which otherwise only the rules set, because their
// LoadGen read them from any file. The caller must pass the path of the settings to LoadGen: loadgen.LogSettings.Audit.
func Audit(path string) Layer {
	return Layer{Source: path, apply: func(l *settingsLoader) {
		text, err := readConf(path)
		if err != nil {
			l.addFault(0, "", "audit settings cannot be read: "+err.Error())
			return
		}
		l.applyAudit(path, text)
	}}
}

// AuditText returns the layer of audit settings that are not in a file yet. source names them in origins and faults.
func AuditText(source, text string) Layer {
	return Layer{Source: source, apply: func(l *settingsLoader) { l.applyAudit(source, text) }}
}

// applyAudit applies audit settings.
func (l *settingsLoader) applyAudit(source, text string) {
	l.setsMode = true
	c := newChecker(source, "", l.round, l.options.IgnoreUnknownKeys)
	c.audit, c.keys.oldRules = true, false
	problems, notes := c.checkAll(text)
	l.problems, l.settings.Notes = append(l.problems, problems...), append(l.settings.Notes, notes...)
	f, bad := parseConf(source, text)
	if len(bad) == 0 {
		f.applyTo(&l.settings.TestSettings, "*", l.options.Scenario.String(), c.keys.setsField, l.noteOrigin, l.noteUnread)
	}
}
