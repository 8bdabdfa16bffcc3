package manifest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
)

// Manifest is the completed content of manifest.json. It is immutable: its methods may be called concurrently, and
// callers must not change the results.
type Manifest struct {
	Name, Version, Summary string
	Params                 []sdk.ParamInfo // of all models; each model has its own defaults
	Embedded               EmbeddedEntry
	Datasets               []sdk.DatasetInfo // the official data sets and further embedded ones
	Models                 []ModelEntry      // the first is the default

	files fs.FS // model/card.json and the files that it names, and similar folders of models with their own files
}

// EmbeddedEntry describes the model inside the plugin. It replaces each model without a file.
type EmbeddedEntry struct {
	Folder   string            // folder of its card and its files; empty: model
	Defaults map[string]string // defaults for the embedded files, by parameter
	Files    []sdk.ModelFile
	Dataset  sdk.DatasetInfo
	Smoke    []SmokeEntry

	card ModelCard
}

// SmokeEntry contains the settings of one scenario in a smoke run, in the units of user.conf.
type SmokeEntry struct {
	Scenario string
	Settings map[string]string
}

// ModelEntry is one model's entry.
type ModelEntry struct {
	sdk.ModelInfo
	Scenarios []string // names; replaces ModelInfo's Scenarios
	// Datasets names the manifest's data sets for the model; empty: all of them.
	Datasets []string
	Defaults map[string]string // defaults for the official files, by parameter
	// MetricEntries is the manifest's form of ModelInfo's Metrics.
	MetricEntries []MetricEntry `json:"metrics"`
	// Embedded is a model inside the plugin only for this entry. It replaces the manifest's. Its data set entry contains
	// the number of samples.
	Embedded *EmbeddedEntry
	// EmbeddedDefaults overrides the embedded entry's defaults for this model, parameter by parameter.
	EmbeddedDefaults map[string]string
	// Smoke overrides the embedded entry's settings for this model, scenario by scenario.
	Smoke []SmokeEntry
}

// readManifest parses text and completes it. Its error lists all faults: unknown fields and scenarios, parameters
// without a default, defaults without a parameter, embedded files that are not in the card or the folder.
func readManifest(text string, files fs.FS, i Implementation) (*Manifest, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	m := &Manifest{files: files}
	if err := d.Decode(m); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("manifest: more text after the end of the object")
	}
	m.Embedded.Dataset.Samples, m.Embedded.Dataset.PerformanceSampleCount = i.Samples, i.PerformanceSamples
	faults := []error{
		m.completeEmbedded(&m.Embedded), m.declareParams(i.Params), m.checkDefaults("manifest, embedded",
			m.Embedded.Defaults),
	}
	for _, p := range m.Params {
		if err := p.CheckRoles(); err != nil {
			faults = append(faults, fmt.Errorf("manifest: %w", err))
		}
	}
	if len(m.Models) == 0 {
		faults = append(faults, errors.New("manifest: no models"))
	}
	for k := range m.Models {
		if err := m.completeModel(&m.Models[k]); err != nil {
			faults = append(faults, fmt.Errorf("manifest, model %q: %w", m.Models[k].Name, err))
		}
	}
	faults = append(faults, m.checkDatasetActions(i))
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	for k := range m.Models {
		e := &m.Models[k]
		e.DatasetActions = append(slices.Clone(e.DatasetActions), e.ownActions(i)...)
	}
	return m, nil
}

// Describe returns the benchmark's description, without backends.
func (m *Manifest) Describe() sdk.Description {
	d := sdk.Description{Name: m.Name, Version: m.Version, Summary: m.Summary}
	for _, e := range m.Models {
		d.Models = append(d.Models, e.ModelInfo)
	}
	return d
}

// Model returns a model's entry by name, ignoring case. The empty name means the first model.
func (m *Manifest) Model(name string) (*ModelEntry, error) {
	names := make([]string, len(m.Models))
	for i := range m.Models {
		e := &m.Models[i]
		if name == "" || strings.EqualFold(e.Name, name) {
			return e, nil
		}
		names[i] = e.Name
	}
	return nil, sdk.Usage(fmt.Errorf("unknown model %q, want one of %s", name, strings.Join(names, ", ")))
}

// checkParams returns an error that names all parameters unknown to every model of the benchmark.
func (m *Manifest) checkParams(params map[string]string) error {
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if !m.hasParam(name) {
			faults = append(faults, sdk.Usage(fmt.Errorf("unknown parameter %q, want %s", name, m.paramNames())))
		}
	}
	return errors.Join(faults...)
}

