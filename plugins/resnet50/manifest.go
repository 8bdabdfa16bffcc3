package resnet50

import (
	_ "embed" // manifest.json
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/synthetic"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/plugins/resnet50/model"
	"github.com/plumbline-ml/plumbline/sdk"
)

//go:embed manifest.json
var manifestText string

// manifest is manifest.json: what Describe says, and the defaults of each model's parameters.
type manifest struct {
	Name, Version, Summary string
	Params                 []sdk.ParamInfo // without defaults, which are each model's
	Embedded               embeddedEntry
	Datasets               []sdk.DatasetInfo
	Models                 []modelEntry
}

// embeddedEntry is the network inside the plugin, which stands in for each model.
type embeddedEntry struct {
	Defaults map[string]string // by parameter
	Files    []sdk.ModelFile
	Dataset  sdk.DatasetInfo
	Smoke    []smokeEntry
}

type smokeEntry struct {
	Scenario string
	Settings map[string]string
}

type modelEntry struct {
	sdk.ModelInfo
	Scenarios []string          // in place of ModelInfo's
	Defaults  map[string]string // by parameter
}

// readManifest parses text and completes what the sdk's types ask for. It reports every fault at once.
func readManifest(text string) (*manifest, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	m := new(manifest)
	if err := d.Decode(m); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	smoke, err := m.smoke()
	faults := []error{err, m.checkDefaults("embedded", m.Embedded.Defaults)}
	if len(m.Models) == 0 {
		faults = append(faults, errors.New("manifest: no models"))
	}
	for i := range m.Models {
		faults = append(faults, m.complete(&m.Models[i], smoke))
	}
	return m, errors.Join(faults...)
}

// complete fills in the parts of a model's entry that all models share.
func (m *manifest) complete(e *modelEntry, smoke []sdk.SmokeSetting) error {
	faults := []error{m.checkDefaults(e.Name, e.Defaults)}
	for _, name := range e.Scenarios {
		s, err := loadgen.ParseScenario(name)
		faults = append(faults, err)
		e.ModelInfo.Scenarios = append(e.ModelInfo.Scenarios, s)
	}
	embedded, err := m.embeddedFiles()
	faults = append(faults, err)
	e.Files = append(embedded, e.Files...)
	e.Datasets = append([]sdk.DatasetInfo{m.drawnDataset()}, m.Datasets...)
	for _, p := range m.Params {
		p.Default = e.Defaults[p.Name]
		e.Params = append(e.Params, p)
	}
	e.Smoke = smoke
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("manifest, model %q: %w", e.Name, err)
	}
	return nil
}

// embeddedFiles completes the entries of the embedded files with the facts of the model card.
func (m *manifest) embeddedFiles() ([]sdk.ModelFile, error) {
	files := slices.Clone(m.Embedded.Files)
	var faults []error
	for i := range files {
		facts, ok := model.Card().File(files[i].Precision)
		if !ok {
			faults = append(faults, fmt.Errorf("%s: the model card has no %s file", files[i].Name, files[i].Precision))
		}
		files[i].Embedded = true
		files[i].SHA256, files[i].Size = facts.SHA256, int64(facts.Size)
		files[i].Reference = []sdk.Metric{{Name: "accuracy", Unit: "%", Value: facts.Top1}}
	}
	return files, errors.Join(faults...)
}

func (m *manifest) drawnDataset() sdk.DatasetInfo {
	d := m.Embedded.Dataset
	d.Embedded = true
	d.Samples = synthetic.ImageEval().Len()
	d.PerformanceSampleCount = min(performanceSamples, d.Samples)
	return d
}

func (m *manifest) smoke() ([]sdk.SmokeSetting, error) {
	var settings []sdk.SmokeSetting
	var faults []error
	for _, e := range m.Embedded.Smoke {
		scenario, err := loadgen.ParseScenario(e.Scenario)
		faults = append(faults, err)
		for _, key := range slices.Sorted(maps.Keys(e.Settings)) {
			settings = append(settings, sdk.SmokeSetting{Scenario: scenario, Key: key, Value: e.Settings[key]})
		}
	}
	return settings, errors.Join(faults...)
}

// checkDefaults holds the defaults to one value for each parameter.
func (m *manifest) checkDefaults(where string, defaults map[string]string) error {
	var faults []error
	for _, p := range m.Params {
		if _, ok := defaults[p.Name]; !ok {
			faults = append(faults, fmt.Errorf("%s: parameter %q has no default", where, p.Name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(defaults)) {
		if !m.hasParam(name) {
			faults = append(faults, fmt.Errorf("%s: default for unknown parameter %q", where, name))
		}
	}
	return errors.Join(faults...)
}

func (m *manifest) hasParam(name string) bool {
	return slices.ContainsFunc(m.Params, func(p sdk.ParamInfo) bool { return p.Name == name })
}

// model finds a model's entry; the empty name means the first.
func (m *manifest) model(name string) (*modelEntry, error) {
	names := make([]string, len(m.Models))
	for i := range m.Models {
		if name == "" || strings.EqualFold(m.Models[i].Name, name) {
			return &m.Models[i], nil
		}
		names[i] = m.Models[i].Name
	}
	return nil, sdk.Usage(fmt.Errorf("unknown model %q, want one of %s", name, strings.Join(names, ", ")))
}

// checkParams names every parameter that no model of the benchmark has.
func (m *manifest) checkParams(params map[string]string) error {
	names := make([]string, len(m.Params))
	for i, p := range m.Params {
		names[i] = p.Name
	}
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if !m.hasParam(name) {
			faults = append(faults, sdk.Usage(fmt.Errorf("unknown parameter %q, want one of %s", name, strings.Join(names, ", "))))
		}
	}
	return errors.Join(faults...)
}
