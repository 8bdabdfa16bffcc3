package names

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// nameDifference is a property in which runs of one name may differ.
type nameDifference struct {
	about string
	// values returns the property's values of a run as KEY=VALUE, or nothing if they are unknown. A name does not show
	// keys with the same value in all runs of the group.
	values func(r record.Run) map[string]string
}

// singleDifference returns a difference with a single value.
func singleDifference(about string, value func(r record.Run) string) nameDifference {
	return nameDifference{about, func(r record.Run) map[string]string { return map[string]string{about: value(r)} }}
}

// workloadDifference returns a difference of the workload that the plugin opened.
func workloadDifference(about string, value func(w record.Workload) string) nameDifference {
	return singleDifference(about, func(r record.Run) string {
		if r.Workload == nil {
			return ""
		}
		return value(*r.Workload)
	})
}

// allDifferences returns the differences in the order in which they distinguish runs: first the user's choices, then
// their results.
func allDifferences() []nameDifference {
	return []nameDifference{
		workloadDifference("precision", func(w record.Workload) string { return w.Precision }),
		workloadDifference("backend", func(w record.Workload) string { return w.Backend }),
		singleDifference("device", func(r record.Run) string { return strings.Join(r.Options.Devices, "+") }),
		workloadDifference("batch", func(w record.Workload) string { return numberText(w.Batch) }),
		workloadDifference("sessions", func(w record.Workload) string { return numberText(w.Sessions) }),
		{"backend options", func(r record.Run) map[string]string { return r.Options.BackendOptions }},
		{"parameters", func(r record.Run) map[string]string { return r.Options.Params }},
		singleDifference("rules", func(r record.Run) string { return r.Rules }),
		singleDifference("division", func(r record.Run) string { return r.Division }),
		singleDifference("profile", func(r record.Run) string { return r.Profile }),
		singleDifference("loadgen", loadGenName),
		{"settings", settingsOf},
		workloadDifference("model", func(w record.Workload) string { return filepath.Base(w.ModelFile) }),
		workloadDifference("sha256", func(w record.Workload) string { return w.ModelSHA256[:min(len(w.ModelSHA256), 12)] }),
		workloadDifference("data", func(w record.Workload) string { return filepath.Base(w.Dataset) }),
		singleDifference("cpu", func(r record.Run) string { return r.System.CPU }),
		workloadDifference("version", func(w record.Workload) string { return w.BackendInfo["version"] }),
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

// maxValues limits the values of one difference in a name.
const maxValues = 3

// addToNames adds the values of the difference to the names of a group.
func (d nameDifference) addToNames(group []*namedRun) {
	values := make([]map[string]string, len(group))
	keys := map[string]bool{}
	for i, n := range group {
		values[i] = d.values(n.run.Run)
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
