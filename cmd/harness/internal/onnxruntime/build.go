// Package onnxruntime gets builds of ONNX Runtime's library from the project's archives or from package managers'
// files, and keeps them in package fetch's folder.
//
// In scope: the archive for a machine, the library in a package, checksums at first use, the meaning of `--ort-lib
// fetched`. Out of scope: downloading and unpacking (package fetch), loading the library (the plugins' backend ort).
package onnxruntime

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/fetch"
	"github.com/plumbline-ml/plumbline/sdk"
)

const (
	// NewestRelease is the newest known release.
	NewestRelease = "1.31.1"
	// ReleasesURL is the address of the project's archives: RELEASES/vRELEASE/ARCHIVE.
	ReleasesURL = "https://github.com/microsoft/onnxruntime/releases/download"
	// Variants lists the available variants, the default first. cuda is CUDA 12.
	Variants = "cpu, cuda, cuda13"
)

// RuntimeBuild identifies one official build.
type RuntimeBuild struct {
	Variant string // one of Variants; empty: cpu
	Release string // such as 1.31.1; empty: Newest
	SHA256  string // of the archive; empty: the one recorded at first use
	// From is the origin of the library: an address of releases (empty: Releases), a path or an address of a package that
	// contains it (a wheel, a jar, a NuGet or npm package, an archive of the project), or a Python interpreter with the
	// module onnxruntime.
	From     string
	OS, Arch string // as in GOOS and GOARCH
}

var releasePattern = regexp.MustCompile(`^\d{1,3}\.\d{1,3}\.\d{1,3}$`)

// withDefaults returns b with all defaults. Its error reports all faults.
func (b RuntimeBuild) withDefaults() (RuntimeBuild, error) {
	b.Variant, b.From = cmp.Or(b.Variant, "cpu"), strings.TrimRight(cmp.Or(b.From, ReleasesURL), "/")
	b.Release = strings.TrimPrefix(cmp.Or(b.Release, NewestRelease), "v")
	var faults []error
	if !releasePattern.MatchString(b.Release) {
		faults = append(faults, fmt.Errorf("--release %q, want three numbers such as %s", b.Release, NewestRelease))
	}
	if b.platformName() == "" {
		faults = append(faults, fmt.Errorf("no official archive is known for %s/%s: linux/amd64, linux/arm64 and "+
			"darwin/arm64 have one; name a library of your own with --ort-lib PATH", b.OS, b.Arch))
	}
	if b.variantSuffix() == unknownSuffix {
		faults = append(faults, fmt.Errorf("--variant %s on %s/%s: want one of %s; those of CUDA are for linux/amd64",
			b.Variant, b.OS, b.Arch, Variants))
	}
	if len(faults) > 0 {
		return b, sdk.Usage(errors.Join(faults...))
	}
	return b, nil
}

// platformName returns the machine's name in the archives, or "" if there is no archive for it.
func (b RuntimeBuild) platformName() string {
	return map[string]string{
		"linux/amd64": "linux-x64", "linux/arm64": "linux-aarch64", "darwin/arm64": "osx-arm64",
	}[b.OS+"/"+b.Arch]
}

// unknownSuffix is the suffix of a variant that does not exist.
const unknownSuffix = "?"

// minCUDANamedMinor is the first minor release whose archive name contains the version of CUDA 12.
const minCUDANamedMinor = 27

// variantSuffix returns the variant's suffix in the archive's name.
func (b RuntimeBuild) variantSuffix() string {
	switch {
	case b.Variant == "cpu":
		return ""
	case b.OS+"/"+b.Arch != "linux/amd64":
		return unknownSuffix
	case b.Variant == "cuda" && b.minorVersion() < minCUDANamedMinor:
		return "-gpu"
	case b.Variant == "cuda":
		return "-gpu_cuda12"
	case b.Variant == "cuda13":
		return "-gpu_cuda13"
	}
	return unknownSuffix
}

func (b RuntimeBuild) minorVersion() int {
	parts := strings.Split(b.Release, ".")
	if len(parts) < 2 {
		return 0
	}
	n, _ := strconv.Atoi(parts[1]) // withDefaults has checked the form
	return n
}

// archiveName returns the name of the archive without .tgz. Its folder has the same name.
func (b RuntimeBuild) archiveName() string {
	return "onnxruntime-" + b.platformName() + b.variantSuffix() + "-" + b.Release
}

// ArchiveLimits returns the limits for an archive. The largest known archive, for CUDA, has some hundred megabytes, and
// a gigabyte unpacked.
func ArchiveLimits() fetch.Limits {
	return fetch.Limits{Download: 4 << 30, Bytes: 16 << 30, Files: 10_000}
}

// archiveFile returns the cache's description of the archive.
func (b RuntimeBuild) archiveFile() fetch.File {
	return fetch.File{
		Name: path.Join(cacheFolder, b.archiveName()), URL: b.From + "/v" + b.Release + "/" + b.archiveName() + ".tgz",
		SHA256: b.SHA256, Unpack: true,
	}
}
