// Package mlconf makes TestSettings from the rules' embedded defaults (mlperf.conf's keys, by round), user.conf files
// and single overrides, and records the origin of each value.
//
// A configuration file contains lines "MODEL.SCENARIO.KEY = NUMBER"; MODEL and SCENARIO may be "*". If several lines of
// a file fit a run, the first of model.scenario, *.scenario, model.*, *.* applies, and among equal keys the last. A
// later file overrides an earlier one, however specific the earlier key is. [Fields] lists the keys with their units.
//
// [Load] is strict: it reports all entries that the official LoadGen accepts but ignores or changes, with line numbers.
// [Official] reads like the official LoadGen, for its return codes and for audit.config files. [Round] contains the
// facts of a round of the rules: models, scenarios, accuracy targets, counts, seeds, limits.
//
// In scope: settings as data. Out of scope: command lines, and the consistency of settings (package loadgen).
package mlconf

import "github.com/plumbline-ml/plumbline/loadgen"

//go:generate go test -run TestSettingsDoc . -update

// Origin says where a setting's value came from.
type Origin struct {
	Source string // "LoadGen default", "rules v6.1", a file's path, "flag --min-duration", "smoke settings of resnet50"
	Line   int    // 0 where it has none
	Key    string // as written: "resnet50.Server.target_latency"
	Text   string // the value as written
	// Otherwise is the value in the text of the round's rules, where the round ran another one; else it is empty.
	Otherwise string
}

// Options say what to read.
type Options struct {
	Rules string // the round: "v6.1"; empty means the newest
	Model string // LoadGen's model key: "resnet50"
	// RulesModel is the rules' name of the model: "resnet". Where the round has another model of that key, its defaults
	// are not taken. Empty: whatever the key is.
	RulesModel string
	Scenario   loadgen.Scenario
	Mode       loadgen.Mode
	Layers     []Layer // over the rules' defaults, the weakest first
	// IgnoreUnknownKeys makes keys and scenarios of files that LoadGen does not know notes instead of faults.
	IgnoreUnknownKeys bool
}

// Settings are TestSettings with the origin of each field, keyed by the field's name.
type Settings struct {
	loadgen.TestSettings
	Origins map[string]Origin
	Notes   []Note    // lines of files that were read and not applied, in order
	Applied []Applied // what the rules' defaults and each layer did
}

// Applied is what one layer did.
type Applied struct {
	Source string
	Fields []string             // the names of the fields that it set
	After  loadgen.TestSettings // the settings with this layer and those under it
}

// Rules are the settings as the rules' defaults have them, without any layer.
func (s Settings) Rules() loadgen.TestSettings { return s.Applied[0].After }