// completeEmbedded adds the card's figures to the embedded files, and completes the embedded data set.
func (m *Manifest) completeEmbedded(x *EmbeddedEntry) error {
	d := &x.Dataset
	d.Embedded = true
	if d.PerformanceSampleCount = min(d.Samples, d.PerformanceSampleCount); d.PerformanceSampleCount == 0 {
		d.PerformanceSampleCount = d.Samples
	}
	x.Folder = cmp.Or(x.Folder, modelFolder)
	if len(x.Files) == 0 {
		return nil
	}
	card, err := readCard(m.files, x.Folder)
	if err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	x.card = card
	var faults []error
	for k := range x.Files {
		if err := m.completeEmbeddedFile(x, &x.Files[k]); err != nil {
			faults = append(faults, fmt.Errorf("manifest: %w", err))
		}
	}
	return errors.Join(faults...)
}

// embeddedOf returns the embedded model that replaces a model.
func (m *Manifest) embeddedOf(e *ModelEntry) *EmbeddedEntry {
	if e.Embedded != nil {
		return e.Embedded
	}
	return &m.Embedded
}

// completeEmbeddedFile completes an embedded file with the card's data, and checks that it is in the folder.
func (m *Manifest) completeEmbeddedFile(x *EmbeddedEntry, f *sdk.ModelFile) error {
	facts, ok := x.card.PartFile(f.Part, f.Precision)
	if !ok {
		return fmt.Errorf("%s: the model card has no %s", f.Name, strings.TrimSpace(f.Part+" "+f.Precision+" file"))
	}
	f.Embedded, f.SHA256, f.Size, f.Reference = true, facts.SHA256, facts.Size, facts.Metrics
	if _, err := fs.Stat(m.files, path.Join(x.Folder, facts.Name)); err != nil {
		return fmt.Errorf("embedded model: %w", err)
	}
	return nil
}

// embeddedFiles returns the embedded files of a model, with the card's figures for the model.
func (m *Manifest) embeddedFiles(e *ModelEntry) []sdk.ModelFile {
	x := m.embeddedOf(e)
	files := slices.Clone(x.Files)
	for k := range files {
		facts, _ := x.card.PartFile(files[k].Part, files[k].Precision)
		files[k].Reference = slices.Concat(files[k].Reference, facts.Models[e.RulesKey])
		files[k].Audits = facts.Audits[e.RulesKey]
	}
	return files
}

// embeddedBytes reads an embedded file of a model.
func (m *Manifest) embeddedBytes(e *ModelEntry, of sdk.ModelFile) ([]byte, error) {
	x := m.embeddedOf(e)
	f, _ := x.card.PartFile(of.Part, of.Precision)
	return fs.ReadFile(m.files, path.Join(x.Folder, f.Name))
}

// completeModel fills in the common parts of a model's entry.
func (m *Manifest) completeModel(e *ModelEntry) error {
	var faults []error
	if e.Embedded != nil {
		faults = append(faults, m.completeEmbedded(e.Embedded), m.checkDefaults("embedded", e.Embedded.Defaults))
	}
	faults = append(faults,
		m.checkDefaults("defaults", e.Defaults),
		m.checkKnown("embeddedDefaults", e.EmbeddedDefaults),
		m.checkKnown("endpoints", e.Endpoints.Params),
		m.chooseDatasets(e),
		e.completeMetrics(),
	)
	for _, name := range e.Scenarios {
		s, err := loadgen.ParseScenario(name)
		faults = append(faults, err)
		e.ModelInfo.Scenarios = append(e.ModelInfo.Scenarios, s)
	}
	e.Files = append(m.embeddedFiles(e), e.Files...)
	embedded := m.embeddedDefaults(e)
	for _, p := range m.Params {
		if value, ok := e.Defaults[p.Name]; ok {
			if p.Default = value; embedded[p.Name] != value {
				p.EmbeddedDefault = embedded[p.Name]
			}
			e.Params = append(e.Params, p)
		}
	}
	if n := e.Endpoints.MaxTokens; n < 0 || n == 0 && len(e.Endpoints.Params) > 0 {
		faults = append(faults, fmt.Errorf("endpoints: maxTokens = %d, want the most tokens of an answer, from 1 on", n))
	}
	faults = append(faults, checkParts(e), checkParts(e.scorerEntry()))
	for k := range e.ScorerFiles {
		if f := &e.ScorerFiles[k]; f.Embedded {
			faults = append(faults, m.completeEmbeddedFile(m.embeddedOf(e), f))
		}
	}
	smoke, err := m.smokeSettings(e)
	e.ModelInfo.Smoke = smoke
	return errors.Join(append(faults, err)...)
}

