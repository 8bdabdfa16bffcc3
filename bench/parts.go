package bench

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/suggest"
	"github.com/plumbline-ml/plumbline/sdk"
)

// chooseParts decides which files run as the parts of a model that has several: those of the manifest that share a
// name, those of a folder, or PART=PATH for each.
func (p *Plan) chooseParts(r Request) []error {
	model := p.Served.Model
	if whole := r.ModelFiles[0]; len(r.ModelFiles) == 1 && !strings.Contains(whole, "=") {
		return p.chooseWhole(whole, r.Precision, r.Files)
	}
	given, faults := partFiles("--model", r.ModelFiles, model.Parts)
	found, wrong := locateParts("--model", given, model, model.Files, r.Files)
	faults = append(faults, wrong...)
	if len(faults) == 0 {
		faults = append(faults, missingParts(found, model), sameFiles(found))
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
		found, faults := locateParts("--model", named, model, model.Files, files)
		p.Options.ModelFile, p.Options.PartFiles = "", found
		return append(faults, missingParts(named, model))
	}
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return []error{sdk.Data(fmt.Errorf("--model %s: it is neither a folder nor the name of files of %s, whose model has "+
			"several parts: name a folder that holds them, or each: %s", name, model.Name, eachPart(model)))}
	}
	found, err := folderOfParts(name, model)
	p.Options.PartFiles = found
	return []error{sdk.Data(err)}
}

// partFiles reads PART=PATH.
func partFiles(flag string, texts []string, parts []sdk.PartInfo) (map[string]string, []error) {
	given, faults := pairs(flag, texts)
	names := partNames(parts)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		switch {
		case !slices.Contains(names, name):
			faults = append(faults, fmt.Errorf("%s: %w", flag, suggest.Unknown("part", name, names)))
			delete(given, name)
		case given[name] == "":
			faults = append(faults, fmt.Errorf("%s %s=: want a path behind the equals sign", flag, name))
			delete(given, name)
		}
	}
	return given, faults
}

// locateParts makes paths of what was given for parts: of names of the manifest's files, and of paths.
func locateParts(flag string, given map[string]string, model sdk.ModelInfo, of []sdk.ModelFile,
	files Files) (map[string]string, []error) {
	found := map[string]string{}
	var faults []error
	for _, part := range slices.Sorted(maps.Keys(given)) {
		i := slices.IndexFunc(of, func(f sdk.ModelFile) bool { return f.Part == part && f.Name == given[part] })
		var path string
		var err error
		switch {
		case i < 0:
			path, err = fileOrFolder(given[part])
		case of[i].Embedded:
			path = of[i].Name
		default:
			path, err = locate(files, model, of[i])
		}
		if err != nil {
			faults = append(faults, sdk.Data(fmt.Errorf("%s %s=%s: %w", flag, part, given[part], err)))
			continue
		}
		found[part] = path
	}
	return found, faults
}

// missingParts names the parts that must be there and are not.
func missingParts(found map[string]string, model sdk.ModelInfo) error {
	var faults []error
	for _, part := range model.Parts {
		if found[part.Name] == "" && !part.Optional {
			faults = append(faults, fmt.Errorf("--model: part %s of %s is missing: give --model %s=PATH too", part.Name,
				model.Name, part.Name))
		}
	}
	return errors.Join(faults...)
}

// sameFiles names parts that were given one file.
func sameFiles(found map[string]string) error {
	var faults []error
	parts := slices.Sorted(maps.Keys(found))
	for i, a := range parts {
		for _, b := range parts[:i] {
			if sameFile(found[a], found[b]) {
				faults = append(faults, fmt.Errorf("--model: parts %s and %s have one file, %s: give each its own", b, a, found[a]))
			}
		}
	}
	return errors.Join(faults...)
}

// sameFile reports whether two paths lead to one file. Names of embedded files are no paths.
func sameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}

// folderOfParts finds each part in a folder: under the name of one of its official files, as PART.onnx, as the folder
// PART, or as the only file PART.*.
func folderOfParts(dir string, model sdk.ModelInfo) (map[string]string, error) {
	found := map[string]string{}
	var faults []error
	for _, part := range model.Parts {
		path, err := partIn(dir, part.Name, model.Files)
		switch {
		case err != nil:
			faults = append(faults, fmt.Errorf("--model %s: %w", dir, err))
		case path != "":
			found[part.Name] = path
		case !part.Optional:
			faults = append(faults,
				fmt.Errorf("--model %s: part %[2]s is missing: the folder has no file %[2]s.onnx, no folder %[2]s and no other "+
					"file %[2]s.*",
					dir, part.Name))
		}
	}
	return found, errors.Join(faults...)
}

// partIn finds one part; the empty path says that it is not there.
func partIn(dir, part string, files []sdk.ModelFile) (string, error) {
	var names []string
	for _, f := range files {
		if f.Part == part && !f.Embedded {
			names = append(names, f.Name)
		}
	}
	for _, name := range append(names, part+".onnx", part) {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			return filepath.Abs(path)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var others []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), part+".") {
			others = append(others, e.Name())
		}
	}
	if len(others) == 0 {
		return "", nil
	}
	if len(others) > 1 {
		return "", fmt.Errorf("part %s may be any of %s: name its file, --model %s=PATH", part,
			strings.Join(others, ", "), part)
	}
	return filepath.Abs(filepath.Join(dir, others[0]))
}

func partNames(parts []sdk.PartInfo) []string {
	names := make([]string, len(parts))
	for i, p := range parts {
		names[i] = p.Name
	}
	return names
}

// eachPart is how a user names the parts of a model one by one.
func eachPart(model sdk.ModelInfo) string {
	var texts []string
	for _, name := range partNames(model.Parts) {
		texts = append(texts, "--model "+name+"=PATH")
	}
	return strings.Join(texts, " ")
}
