package resnet50

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/plumbline-ml/plumbline/plugins/resnet50/model"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// network is the model file of a run, with the parameters that it has by default.
type network struct {
	file     backend.Model
	defaults map[string]string
}

// openNetwork chooses the model file that o asks for: an embedded one by its name or its precision, else a path.
func (m *manifest) openNetwork(e *modelEntry, o sdk.Options) (network, error) {
	for _, f := range e.Files {
		switch {
		case o.ModelFile == "" && f.Embedded && f.Precision == precision(o), o.ModelFile == f.Name && f.Embedded:
			return m.embedded(f)
		case o.ModelFile == f.Name && !exists(f.Name):
			return network{}, sdk.Data(fmt.Errorf("model file %s is not here: get it with `harness fetch %s`, or from %s, and give its path", f.Name, e.Name, f.URL))
		}
	}
	if o.ModelFile == "" {
		return network{}, sdk.Usage(fmt.Errorf("no embedded model of precision %q, want one of %s", o.Precision, strings.Join(embeddedPrecisions(e), ", ")))
	}
	n := network{backend.Model{Name: e.Name, Path: o.ModelFile}, e.Defaults}
	if err := checkModelFile(o.ModelFile); err != nil {
		return n, sdk.Data(err)
	}
	return n, nil
}

func (m *manifest) embedded(f sdk.ModelFile) (network, error) {
	n := network{backend.Model{Name: f.Name}, m.Embedded.Defaults}
	switch f.Precision {
	case "fp32":
		n.file.Bytes = model.FP32()
	case "int8":
		n.file.Bytes = model.INT8()
	default:
		return network{}, fmt.Errorf("embedded model %s: no file of precision %q", f.Name, f.Precision)
	}
	return n, nil
}

func precision(o sdk.Options) string {
	if o.Precision == "" {
		return "fp32"
	}
	return o.Precision
}

func embeddedPrecisions(e *modelEntry) []string {
	var names []string
	for _, f := range e.Files {
		if f.Embedded {
			names = append(names, f.Precision)
		}
	}
	return names
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// checkModelFile finds the mistakes that a backend would describe less well.
func checkModelFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("model file: %w; `harness describe` lists the models that can be fetched", err)
	case err != nil:
		return fmt.Errorf("model file: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("model file %s is a %v, want an ONNX file", path, info.Mode().Type())
	case info.Size() == 0:
		return fmt.Errorf("model file %s is empty; fetch it again", path)
	}
	return nil
}