// hasOwnEmbedded reports whether a model names an embedded data set that replaces the common one.
func (m *Manifest) hasOwnEmbedded(e *ModelEntry) bool {
	return slices.ContainsFunc(m.Datasets, func(d sdk.DatasetInfo) bool {
		return d.Embedded && d.Use == "" && slices.Contains(e.Datasets, d.Name)
	})
}

// chooseDatasets selects the embedded data set and the manifest's data sets that the model names. Embedded sets among
// the latter belong to a use, or replace the common one.
func (m *Manifest) chooseDatasets(e *ModelEntry) error {
	if len(e.Datasets) == 0 || !m.hasOwnEmbedded(e) {
		e.ModelInfo.Datasets = []sdk.DatasetInfo{m.embeddedOf(e).Dataset}
	}
	if len(e.Datasets) == 0 {
		e.ModelInfo.Datasets = append(e.ModelInfo.Datasets, m.Datasets...)
		return nil
	}
	var faults []error
	for _, name := range e.Datasets {
		i := slices.IndexFunc(m.Datasets, func(d sdk.DatasetInfo) bool { return d.Name == name })
		if i < 0 {
			faults = append(faults, fmt.Errorf("unknown data set %q", name))
			continue
		}
		e.ModelInfo.Datasets = append(e.ModelInfo.Datasets, m.Datasets[i])
	}
	return errors.Join(faults...)
}

// smokeSettings flattens the settings of the model's scenarios.
func (m *Manifest) smokeSettings(e *ModelEntry) ([]sdk.SmokeSetting, error) {
	own := map[string]bool{}
	for _, s := range e.Smoke {
		own[s.Scenario] = true
	}
	entries := slices.Clone(e.Smoke)
	for _, s := range m.embeddedOf(e).Smoke {
		if !own[s.Scenario] {
			entries = append(entries, s)
		}
	}
	var settings []sdk.SmokeSetting
	var faults []error
	for _, s := range entries {
		scenario, err := loadgen.ParseScenario(s.Scenario)
		faults = append(faults, err)
		for _, key := range slices.Sorted(maps.Keys(s.Settings)) {
			settings = append(settings, sdk.SmokeSetting{Scenario: scenario, Key: key, Value: s.Settings[key]})
		}
	}
	return settings, errors.Join(faults...)
}

// checkDefaults requires one default for each parameter.
func (m *Manifest) checkDefaults(where string, defaults map[string]string) error {
	var faults []error
	for _, p := range m.Params {
		if _, ok := defaults[p.Name]; !ok {
			faults = append(faults, fmt.Errorf("%s: parameter %q has no default", where, p.Name))
		}
	}
	return errors.Join(append(faults, m.checkKnown(where, defaults))...)
}

func (m *Manifest) checkKnown(where string, defaults map[string]string) error {
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(defaults)) {
		if !m.hasParam(name) {
			faults = append(faults, fmt.Errorf("%s: value for unknown parameter %q", where, name))
		}
	}
	return errors.Join(faults...)
}

// checkDatasetActions requires that every listed action has code, and that all code has a listed action.
func (m *Manifest) checkDatasetActions(i Implementation) error {
	listed := slices.ContainsFunc(m.Models, func(e ModelEntry) bool { return len(e.DatasetActions) > 0 })
	switch {
	case listed && i.Dataset == nil:
		return errors.New("manifest: datasetActions without an Implementation.Dataset that does them")
	case !listed && i.Dataset != nil:
		return errors.New("manifest: no model lists the datasetActions that Implementation.Dataset does")
	}
	return nil
}

func (m *Manifest) hasParam(name string) bool {
	return slices.ContainsFunc(m.Params, func(p sdk.ParamInfo) bool { return p.Name == name })
}

func (m *Manifest) paramNames() string {
	if len(m.Params) == 0 {
		return "none: this benchmark has no parameters"
	}
	names := make([]string, len(m.Params))
	for i, p := range m.Params {
		names[i] = p.Name
	}
	return "one of " + strings.Join(names, ", ")
}
