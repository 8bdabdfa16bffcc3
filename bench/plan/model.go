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

	"github.com/plumbline-ml/plumbline/loadgen/suggest"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/internal/flagtext"
	"github.com/plumbline-ml/plumbline/bench/tune"
)

// Model contains the model and its files, the backend and its options.
type Model struct {
	Name string // name of a model or a benchmark
	// Files contains the name of a manifest file or a path. For a model with several parts, it may contain PART=NAME or
	// PART=PATH for each part. If it is empty, the embedded model is used.
	Files     []string `flag:"model"`
	Finder    Files    // finds manifest files that are not embedded; nil: only in the working directory
	Precision string   `flag:"precision"` // of the embedded file
	Params    []string `flag:"param"`     // key=value: parameters of the benchmark
	MLMark    bool     // set options to the values that an accuracy task of MLMark requires, except those in Params

	Backend        string   `flag:"backend"`
	Devices        []string `flag:"device,split"` // devices to run on, by the backend's names; empty: the backend's choice
	BackendOptions []string `flag:"backend-opt"`  // key=value
	// BackendSecrets contains further options of the backend that are never shown. SecretSources contains the sources of
	// their values.
	BackendSecrets map[string]string
	SecretSources  []string `flag:"backend-secret"` // key=env:NAME or key=file:PATH
	// Env looks up the environment variables that SecretSources and options of the backend name. If it is nil, no variable
	// is set.
	Env func(name string) string
	// Secrets receives the request's secrets, for callers that print their own texts; nil: not needed.
	Secrets *Secrets
	ORTLib  string `flag:"ort-lib"` // shortcut for the backend option "lib"

	Batch    int `flag:"batch,positive"`
	Sessions int `flag:"sessions,positive"`
	Threads  int `flag:"threads,positive"` // shortcut for the backend option "threads"
	// Tuning is the path of a profile of harness tune, or NoTuning. If it is empty, a matching profile in the folder
	// Profiles is used.
	Tuning   string `flag:"tuning"`
	Profiles string
}

// resolve reads the profile that the request names, if any, and chooses the model file, the backend and their options.
// files contains the faults of the file and the backend, options those of the other flags. If the profile, which may
// name the backend, cannot be read, resolve returns only err.
func (m Model) resolve(p *Plan) (files, options []error, profile *tune.Profile, err error) {
	profile, err = m.namedProfile()
	if err != nil {
		return nil, nil, nil, err
	}
	if profile != nil && m.Backend == "" {
		m.Backend = profile.For.Backend
	}
	files = append(m.chooseFiles(p), m.chooseBackend(p)...)
	return files, m.resolveOptions(p), profile, nil
}

// namedProfile returns the profile that the request names; nil: none.
func (m Model) namedProfile() (*tune.Profile, error) {
	if m.Tuning == "" || m.Tuning == NoTuning {
		return nil, nil
	}
	profile, err := tune.Load(m.Tuning)
	if err != nil {
		return nil, sdk.Usage(fmt.Errorf("--tuning: %w", err))
	}
	return &profile, nil
}

// chooseFiles chooses the model file: an embedded file, a manifest file, or the user's path.
func (m Model) chooseFiles(p *Plan) []error {
	model := p.Served.Model
	p.Options.Model, p.Options.Precision = model.Name, m.Precision
	switch {
	case len(m.Files) == 0:
		return p.chooseEmbedded(m.Precision)
	case len(model.Parts) > 0:
		return m.chooseParts(p)
	case len(m.Files) > 1:
		return []error{
			fmt.Errorf("--model is given %d times, and %s has one part; give one file", len(m.Files), model.Name),
		}
	}
	i := slices.IndexFunc(model.Files, func(f sdk.ModelFile) bool { return f.Name == m.Files[0] })
	if i < 0 {
		return p.chooseOwn(m.Files[0])
	}
	file := model.Files[i]
	if err := p.chooseNamed(file, m.Precision); err != nil || file.Embedded {
		return []error{err}
	}
	path, err := flagtext.FindOfficial(m.Finder, model, file)
	p.Options.ModelFile = path
	return []error{sdk.Data(err)}
}

// chooseNamed chooses a file of the manifest.
func (p *Plan) chooseNamed(file sdk.ModelFile, precision string) error {
	p.File, p.Embedded = &file, file.Embedded
	p.Options.ModelFile = file.Name
	if precision != "" && file.Precision != "" && precision != file.Precision {
		return fmt.Errorf("--precision %s: %s is %s; leave --precision out", precision, file.Name, file.Precision)
	}
	return nil
}

// chooseEmbedded chooses the embedded file with the given precision. A model without files (the null workload) also
// counts as embedded, because it needs no file of the user.
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

