package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// modelFiles contains the model files of a run.
type modelFiles struct {
	models   map[string]backend.Model // by part
	embedded bool                     // all of them are embedded
	defaults map[string]string        // defaults for these files, by parameter
}

// openFiles chooses the file of each part like openFile: the file that o names for the part, or else the file that o
// names for all parts. Its error lists all faults.
func (m *Manifest) openFiles(e *ModelEntry, o sdk.Options) (modelFiles, error) {
	if len(e.Parts) == 0 {
		one, err := m.openFile(e, "", o)
		if len(o.PartFiles) > 0 {
			err = errors.Join(err, sdk.Usage(fmt.Errorf("files for single parts (%s), but %s has one part",
				strings.Join(slices.Sorted(maps.Keys(o.PartFiles)), ", "), e.Name)))
		}
		return modelFiles{map[string]backend.Model{"": one.model}, one.embedded, one.defaults}, err
	}
	all := modelFiles{models: map[string]backend.Model{}, embedded: true, defaults: m.embeddedDefaults(e)}
	faults := []error{unknownParts(e, o.PartFiles)}
	for _, p := range e.Parts {
		own, named := m.partOptions(e, p.Name, o)
		if !named {
			if !p.Optional {
				faults = append(faults, sdk.Usage(fmt.Errorf("no file for part %s of %s: give --model %[1]s=PATH", p.Name, e.Name)))
			}
			continue
		}
		f, err := m.openPart(e, p.Name, own)
		if err != nil {
			faults = append(faults, fmt.Errorf("part %s: %w", p.Name, err))
		}
		if all.models[p.Name] = f.model; !f.embedded {
			all.embedded, all.defaults = false, e.Defaults
		}
	}
	return all, errors.Join(faults...)
}

// scorerFiles returns the files of the scorer's models by part: the given files, or else the embedded ones.
func (m *Manifest) scorerFiles(e *ModelEntry, given map[string]string) (map[string]backend.Model, error) {
	scorer := e.scorerEntry()
	faults := []error{unknownParts(scorer, given)}
	models := map[string]backend.Model{}
	for _, p := range scorer.Parts {
		if given[p.Name] == "" && !hasFile(scorer, p.Name) {
			if !p.Optional {
				faults = append(faults, sdk.Usage(fmt.Errorf("no file for part %s of the scorer: give --scorer-model %[1]s=PATH",
					p.Name)))
			}
			continue
		}
		f, err := m.openNamed(scorer, p.Name, sdk.Options{ModelFile: given[p.Name]})
		if err != nil {
			faults = append(faults, fmt.Errorf("part %s of the scorer: %w", p.Name, err))
			continue
		}
		models[p.Name] = f.model
	}
	return models, errors.Join(faults...)
}

// scorerEntry returns the entry with the parts and files of the scorer instead of those of the model.
func (e *ModelEntry) scorerEntry() *ModelEntry {
	info := sdk.ModelInfo{Name: e.Name + "'s scorer", Parts: e.ScorerParts, Files: e.ScorerFiles}
	return &ModelEntry{ModelInfo: info, Embedded: e.Embedded}
}

// partOptions returns the options for one of several parts, and whether they name a file of the part, either directly
// or by the name or the precision of embedded files.
func (m *Manifest) partOptions(e *ModelEntry, part string, o sdk.Options) (sdk.Options, bool) {
	if len(o.PartFiles) > 0 {
		o.ModelFile = o.PartFiles[part]
		return o, o.ModelFile != ""
	}
	isName := slices.ContainsFunc(m.embeddedOf(e).Files, func(f sdk.ModelFile) bool { return f.Name == o.ModelFile })
	return o, hasFile(e, part) || o.ModelFile != "" && !isName
}

// openPart opens the file of one of several parts. A path must be in o.PartFiles, which determines the part.
func (m *Manifest) openPart(e *ModelEntry, part string, o sdk.Options) (modelFile, error) {
	f, err := m.openNamed(e, part, o)
	if err == nil && f.model.Path != "" && len(o.PartFiles) == 0 {
		err = sdk.Usage(fmt.Errorf("%s has several parts, and %s is for all of them: give a file for each, --model %s=PATH",
			e.Name, o.ModelFile, part))
	}
	return f, err
}

// openNamed is like openFile for a part. Its errors refer to a path by the file and not by the model, which has several
// files.
func (m *Manifest) openNamed(e *ModelEntry, part string, o sdk.Options) (modelFile, error) {
	f, err := m.openFile(e, part, o)
	if f.model.Path != "" {
		f.model.Name = filepath.Base(f.model.Path)
	}
	return f, err
}

// unknownParts returns an error if files are named for parts that the model does not have.
func unknownParts(e *ModelEntry, given map[string]string) error {
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !hasPart(e, name) {
			faults = append(faults, sdk.Usage(fmt.Errorf("unknown part %q, %s has %s",
				name, e.Name, cmp.Or(strings.Join(partNames(e), ", "), "none"))))
		}
	}
	return errors.Join(faults...)
}

// checkParts checks that the files of a model belong to its parts.
func checkParts(e *ModelEntry) error {
	var faults []error
	for _, f := range e.Files {
		switch {
		case f.Part == "" && len(e.Parts) > 0:
			faults = append(faults, fmt.Errorf("file %s: of which part? the model has %s", f.Name,
				strings.Join(partNames(e), ", ")))
		case f.Part != "" && !hasPart(e, f.Part):
			faults = append(faults, fmt.Errorf("file %s: unknown part %q", f.Name, f.Part))
		}
	}
	return errors.Join(faults...)
}

func hasPart(e *ModelEntry, name string) bool { return slices.Contains(partNames(e), name) }

// hasFile reports whether a part has an embedded file.
func hasFile(e *ModelEntry, part string) bool {
	return slices.ContainsFunc(e.Files, func(f sdk.ModelFile) bool { return f.Embedded && f.Part == part })
}

func partNames(e *ModelEntry) []string {
	names := make([]string, len(e.Parts))
	for i, p := range e.Parts {
		names[i] = p.Name
	}
	return names
}
