package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/loadgen/suggest"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/internal/keyvalue"
	"github.com/plumbline-ml/plumbline/bench/internal/modelfiles"
	"github.com/plumbline-ml/plumbline/bench/record/export"
)

// chooseModel decides which model file runs: an embedded one, one of the manifest, or the user's own path.
func (p *Plan) chooseModel(r Request) []error {
	model := p.Served.Model
	p.Options.Model, p.Options.Precision = model.Name, r.Model.Precision
	switch {
	case len(r.Model.Files) == 0:
		return p.chooseEmbedded(r.Model.Precision)
	case len(model.Parts) > 0:
		return p.chooseParts(r)
	case len(r.Model.Files) > 1:
		return []error{
			fmt.Errorf("--model is given %d times, and %s has one part; give one file", len(r.Model.Files), model.Name),
		}
	}
	i := slices.IndexFunc(model.Files, func(f sdk.ModelFile) bool { return f.Name == r.Model.Files[0] })
	if i < 0 {
		return p.chooseOwn(r.Model.Files[0])
	}
	file := model.Files[i]
	if err := p.chooseNamed(file, r.Model.Precision); err != nil || file.Embedded {
		return []error{err}
	}
	path, err := modelfiles.Official(r.Model.Finder, model, file)
	p.Options.ModelFile = path
	return []error{sdk.Data(err)}
}

// chooseNamed takes a file of the manifest.
func (p *Plan) chooseNamed(file sdk.ModelFile, precision string) error {
	p.File, p.Embedded = &file, file.Embedded
	p.Options.ModelFile = file.Name
	if precision != "" && file.Precision != "" && precision != file.Precision {
		return fmt.Errorf("--precision %s: %s is %s; leave --precision out", precision, file.Name, file.Precision)
	}
	return nil
}

// chooseEmbedded takes the embedded file of that precision. A model without embedded files (the null workload) counts
// as embedded too: it needs nothing of the user's.
func (p *Plan) chooseEmbedded(precision string) []error {
	p.Embedded = true
	var have []string
	for i, f := range p.Served.Model.Files {
		if !f.Embedded {
			continue
		}
		if precision == f.Precision || precision == "" && p.File == nil {
			p.File = &p.Served.Model.Files[i]
		}
		have = append(have, f.Precision)
	}
	if p.File == nil && precision != "" {
		return []error{fmt.Errorf("--precision: %w", suggest.Unknown("precision", precision, have))}
	}
	return nil
}

// chooseOwn takes a path of the user's; it is made absolute, because the plugin may run elsewhere.
func (p *Plan) chooseOwn(path string) []error {
	abs, err := modelfiles.Path(path)
	if err == nil {
		p.Options.ModelFile = abs
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsRune(path, filepath.Separator) {
		names := lists.Map(p.Served.Model.Files, func(f sdk.ModelFile) string { return f.Name })
		err = fmt.Errorf("there is no such file here, and it is an %w",
			suggest.Unknown("name of a file of "+p.Served.Model.Name+":", path, names))
	}
	return []error{sdk.Data(fmt.Errorf("--model %s: %w", path, err))}
}

// chooseOptions fills in what the plugin opens beside the model.
func (p *Plan) chooseOptions(r Request) []error {
	o := &p.Options
	faults := p.chooseBackend(r)
	o.CountAtMost = r.Data.CountAtMost && r.Data.Count > 0
	o.Count, o.Batch, o.Sessions, o.Devices = r.Data.Count, r.Model.Batch, r.Model.Sessions, r.Model.Devices
	for _, n := range []struct {
		flag  string
		value int
	}{{"--count", r.Data.Count}, {"--batch", r.Model.Batch}, {"--sessions", r.Model.Sessions},
		{"--threads", r.Model.Threads}} {
		if n.value < 0 {
			faults = append(faults, fmt.Errorf("%s %d: want a number above 0", n.flag, n.value))
		}
	}
	faults = append(faults, p.chooseDatasets(r)...)
	if i := slices.Index(r.Model.Devices, ""); i >= 0 {
		faults = append(faults, fmt.Errorf("--device %q: a device without a name", strings.Join(r.Model.Devices, ",")))
	}
	params, wrong := p.params(r.Model.Params)
	o.Params = params
	return append(faults, wrong...)
}

func (p *Plan) chooseBackend(r Request) []error {
	known := p.Served.Description.Backends
	p.Options.Backend = r.Model.Backend
	options, faults := r.backendOptions()
	p.Secrets = r.Model.BackendSecrets
	if r.Model.Backend != "" && !slices.Contains(known, r.Model.Backend) {
		faults = append(faults, fmt.Errorf("--backend: %w", suggest.Unknown("backend", r.Model.Backend, known)))
	}
	shortcut := func(flag, key, value string) {
		if _, twice := options[key]; twice {
			faults = append(faults, fmt.Errorf("%s and --backend-opt %s say the same; give one", flag, key))
		}
		options[key] = value
	}
	if r.Model.Threads > 0 {
		shortcut("--threads", "threads", strconv.Itoa(r.Model.Threads))
	}
	if r.Model.ORTLib != "" {
		path, err := filepath.Abs(r.Model.ORTLib) // a library, or the folder that holds it
		if err == nil {
			_, err = os.Stat(path)
		}
		if err != nil {
			faults = append(faults, sdk.Data(fmt.Errorf("--ort-lib: %w", err)))
		}
		shortcut("--ort-lib", "lib", path)
	}
	p.Options.BackendOptions = options
	return faults
}

// params checks the benchmark's own options against those that the model documents.
func (p *Plan) params(texts []string) (map[string]string, []error) {
	params, faults := keyvalue.Read("--param", texts)
	known := lists.Map(p.Served.Model.Params, func(i sdk.ParamInfo) string { return i.Name })
	for _, key := range slices.Sorted(maps.Keys(params)) {
		if !slices.Contains(known, key) {
			err := suggest.Unknown("option", key, known)
			if len(known) == 0 {
				err = fmt.Errorf("%w: %s has none", err, p.Served.Model.Name)
			}
			faults = append(faults, fmt.Errorf("--param: %w", err))
		}
	}
	return params, faults
}

// Exports are what is written beside the logs of each timed run: what the request asks for, and the times of each query
// where the files of the endpoints harness are made of them.
func (p *Plan) Exports() []export.Format {
	all := p.Request.Output.Exports
	has := slices.ContainsFunc(all, func(f export.Format) bool { return f.Name == export.JSONLName })
	if !has && p.LoadGen == nil && p.InEndpointsForm() {
		all = append(slices.Clip(all), export.JSONL())
	}
	return all
}

// InEndpointsForm says that a benchmark which LoadGen drives is asked for in the form of the endpoints harness.
func (p *Plan) InEndpointsForm() bool {
	m := p.Served.Model
	return m.Endpoints.Asked(m.ParamValues(p.Embedded, p.Options.Params))
}

// chooseParts decides which files run as the parts of a model that has several: those of the manifest that share a
// name, those of a folder, or PART=PATH for each.
func (p *Plan) chooseParts(r Request) []error {
	model := p.Served.Model
	if whole := r.Model.Files[0]; len(r.Model.Files) == 1 && !strings.Contains(whole, "=") {
		return p.chooseWhole(whole, r.Model.Precision, r.Model.Finder)
	}
	given, faults := modelfiles.Given("--model", r.Model.Files, model.Parts)
	found, wrong := modelfiles.Locate("--model", given, model, model.Files, r.Model.Finder)
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
