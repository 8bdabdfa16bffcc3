package record

import (
	"cmp"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
)

// Fact is a component or setting of a run: "backend", "ort, ONNX Runtime 1.28.2".
type Fact struct{ Name, Value string }

// RanWith lists the components and settings of the run: model file and precision, data, backend and its version,
// devices, machine, the user's statements about it, rules, division, LoadGen and harness, in this order. It omits
// unknown facts.
func (r Run) RanWith() []Fact {
	var all []Fact
	add := func(name, value string) {
		if value != "" {
			all = append(all, Fact{name, value})
		}
	}
	if w := r.Workload; w != nil {
		model := r.modelText()
		if w.Embedded && r.Network == nil && len(w.Parts) == 0 { // its name states that it is embedded
			model = strings.Join(nonEmpty(cmp.Or(w.ModelFile, "embedded"), w.Precision, figure.Bytes(w.ModelSize)), ", ")
		}
		add("model", model)
		add("data", strings.TrimPrefix(w.Dataset+", "+figure.Plural(w.DatasetSize, "sample"), ", "))
		add("backend", w.backendText())
	}
	if s := r.Serving; s != nil {
		s.addFacts(add)
	}
	if w := r.Workload; w != nil {
		add("devices", cmp.Or(strings.Join(r.Options.Devices, ", "), w.BackendInfo["devices"]))
	}
	if r.System.Cores > 0 {
		add("machine", r.machineText())
		add("system", strings.Join(nonEmpty(r.System.OS, r.System.Kernel), ", "))
	}
	add("as stated", r.Stated.System.String())
	switch {
	case r.Rules != "" && r.Profile == "": // a run known only by its logs
		add("round", r.Rules+", by the seeds of the logs")
	case r.Rules != "":
		add("rules", r.settingsText())
	}
	add("division", r.Division)
	if r.Status != NotRun && (r.Serving == nil || r.Effective != nil) {
		add("LoadGen", r.loadGenText())
	}
	add("harness", strings.TrimSpace(r.Harness.Version+" "+r.Harness.Commit))
	return all
}

// loadGenText describes the LoadGen that drove the run.
func (r Run) loadGenText() string {
	if r.LoadGen == nil {
		return "Plumbline's own"
	}
	text := strings.TrimSpace(r.LoadGen.Name + " " + cmp.Or(r.LoadGen.Release, r.LoadGen.Version))
	if r.LoadGen.Rehearses() {
		text += ", changed"
	}
	return text
}

// nonEmpty returns the texts that are not empty.
func nonEmpty(texts ...string) []string {
	var given []string
	for _, t := range texts {
		if t != "" {
			given = append(given, t)
		}
	}
	return given
}
