package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// modelFile is the model file of a run.
type modelFile struct {
	model    backend.Model     // name, and path or bytes, without tensors, which the benchmark adds
	embedded bool              // the model has bytes and not a path
	defaults map[string]string // defaults for this file, by parameter
}

// openFile chooses the model file that o requests for a part. part is empty for a model with one part. It is an
// embedded file, selected by name or precision (default "fp32"), or a path. If an official file is requested by its
// name but missing, the error explains how to get it. If a model has no embedded files and none is requested, the
// result has neither path nor bytes, because a server has its own file. On error, defaults are those of the model, so
// parameters can still be checked.
func (m *Manifest) openFile(e *ModelEntry, part string, o sdk.Options) (modelFile, error) {
	none := modelFile{defaults: e.Defaults}
	for _, f := range e.Files {
		switch {
		case f.Part != part:
		case f.Embedded && (o.ModelFile == f.Name || o.ModelFile == "" && f.Precision == cmp.Or(o.Precision, "fp32")):
			return m.embeddedFile(e, f)
		case !f.Embedded && o.ModelFile == f.Name && !fileExists(f.Name):
			return none,
				sdk.Data(fmt.Errorf("model file %s is not here: get it with `harness fetch %s`, or from %s, and give its path",
					f.Name, e.Name, f.URL))
		}
	}
	if o.ModelFile == "" && len(filePrecisions(e)) == 0 { // for a server, which has its own file
		none.model.Name = e.Name
		return none, nil
	}
	if o.ModelFile == "" {
		return none, sdk.Usage(fmt.Errorf("no embedded model of precision %q, want one of %s",
			o.Precision, strings.Join(filePrecisions(e), ", ")))
	}
	if err := checkFile(o.ModelFile); err != nil {
		return none, sdk.Data(err)
	}
	return modelFile{model: backend.Model{Name: e.Name, Path: o.ModelFile}, defaults: e.Defaults}, nil
}

// embeddedFile returns an embedded file. The caller owns its bytes.
func (m *Manifest) embeddedFile(e *ModelEntry, f sdk.ModelFile) (modelFile, error) {
	data, err := m.embeddedBytes(e, f)
	return modelFile{backend.Model{Name: f.Name, Bytes: data}, true, m.embeddedDefaults(e)}, err
}

// embeddedDefaults returns the defaults for embedded files that replace a model.
func (m *Manifest) embeddedDefaults(e *ModelEntry) map[string]string {
	return mergeValues(m.embeddedOf(e).Defaults, e.EmbeddedDefaults)
}

func filePrecisions(e *ModelEntry) []string {
	var names []string
	for _, f := range e.Files {
		if f.Embedded && !slices.Contains(names, f.Precision) {
			names = append(names, f.Precision)
		}
	}
	return names
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// checkFile detects faults that a backend would describe less clearly.
func checkFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("model file: %w; `harness describe` lists the models that can be fetched", err)
	case err != nil:
		return fmt.Errorf("model file: %w", err)
	case info.IsDir(): // the backend decides whether it accepts folders
		return nil
	case !info.Mode().IsRegular():
		return fmt.Errorf("model file %s is a %v, want a file or a folder", path, info.Mode().Type())
	case info.Size() == 0:
		return fmt.Errorf("model file %s is empty; fetch it again", path)
	}
	return nil
}
