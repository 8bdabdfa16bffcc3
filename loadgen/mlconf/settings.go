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

// Origin describes where a setting's value came from.
type Origin struct {
	Source string // "LoadGen default", "rules v6.1", a file's path, "flag --min-duration", "smoke settings of resnet50"
	Line   int    // 0 if it has none
	Key    string // in the form of the source: "resnet50.Server.target_latency"
	Text   string // the value in the form of the source
	// Otherwise is the value in the text of the round's rules if it differs from that of the runs; else it is empty.
	Otherwise string
}

// Options determines the sources of settings.
type Options struct {
	Rules string // the round: "v6.1"; empty means the newest
	Model string // LoadGen's model key: "resnet50"
	// RulesModel is the rules' name of the model: "resnet". If the round has only another model with the same key, Load
	// does not use its defaults. Empty means any model with the key.
	RulesModel string
	Scenario   loadgen.Scenario
	Mode       loadgen.Mode
	Layers     []Layer // over the rules' defaults, in ascending priority
	// IgnoreUnknownKeys turns faults about unknown keys and scenarios of files into notes.
	IgnoreUnknownKeys bool
}

// Settings contains TestSettings and the origin of each field, keyed by the field's name.
type Settings struct {
	loadgen.TestSettings
	Origins map[string]Origin
	Notes   []Note    // on lines of files that were read but not applied, in order
	Applied []Applied // the changes of the rules' defaults and of each layer
}

// Applied contains the changes of one layer.
type Applied struct {
	Source string
	Fields []string             // names of the fields that it set
	After  loadgen.TestSettings // the settings with this layer and the layers below
}

// Rules returns the settings of the rules' defaults without any layer.
func (s Settings) Rules() loadgen.TestSettings { return s.Applied[0].After }
