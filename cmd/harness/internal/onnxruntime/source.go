package onnxruntime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/internal/fetch"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/internal/onnxlib"
	"github.com/plumbline-ml/plumbline/sdk"
)

// packageExtensions lists the file extensions of packages that can contain the library: Python wheels, jars, NuGet and
// npm packages, the project's archives, and zip files of these.
var packageExtensions = []string{".whl", ".jar", ".nupkg", ".tgz", ".tar.gz", ".zip"}

// packageName returns the last part of a package's address or path, without its extension. ok is false if it is not a
// package.
func packageName(at string) (name string, ok bool) {
	base := path.Base(filepath.ToSlash(at))
	for _, form := range packageExtensions {
		if name, ok := strings.CutSuffix(base, form); ok && name != "" {
			return name, true
		}
	}
	return "", false
}

// isURL reports whether from is an address, not a path.
func isURL(from string) bool {
	return strings.HasPrefix(from, "http://") || strings.HasPrefix(from, "https://")
}

// interpreterName matches the names of Python interpreters.
var interpreterName = regexp.MustCompile(`^(python|pypy)[0-9.]*$`)

// fromPackage gets the library from a package at an address, a package on the disk, or an installed Python interpreter.
// used is false if From is an address of releases.
func (b RuntimeBuild) fromPackage(ctx context.Context, c *fetch.Cache, dir string) (got FetchedBuild, used bool,
	err error) {
	switch {
	case b.From == "":
		return got, false, nil
	case isURL(b.From):
		u, err := url.Parse(b.From)
		if err != nil {
			return got, true, sdk.Usage(fmt.Errorf("--from: %w", err))
		}
		name, is := packageName(u.Path)
		if !is {
			return got, false, nil
		}
		if err := b.rejectReleaseOptions(); err != nil {
			return got, true, err
		}
		got, err = b.downloadArchive(ctx, c, dir, fetch.File{
			Name: path.Join(cacheFolder, name), URL: b.From, SHA256: b.SHA256, Unpack: true,
		})
		return got, true, err
	}
	if err := b.rejectReleaseOptions(); err != nil {
		return got, true, err
	}
	if interpreterName.MatchString(filepath.Base(b.From)) {
		got, err = b.fromInterpreter(ctx, dir)
	} else {
		got, err = b.fromFile(ctx, dir)
	}
	return got, true, err
}

// rejectReleaseOptions rejects options that only apply to the project's archives.
func (b RuntimeBuild) rejectReleaseOptions() error {
	if b.Variant == "" && b.Release == "" {
		return nil
	}
	return sdk.Usage(fmt.Errorf("--variant and --release choose among the project's archives, and --from %s is one "+
		"package: leave them out", b.From))
}

// fromFile gets the library from a package on the disk.
func (b RuntimeBuild) fromFile(ctx context.Context, dir string) (FetchedBuild, error) {
	name, is := packageName(b.From)
	if !is {
		return FetchedBuild{},
			sdk.Usage(fmt.Errorf("--from %s: want an address of releases, a package (%s) or its address, or "+
				"an interpreter such as python3; a library itself is named by --ort-lib PATH", b.From,
				strings.Join(packageExtensions, ", ")))
	}
	sum, _, err := checksum.File(b.From)
	if err != nil {
		return FetchedBuild{}, sdk.Usage(fmt.Errorf("--from: %w", err))
	}
	if b.SHA256 != "" && sum != b.SHA256 {
		return FetchedBuild{}, sdk.Data(fmt.Errorf("%s has sha256 %s, want %s", b.From, sum, b.SHA256))
	}
	kept := filepath.Join(dir, cacheFolder, name+"-"+sum[:12])
	library, err := b.keepFolder(kept, func(staging string) error {
		return fetch.Unpack(ctx, b.From, staging,
			ArchiveLimits())
	})
	if err != nil {
		return FetchedBuild{}, sdk.Data(fmt.Errorf("%s: %w", b.From, err))
	}
	got := FetchedBuild{Library: library, SHA256: sum, Verified: b.SHA256 != ""}
	return got, recordBuild(ctx, dir, "", got)
}

// maxPythonTime is the time limit for an interpreter to print the folder of its module.
const maxPythonTime = time.Minute

// findModuleScript prints the module's folder without importing it. It ignores modules in the working folder.
const findModuleScript = `import sys
sys.path = [p for p in sys.path if p]
import importlib.util
found = importlib.util.find_spec("onnxruntime")
print(found.submodule_search_locations[0] if found and found.submodule_search_locations else "")`

// FindInPython returns the library in the interpreter's module onnxruntime, with its release.
func FindInPython(ctx context.Context, interpreter string, b RuntimeBuild) (Library, error) {
	ctx, cancel := context.WithTimeout(ctx, maxPythonTime)
	defer cancel()
	program, err := exec.LookPath(interpreter)
	if err != nil {
		return Library{}, sdk.Usage(err)
	}
	var stdout, stderr bytes.Buffer
	c := exec.CommandContext(ctx, program, "-c", findModuleScript)
	c.Stdout, c.Stderr, c.WaitDelay = &stdout, &stderr, time.Second
	if err := c.Run(); err != nil {
		text := strings.TrimSpace(stderr.String())
		return Library{}, sdk.Usage(fmt.Errorf("%s: %w: %s", program, err, text[:min(len(text), 1000)]))
	}
	module := strings.TrimSpace(stdout.String())
	if module == "" {
		return Library{}, sdk.Data(fmt.Errorf("%s has no module onnxruntime: install it there (pip install onnxruntime), or "+
			"name a wheel with --from FILE", program))
	}
	library, err := b.findLibrary(module)
	if err != nil {
		return Library{}, sdk.Data(fmt.Errorf("the module onnxruntime of %s, %s: %w", program, module, err))
	}
	return library, nil
}

// fromInterpreter copies the library of an interpreter's module and the library's other files in its folder.
func (b RuntimeBuild) fromInterpreter(ctx context.Context, dir string) (FetchedBuild, error) {
	if b.SHA256 != "" {
		return FetchedBuild{}, sdk.Usage(fmt.Errorf("--sha256 is of a package, and --from %s names an interpreter", b.From))
	}
	installed, err := FindInPython(ctx, b.From, b)
	if err != nil {
		return FetchedBuild{}, err
	}
	sum, _, err := checksum.File(installed.Path)
	if err != nil {
		return FetchedBuild{}, sdk.Data(err)
	}
	kept := filepath.Join(dir, cacheFolder, "python-onnxruntime-"+installed.Release+"-"+sum[:12])
	library, err := b.keepFolder(kept, func(staging string) error { return onnxlib.CopyLibrary(installed.Path, staging) })
	if err != nil {
		return FetchedBuild{}, sdk.Data(err)
	}
	got := FetchedBuild{Library: library, SHA256: sum}
	return got, recordBuild(ctx, dir, "", got)
}

// keepFolder creates the folder at path with fill, unless it exists, and finds the library in it. It deletes a folder
// without a library.
func (b RuntimeBuild) keepFolder(path string, fill func(staging string) error) (Library, error) {
	err := wholefile.WriteFolder(path, func(staging string) error {
		if err := fill(staging); err != nil {
			return err
		}
		_, err := b.findLibrary(staging)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return Library{}, err
	}
	return b.findLibrary(path)
}
