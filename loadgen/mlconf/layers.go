package mlconf

import "github.com/plumbline-ml/plumbline/loadgen"

// Layer is one source of settings over the rules' defaults: [Values], [Smoke], [UserConf], [Audit] or [AuditText].
type Layer struct {
	Source string // in origins and faults: "flag --set", "smoke settings of resnet50", the path of a file
	apply  func(*settingsLoader)
}

// Values is a layer of single settings, applied in order. Those for other scenarios than the run's are left out.
func Values(source string, settings ...Override) Layer {
	return Layer{Source: source, apply: func(l *settingsLoader) {
		for _, o := range settings {
			l.applyOverride(o)
		}
	}}
}

// Smoke is a layer of a model's settings for a run of seconds. Where the duration of a run is that of its answers, in
// SingleStream, MultiStream and Offline, it has no minimum: the run is as long as its queries take, and not INVALID
// where the machine is quick. Server's is the schedule's, which the settings give.
func Smoke(source string, settings ...Override) Layer {
	var none []Override
	for _, s := range []loadgen.Scenario{loadgen.SingleStream, loadgen.MultiStream, loadgen.Offline} {
		none = append(none, Override{Scenario: s, Key: "min_duration", Value: "0"})
	}
	return Values(source, append(none, settings...)...)
}

// UserConf is the layer of a user.conf. What the official LoadGen would ignore or change silently is a fault.
func UserConf(path string) Layer {
	return Layer{Source: path, apply: func(l *settingsLoader) {
		text, err := readConf(path)
		if err != nil {
			l.addFault(0, "", "cannot be read: "+err.Error())
			return
		}
		problems, notes := Check(path, text, l.o.Model, l.round, l.o.IgnoreUnknownKeys)
		l.problems, l.s.Notes = append(l.problems, problems...), append(l.s.Notes, notes...)
		l.applyFile(text, l.o.Model)
	}}
}

// Audit is the layer of audit settings, an audit.config. It is meant to be the last, and may set the mode. Only keys
// whose model is "*" can match, as in the official LoadGen: lines of single models are a note, and so are keys that
// only an audit's verification script reads (test07_accuracy_threshold), and with Options.IgnoreUnknownKeys those that
// LoadGen does not know. Keys that else the rules alone set, the seeds and test05, count under the rules up to v4.1,
// whose LoadGen read them from any file. A run with audit settings tells their source to LoadGen:
// loadgen.LogSettings.Audit.
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

// AuditText is the layer of audit settings that no file holds yet; source names them in origins and faults.
func AuditText(source, text string) Layer {
	return Layer{Source: source, apply: func(l *settingsLoader) { l.applyAudit(source, text) }}
}

// applyAudit applies audit settings.
func (l *settingsLoader) applyAudit(source, text string) {
	l.mode = true
	c := newChecker(source, "", l.round, l.o.IgnoreUnknownKeys)
	c.audit, c.keys.old = true, false
	problems, notes := c.checkAll(text)
	l.problems, l.s.Notes = append(l.problems, problems...), append(l.s.Notes, notes...)
	f, bad := parseConf(source, text)
	if len(bad) == 0 {
		f.applyTo(&l.s.TestSettings, "*", l.o.Scenario.String(), c.keys.setsField, l.noteOrigin, l.noteUnread)
	}
}
