package mlconf

import "github.com/plumbline-ml/plumbline/loadgen"

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
