package bench

import (
	"fmt"
	"os"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/internal/modelfiles"
)

// chooseParts decides which files run as the parts of a model that has several: those of the manifest that share a
// name, those of a folder, or PART=PATH for each.
func (p *Plan) chooseParts(r Request) []error {
	model := p.Served.Model
	if whole := r.ModelFiles[0]; len(r.ModelFiles) == 1 && !strings.Contains(whole, "=") {
		return p.chooseWhole(whole, r.Precision, r.Files)
	}
	given, faults := modelfiles.Given("--model", r.ModelFiles, model.Parts)
	found, wrong := modelfiles.Locate("--model", given, model, model.Files, r.Files)
	faults = append(faults, wrong...)
	if len(faults) == 0 {
		faults = append(faults, modelfiles.Missing(found, model), modelfiles.Shared(found))
	}
	p.Options.PartFiles = found
	return faults
}

// chooseWhole takes all parts by one name: of files in the manifest, or of a folder.
func (p *Plan) chooseWhole(name, precision string, files Files) []error {
	model := p.Served.Model
	named := map[string]string{}
	for _, f := range model.Files {
		if f.Name != name {
			continue
		}
		named[f.Part] = name
		if err := p.chooseNamed(f, precision); err != nil || f.Embedded {
			return []error{err}
		}
	}
	if len(named) > 0 {
		found, faults := modelfiles.Locate("--model", named, model, model.Files, files)
		p.Options.ModelFile, p.Options.PartFiles = "", found
		return append(faults, modelfiles.Missing(named, model))
	}
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return []error{sdk.Data(fmt.Errorf("--model %s: it is neither a folder nor the name of files of %s, whose model has "+
			"several parts: name a folder that holds them, or each: %s", name, model.Name, modelfiles.Each(model)))}
	}
	found, err := modelfiles.Folder(name, model)
	p.Options.PartFiles = found
	return []error{sdk.Data(err)}
}
