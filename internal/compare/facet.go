package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/settings"
	"github.com/plumbline-ml/plumbline/internal/record/results"
)

// singleFacet returns the values function of a facet with a single value.
func singleFacet(about string, value func(results.FoundRun) string) func(results.FoundRun) map[string]string {
	return func(f results.FoundRun) map[string]string { return map[string]string{about: value(f)} }
}

func modelFacet(f results.FoundRun) map[string]string {
	w := openedWorkload(f)
	return map[string]string{"model": f.Model, "model's checksum": shortChecksum(w.ModelSHA256), "precision": w.Precision}
}

// openedWorkload returns the workload that the run's plugin opened, as far as it is known.
func openedWorkload(f results.FoundRun) record.Workload {
	if f.Workload == nil {
		return record.Workload{}
	}
	return *f.Workload
}

func rulesFacet(f results.FoundRun) map[string]string {
	return map[string]string{
		"rules": f.Rules, "profile": f.Profile, "pace": f.Pace, "division": f.Division,
		"compliance test": cmp.Or(f.Test, absent), "audit settings": cmp.Or(f.Audit, absent),
	}
}

// dataFacet uses the checksum of the data set if it is known, because the same data set may have different paths.
func dataFacet(f results.FoundRun) map[string]string {
	if f.Serving != nil {
		return servedDataFacet(f.Serving)
	}
	w := openedWorkload(f)
	return map[string]string{
		"data set": cmp.Or(shortChecksum(w.DatasetSHA256), w.Dataset), "samples of the data set": numberText(w.DatasetSize),
		"performance sample count": numberText(w.PerformanceSampleCount),
	}
}

func numberText(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// settingsFacet returns LoadGen's settings and the benchmark's own. It omits settings without meaning in the run and
// those that were derived from an earlier run's figures.
func settingsFacet(f results.FoundRun) map[string]string {
	if f.Serving != nil {
		return servedSettingsFacet(f.Serving)
	}
	if f.Settings == nil {
		return nil
	}
	m := map[string]string{"params": optionPairs(f.Options.Params)}
	for _, s := range f.Settings {
		if m[s.Key] = s.Value; settings.Measured(s.Origin) {
			m[s.Key] = ""
		}
	}
	return m
}

func driverName(f results.FoundRun) string {
	if f.LoadGen == nil {
		return "plumbline"
	}
	return fmt.Sprintf("%s %s %s", f.LoadGen.Name, f.LoadGen.Version, shortChecksum(f.LoadGen.SHA256))
}

func backendFacet(f results.FoundRun) map[string]string {
	if f.Serving != nil {
		return serverFacet(f.Serving)
	}
	w := openedWorkload(f)
	return map[string]string{
		"backend": w.Backend, "backend's version": w.BackendInfo["version"], "batch": numberText(w.Batch),
		"sessions": numberText(w.Sessions), "backend options": optionPairs(f.Options.BackendOptions),
		"devices": cmp.Or(strings.Join(f.Options.Devices, ","), absent),
	}
}

func optionPairs(options map[string]string) string {
	all := []string{}
	for _, k := range slices.Sorted(maps.Keys(options)) {
		all = append(all, k+"="+options[k])
	}
	return cmp.Or(strings.Join(all, " "), absent)
}

func machineName(f results.FoundRun) string {
	if f.System.CPU == "" && f.System.Cores == 0 {
		return f.Place.String() // the folder's name if only logs exist
	}
	return fmt.Sprintf("%s, %s, %s", f.System.CPU, figure.Plural(f.System.Cores, "core"), f.System.Kernel)
}

func versionsFacet(f results.FoundRun) map[string]string {
	return map[string]string{
		"harness": strings.TrimSpace(f.Harness.Version + " " + f.Harness.Commit),
		"plugin":  strings.TrimSpace(f.Plugin.Name + " " + f.Plugin.Version + " " + shortChecksum(f.Plugin.SHA256)),
	}
}

// shortChecksum returns the first 12 characters of a checksum, enough to tell files apart by eye.
func shortChecksum(sum string) string { return sum[:min(len(sum), 12)] }
