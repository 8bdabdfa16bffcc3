package names

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// nameDifference is something in which runs of one name may differ.
type nameDifference struct {
	about string
	// of is what a run has of it: KEY=VALUE, or nothing where it is not known. Keys that runs have in common are not
	// shown.
	of func(r record.Run) map[string]string
}

// singleDifference is a difference with a single value.
func singleDifference(about string, value func(r record.Run) string) nameDifference {
	return nameDifference{about, func(r record.Run) map[string]string { return map[string]string{about: value(r)} }}
}

// ofWorkload is one of what the plugin opened.
func ofWorkload(about string, value func(w record.Workload) string) nameDifference {
	return singleDifference(about, func(r record.Run) string {
		if r.Workload == nil {
			return ""
		}
		return value(*r.Workload)
	})
}

// allDifferences are in the order in which they tell runs apart: what a user chose before what it came to.
func allDifferences() []nameDifference {
	return []nameDifference{
		ofWorkload("precision", func(w record.Workload) string { return w.Precision }),
		ofWorkload("backend", func(w record.Workload) string { return w.Backend }),
		singleDifference("device", func(r record.Run) string { return strings.Join(r.Options.Devices, "+") }),
		ofWorkload("batch", func(w record.Workload) string { return numberText(w.Batch) }),
		ofWorkload("sessions", func(w record.Workload) string { return numberText(w.Sessions) }),
		{"backend options", func(r record.Run) map[string]string { return r.Options.BackendOptions }},
		{"parameters", func(r record.Run) map[string]string { return r.Options.Params }},
		singleDifference("rules", func(r record.Run) string { return r.Rules }),
		singleDifference("division", func(r record.Run) string { return r.Division }),
		singleDifference("profile", func(r record.Run) string { return r.Profile }),
		singleDifference("loadgen", loadGenName),
		{"settings", settingsOf},
		ofWorkload("model", func(w record.Workload) string { return filepath.Base(w.ModelFile) }),
		ofWorkload("sha256", func(w record.Workload) string { return w.ModelSHA256[:min(len(w.ModelSHA256), 12)] }),
		ofWorkload("data", func(w record.Workload) string { return filepath.Base(w.Dataset) }),
		singleDifference("cpu", func(r record.Run) string { return r.System.CPU }),
		ofWorkload("version", func(w record.Workload) string { return w.BackendInfo["version"] }),
		singleDifference("plugin", func(r record.Run) string { return r.Plugin.Version }),
		singleDifference("harness", func(r record.Run) string {
			return strings.TrimSpace(r.Harness.Version + " " +
				r.Harness.Commit)
		}),
	}
}

func numberText(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func loadGenName(r record.Run) string {
	if r.LoadGen == nil {
		return "plumbline"
	}
	return strings.TrimSpace(r.LoadGen.Name + " " + r.LoadGen.Version)
}

func settingsOf(r record.Run) map[string]string {
	all := map[string]string{}
	for _, s := range r.Settings {
		all[s.Key] = s.Value
	}
	return all
}

// maxValues is how many values of one difference a name says.
const maxValues = 3

// addToNames adds to the names of a group what it differs in.
func (d nameDifference) addToNames(group []*namedRun) {
	values := make([]map[string]string, len(group))
	keys := map[string]bool{}
	for i, n := range group {
		values[i] = d.of(n.run.Run)
		for k := range values[i] {
			keys[k] = true
		}
	}
	said := 0
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		differs := slices.ContainsFunc(values, func(v map[string]string) bool { return v[key] != values[0][key] })
		if !differs || said == maxValues {
			continue
		}
		said++
		for i, n := range group {
			if v := values[i][key]; v != "" {
				n.parts = append(n.parts, record.NameValue.Part(key, key+"="+v))
			}
		}
	}
}