// chooseOwn chooses the user's path. It makes the path absolute because the plugin may run in another folder.
func (p *Plan) chooseOwn(path string) []error {
	abs, err := flagtext.ModelPath(path)
	if err == nil {
		p.Options.ModelFile = abs
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsRune(path, filepath.Separator) {
		names := make([]string, len(p.Served.Model.Files))
		for i, f := range p.Served.Model.Files {
			names[i] = f.Name
		}
		err = fmt.Errorf("there is no such file here, and it is an %w",
			suggest.Unknown("name of a file of "+p.Served.Model.Name+":", path, names))
	}
	return []error{sdk.Data(fmt.Errorf("--model %s: %w", path, err))}
}

// chooseBackend checks the backend and joins its options with those that have their own flags.
func (m Model) chooseBackend(p *Plan) []error {
	known := p.Served.Description.Backends
	p.Options.Backend = m.Backend
	options, faults := m.allOptions()
	p.Secrets = m.BackendSecrets
	if m.Backend != "" && !slices.Contains(known, m.Backend) {
		faults = append(faults, fmt.Errorf("--backend: %w", suggest.Unknown("backend", m.Backend, known)))
	}
	shortcut := func(flag, key, value string) {
		if _, twice := options[key]; twice {
			faults = append(faults, fmt.Errorf("%s and --backend-opt %s say the same; give one", flag, key))
		}
		options[key] = value
	}
	if m.Threads > 0 {
		shortcut("--threads", "threads", strconv.Itoa(m.Threads))
	}
	if m.ORTLib != "" {
		path, err := filepath.Abs(m.ORTLib) // a library, or the folder that contains it
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

// allOptions returns the options of the backend, including secret ones.
func (m *Model) allOptions() (map[string]string, []error) {
	options, faults := flagtext.ParsePairs(backendOpt, m.BackendOptions)
	for _, key := range slices.Sorted(maps.Keys(m.BackendSecrets)) {
		if _, twice := options[key]; twice {
			faults = append(faults, fmt.Errorf("%s and %s both give %s; give one", backendSecret, backendOpt, key))
		}
		options[key] = m.BackendSecrets[key]
	}
	return options, faults
}

// resolveOptions sets the batch size, sessions, devices and the benchmark's parameters.
func (m Model) resolveOptions(p *Plan) []error {
	o := &p.Options
	o.Batch, o.Sessions, o.Devices = m.Batch, m.Sessions, m.Devices
	var faults []error
	if i := slices.Index(m.Devices, ""); i >= 0 {
		faults = append(faults, fmt.Errorf("--device %q: a device without a name", strings.Join(m.Devices, ",")))
	}
	texts := m.Params
	if m.MLMark {
		texts = slices.Concat(mlmarkOptions(p.Served.Model), texts)
	}
	params, wrong := p.checkParams(texts)
	o.Params = params
	return append(faults, wrong...)
}

// mlmarkOptions returns the options that MLMark's accuracy task sets for a model, as KEY=VALUE.
func mlmarkOptions(m sdk.ModelInfo) (texts []string) {
	for _, p := range m.Params {
		if value, ok := p.Role(sdk.RoleMLMark); ok {
			texts = append(texts, p.Name+"="+value)
		}
	}
	return texts
}

// checkParams checks the benchmark's parameters against those that the model documents.
func (p *Plan) checkParams(texts []string) (map[string]string, []error) {
	params, faults := flagtext.ParsePairs("--param", texts)
	known := make([]string, 0, len(p.Served.Model.Params))
	for _, i := range p.Served.Model.Params {
		known = append(known, i.Name)
	}
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

// chooseParts chooses the files of a model with several parts: manifest files with the same name, the files of a
// folder, or PART=PATH for each.
func (m Model) chooseParts(p *Plan) []error {
	model := p.Served.Model
	if whole := m.Files[0]; len(m.Files) == 1 && !strings.Contains(whole, "=") {
		return p.chooseWhole(whole, m.Precision, m.Finder)
	}
	given, faults := flagtext.ParseParts("--model", m.Files, model.Parts)
	found, wrong := flagtext.LocateParts("--model", given, model, model.Files, m.Finder)
	faults = append(faults, wrong...)
	if len(faults) == 0 {
		faults = append(faults, flagtext.CheckMissing(found, model), flagtext.CheckShared(found))
	}
	p.Options.PartFiles = found
	return faults
}

// chooseWhole chooses all parts by one name: of manifest files, or of a folder.
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
		found, faults := flagtext.LocateParts("--model", named, model, model.Files, files)
		p.Options.ModelFile, p.Options.PartFiles = "", found
		return append(faults, flagtext.CheckMissing(named, model))
	}
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return []error{sdk.Data(fmt.Errorf("--model %s: it is neither a folder nor the name of files of %s, whose model has "+
			"several parts: name a folder that holds them, or each: %s", name, model.Name, flagtext.DescribeParts(model)))}
	}
	found, err := flagtext.FindInFolder(name, model)
	p.Options.PartFiles = found
	return []error{sdk.Data(err)}
}
