// Package onnxlib finds ONNX Runtime's shared library in package managers' files: an unpacked wheel, jar, NuGet or npm
// package, the project's archive, or an installed module.
//
// In scope: the library for a machine among the files of a folder, its release, its companion files. Out of scope:
// unpacking (package fetch), loading (the plugins' backend ort).
package onnxlib

import (
	"debug/elf"
	"debug/macho"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Library is a copy of ONNX Runtime's shared library.
type Library struct {
	Path    string `json:"path"`
	Release string `json:"release"` // such as 1.32.0
	Variant string `json:"variant"` // cpu or cuda, by the providers in the same folder
}

// FindLibrary returns the library for a machine below dir, the newest if there are several. goos and goarch have the
// values of GOOS and GOARCH. It does not follow links. The error lists the files that were found instead.
func FindLibrary(dir, goos, goarch string) (Library, error) {
	var all []Library
	var others []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !libraryName.MatchString(d.Name()) {
			return err
		}
		l, err := inspectLibrary(path, goos, goarch)
		if err != nil {
			name, _ := filepath.Rel(dir, path)
			others = append(others, fmt.Sprintf("%s: %v", name, err))
			return nil
		}
		all = append(all, l)
		return nil
	})
	switch {
	case err != nil:
		return Library{}, err
	case len(all) == 0 && len(others) == 0:
		return Library{}, errors.New("it holds no library of ONNX Runtime (libonnxruntime)")
	case len(all) == 0:
		return Library{}, fmt.Errorf("it holds no library of ONNX Runtime for %s/%s: %s", goos, goarch,
			strings.Join(others[:min(len(others), maxListed)], "; "))
	}
	return slices.MaxFunc(all, func(x, y Library) int { return CompareReleases(x.Release, y.Release) }), nil
}

// maxListed limits the number of libraries for other machines that an error names.
const maxListed = 4

// CopyLibrary copies the library at path, and the providers in its folder, into a folder.
func CopyLibrary(path, to string) error {
	from := filepath.Dir(path)
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "libonnxruntime") || !e.Type().IsRegular() {
			continue
		}
		if err := copyFile(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// libraryName matches the library's file names: libonnxruntime.so, libonnxruntime.so.1.32.0,
// libonnxruntime.1.32.0.dylib. It does not match its providers (libonnxruntime_providers_cuda.so).
var libraryName = regexp.MustCompile(`^libonnxruntime(\.so(\.\d+)*|(\.\d+)*\.dylib)$`)

// entryPoint is the symbol that programs look up first in the library.
const entryPoint = "OrtGetApiBase"

// errNotLibrary is the error for a file that is not a shared library of the machine's format.
var errNotLibrary = errors.New("no shared library")

// inspectLibrary checks, without loading it, whether a library is for the machine, and finds its release and variant.
func inspectLibrary(path, goos, goarch string) (l Library, err error) {
	defer func() { // Go's debug packages may panic on damaged files
		if e := recover(); e != nil {
			err = fmt.Errorf("it cannot be read: %v", e)
		}
	}()
	l = Library{Path: path, Variant: detectVariant(filepath.Dir(path))}
	if goos == "darwin" {
		l.Release, err = readMachORelease(path, goarch)
	} else {
		l.Release, err = readELFRelease(path, goarch)
	}
	if err == nil && l.Release == "" {
		err = errors.New("it does not say which release it is")
	}
	return l, err
}

// readELFRelease returns the release of a Linux library. Its symbol version contains the release: VERS_1.32.0.
func readELFRelease(path, arch string) (string, error) {
	f, err := elf.Open(path)
	if err != nil {
		return "", fmt.Errorf("%w: %w", errNotLibrary, err)
	}
	defer f.Close()
	want := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[arch]
	if f.Type != elf.ET_DYN || f.Machine != want {
		return "", fmt.Errorf("it is for %v (%v), this machine is %v", f.Machine, f.Type, want)
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return "", fmt.Errorf("its symbols: %w", err)
	}
	for _, s := range symbols {
		if s.Name == entryPoint && s.Section != elf.SHN_UNDEF {
			if release, ok := strings.CutPrefix(s.Version, "VERS_"); ok {
				return release, nil
			}
			return releaseFromName(path), nil
		}
	}
	return "", fmt.Errorf("it has no symbol %s", entryPoint)
}

// readMachORelease returns the release of a macOS library. Only the file name contains it.
func readMachORelease(path, arch string) (string, error) {
	want := map[string]macho.Cpu{"amd64": macho.CpuAmd64, "arm64": macho.CpuArm64}[arch]
	if fat, err := macho.OpenFat(path); err == nil {
		defer fat.Close()
		for _, a := range fat.Arches {
			if a.Cpu == want {
				return releaseFromName(path), nil
			}
		}
		return "", fmt.Errorf("it is not for %v", want)
	}
	f, err := macho.Open(path)
	if err != nil {
		return "", fmt.Errorf("%w: %w", errNotLibrary, err)
	}
	defer f.Close()
	if f.Type != macho.TypeDylib || f.Cpu != want {
		return "", fmt.Errorf("it is for %v (%v), this machine is %v", f.Cpu, f.Type, want)
	}
	return releaseFromName(path), nil
}

var releaseInName = regexp.MustCompile(`\d+\.\d+\.\d+`)

// releaseFromName returns the release in a library's file name, or "".
func releaseFromName(path string) string { return releaseInName.FindString(filepath.Base(path)) }

// detectVariant returns cuda if the folder contains the CUDA provider, else cpu. The files do not state the CUDA
// version.
func detectVariant(dir string) string {
	if found, err := filepath.Glob(filepath.Join(dir, "libonnxruntime_providers_cuda.*")); err == nil && len(found) > 0 {
		return "cuda"
	}
	return "cpu"
}

// CompareReleases compares two releases by their numbers, like cmp.Compare.
func CompareReleases(a, b string) int { return slices.Compare(parseRelease(a), parseRelease(b)) }

// parseRelease returns the numbers of a release, up to its first part that is not a number.
func parseRelease(release string) (all []int) {
	for part := range strings.SplitSeq(release, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			break
		}
		all = append(all, n)
	}
	return all
}
