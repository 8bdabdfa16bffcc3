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
	// Newest is the newest release that is known here.
	Newest = "1.31.1"
	// Releases is where the project has its archives: RELEASES/vRELEASE/ARCHIVE.
	Releases = "https://github.com/microsoft/onnxruntime/releases/download"
	// Variants are the builds that can be asked for, the first by default. cuda is CUDA 12.
	Variants = "cpu, cuda, cuda13"
)

// Build names one official build.
type Build struct {
	Variant string // one of Variants; empty: cpu
	Release string // such as 1.31.1; empty: Newest
	SHA256  string // of the archive; empty: as at first use
	// From is where it comes from: an address of releases (empty: Releases), a package that holds the library (a wheel, a
	// jar, a NuGet or npm package, an archive of the project's) on the disk or at an address, or an interpreter of Python
	// whose module onnxruntime is taken.
	From     string
	OS, Arch string // as Go names them
}

var releaseForm = regexp.MustCompile(`^\d{1,3}\.\d{1,3}\.\d{1,3}$`)

// withDefaults completes b, and reports every fault of what it asks for.
func (b Build) withDefaults() (Build, error) {
	b.Variant, b.From = cmp.Or(b.Variant, "cpu"), strings.TrimRight(cmp.Or(b.From, Releases), "/")
	b.Release = strings.TrimPrefix(cmp.Or(b.Release, Newest), "v")
	var faults []error
	if !releaseForm.MatchString(b.Release) {
		faults = append(faults, fmt.Errorf("--release %q, want three numbers such as %s", b.Release, Newest))
	}
	if b.platformName() == "" {
		faults = append(faults, fmt.Errorf("no official archive is known for %s/%s: linux/amd64, linux/arm64 and "+
			"darwin/arm64 have one; name a library of your own with --ort-lib PATH", b.OS, b.Arch))
	}
	if b.variantSuffix() == unknown {
		faults = append(faults, fmt.Errorf("--variant %s on %s/%s: want one of %s; those of CUDA are for linux/amd64",
			b.Variant, b.OS, b.Arch, Variants))
	}
	if len(faults) > 0 {
		return b, sdk.Usage(errors.Join(faults...))
	}
	return b, nil
}

// platformName is how the archives call the machine; empty: there is none for it.
func (b Build) platformName() string {
	return map[string]string{
		"linux/amd64": "linux-x64", "linux/arm64": "linux-aarch64", "darwin/arm64": "osx-arm64",
	}[b.OS+"/"+b.Arch]
}

// unknown is the suffix of a variant that there is not.
const unknown = "?"

// cudaNamed is the first minor release whose archive for CUDA 12 says so.
const cudaNamed = 27

// variantSuffix is what the variant adds to the archive's name.
func (b Build) variantSuffix() string {
	switch {
	case b.Variant == "cpu":
		return ""
	case b.OS+"/"+b.Arch != "linux/amd64":
		return unknown
	case b.Variant == "cuda" && b.minorVersion() < cudaNamed:
		return "-gpu"
	case b.Variant == "cuda":
		return "-gpu_cuda12"
	case b.Variant == "cuda13":
		return "-gpu_cuda13"
	}
	return unknown
}

func (b Build) minorVersion() int {
	parts := strings.Split(b.Release, ".")
	if len(parts) < 2 {
		return 0
	}
	n, _ := strconv.Atoi(parts[1]) // the form is checked
	return n
}

// archiveName is the archive's, without .tgz; also that of the folder in it.
func (b Build) archiveName() string {
	return "onnxruntime-" + b.platformName() + b.variantSuffix() + "-" + b.Release
}

// Limits are those of an archive: the largest known, for CUDA, has some hundred megabytes, and unpacked a gigabyte.
func Limits() fetch.Limits { return fetch.Limits{Download: 4 << 30, Bytes: 16 << 30, Files: 10_000} }

// archiveFile is the archive as the cache keeps it, unpacked.
func (b Build) archiveFile() fetch.File {
	return fetch.File{
		Name: path.Join(folder, b.archiveName()), URL: b.From + "/v" + b.Release + "/" + b.archiveName() + ".tgz",
		SHA256: b.SHA256, Unpack: true,
	}
}
