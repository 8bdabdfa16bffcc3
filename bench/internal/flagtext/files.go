// Package flagtext parses the values of flags: KEY=VALUE pairs, and the files of models and data sets. It determines
// the part and the location of each file and reports faults.
package flagtext

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/suggest"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
)

// Finder finds the files of models that are not embedded.
type Finder interface {
	// LocateParts returns the path of a manifest file on this machine, or an error that explains how to get the file.
	Locate(model sdk.ModelInfo, file sdk.ModelFile) (string, error)
}

// ParseParts parses PART=PATH for the existing parts.
func ParseParts(flag string, texts []string, parts []sdk.PartInfo) (map[string]string, []error) {
	names := partNames(parts)
	given, faults := ParsePairs(flag, texts)
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

// LocateParts converts given values, by part, to paths. A value is the name of a file in the manifest or a path.
func LocateParts(flag string, given map[string]string, model sdk.ModelInfo, of []sdk.ModelFile,
	files Finder) (map[string]string, []error) {
	found := map[string]string{}
	var faults []error
	for _, part := range slices.Sorted(maps.Keys(given)) {
		i := slices.IndexFunc(of, func(f sdk.ModelFile) bool { return f.Part == part && f.Name == given[part] })
		var path string
		var err error
		switch {
		case i < 0:
			path, err = ModelPath(given[part])
		case of[i].Embedded:
			path = of[i].Name
		default:
			path, err = FindOfficial(files, model, of[i])
		}
		if err != nil {
			faults = append(faults, sdk.Data(fmt.Errorf("%s %s=%s: %w", flag, part, given[part], err)))
			continue
		}
		found[part] = path
	}
	return found, faults
}

// CheckMissing returns an error that lists the required parts without a file.
func CheckMissing(found map[string]string, model sdk.ModelInfo) error {
	var faults []error
	for _, part := range model.Parts {
		if found[part.Name] == "" && !part.Optional {
			faults = append(faults, fmt.Errorf("--model: part %s of %s is missing: give --model %s=PATH too", part.Name,
				model.Name, part.Name))
		}
	}
	return errors.Join(faults...)
}

// CheckShared returns an error that lists parts with the same file.
func CheckShared(found map[string]string) error {
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

// sameFile reports whether two paths refer to the same file. Names of embedded files are not paths.
func sameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}

// FindInFolder finds each part in a folder: under the name of one of its official files, as PART.onnx, as the folder
// PART, or as the only file PART.*.
func FindInFolder(dir string, model sdk.ModelInfo) (map[string]string, error) {
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
					"file %[2]s.*", dir, part.Name))
		}
	}
	return found, errors.Join(faults...)
}

// partIn finds one part. It returns the empty path if the part is not in the folder.
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

// DescribeParts describes how to name the parts of a model one by one.
func DescribeParts(model sdk.ModelInfo) string {
	texts := []string{}
	for _, name := range partNames(model.Parts) {
		texts = append(texts, "--model "+name+"=PATH")
	}
	return strings.Join(texts, " ")
}

// FindOfficial finds an official file in the folder of harness fetch or in the working directory.
func FindOfficial(files Finder, model sdk.ModelInfo, file sdk.ModelFile) (string, error) {
	path, err := "", fmt.Errorf("%s is not embedded: give its path", file.Name)
	if files != nil {
		path, err = files.Locate(model, file)
	}
	if err == nil {
		return path, nil
	}
	here, missing := FilePath(file.Name)
	switch {
	case missing == nil:
		return here, nil
	case errors.Is(missing, fs.ErrNotExist):
		return "", fmt.Errorf("%w; or put it here, or give its path", err)
	}
	return "", fmt.Errorf("%w; and the one that is here: %w", err, missing)
}

// ModelPath returns the absolute path of a model: a file, or a folder for formats with several files.
func ModelPath(path string) (string, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Abs(path)
	}
	return FilePath(path)
}

// FilePath returns the absolute path of a regular file.
func FilePath(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("no such file (%w)", fs.ErrNotExist)
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", errors.New("not a regular file")
	}
	return filepath.Abs(path)
}

// DatasetPath returns the absolute path of a data set: a folder or, for some models, a single file.
func DatasetPath(flag, path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%s %s: no such file or directory", flag, path)
	case err != nil:
		return "", fmt.Errorf("%s: %w", flag, err)
	case !info.IsDir() && !info.Mode().IsRegular():
		return "", fmt.Errorf("%s %s: neither a directory nor a regular file", flag, path)
	}
	return filepath.Abs(path)
}

// FindScorer finds the models that a model's scorer runs. The path of a part is the given PART=PATH, or else the
// embedded file, which the plugin opens itself, or else the official file. If own is true, the user named a data set;
// it then does not use the embedded file, which fits only the plugin's own data. The error lists all faults.
func FindScorer(model sdk.ModelInfo, given []string, own bool, files Finder) (map[string]string, error) {
	const flag = "--scorer-model"
	if len(given) > 0 && len(model.ScorerParts) == 0 {
		return nil, sdk.Usage(fmt.Errorf("%s: the scorer of %s does not run models", flag, model.Name))
	}
	named, faults := ParseParts(flag, given, model.ScorerParts)
	found, wrong := LocateParts(flag, named, model, model.ScorerFiles, files)
	faults = append(faults, wrong...)
	for _, part := range model.ScorerParts {
		if named[part.Name] != "" {
			continue
		}
		path, err := scorerFile(model, part, own, files)
		if err != nil {
			faults = append(faults, sdk.Data(err))
		} else if path != "" {
			found[part.Name] = path
		}
	}
	return found, exitcode.OfRequest(faults)
}

// scorerFile returns the file of a part that the user did not name, or "" if the plugin opens the embedded file.
func scorerFile(model sdk.ModelInfo, part sdk.PartInfo, own bool, files Finder) (string, error) {
	of := slices.DeleteFunc(slices.Clone(model.ScorerFiles), func(f sdk.ModelFile) bool {
		return f.Part != part.Name || f.Embedded && own
	})
	if slices.ContainsFunc(of, func(f sdk.ModelFile) bool { return f.Embedded }) {
		return "", nil
	}
	err := errors.New("there is no file of it to fetch")
	for _, f := range of {
		path, missing := FindOfficial(files, model, f)
		if missing == nil {
			return path, nil
		}
		err = missing
	}
	if part.Optional {
		return "", nil
	}
	return "", fmt.Errorf("the scorer's model %s is missing: give --scorer-model %[1]s=PATH (%w)", part.Name, err)
}
