// Package mlconf makes TestSettings from the rules' embedded defaults (mlperf.conf's keys, by round), user.conf files
// and single overrides, and remembers where each value came from.
package mlconf

import "github.com/plumbline-ml/plumbline/loadgen"

// Origin says where a setting's value came from.
type Origin struct {
	Source string // "LoadGen default", "rules v6.1", a file's path, "flag --min-duration", "smoke settings of resnet50"
	Line   int    // 0 where it has none
	Key    string // as written: "resnet50.Server.target_latency"
	Text   string // the value as written
}

// Override is one setting given outside a file: a flag or a model's smoke settings. Key is a configuration key
// without model and scenario, such as "min_duration" or "target_qps"; Value is in the file's unit.
type Override struct {
	Key, Value string
	Source     string
}

// Options say what to read.
type Options struct {
	Rules     string // the round: "v6.1"; empty means the newest
	Model     string // LoadGen's model key: "resnet50"
	Scenario  loadgen.Scenario
	Mode      loadgen.Mode
	UserConf  string     // path; empty: none
	Overrides []Override // applied last, in order
}

// Settings are TestSettings with the origin of each field, keyed by the field's name.
type Settings struct {
	loadgen.TestSettings
	Origins map[string]Origin
}
