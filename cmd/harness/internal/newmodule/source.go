package newmodule

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// ProjectSource is the location of this project for a new module.
type ProjectSource struct {
	// Checkout is the folder of this project's source, whose modules go.mod uses; empty: Release is used.
	Checkout string
	// Release is the version of the modules that go.mod requires, such as v1.2.3; empty: not a release.
	Release string
	// Files is a folder with the examples, the protocol definitions and the manifests of the built-in benchmarks, at the
	// same paths as in a checkout; empty: not found.
	Files string
	// Library is the folder of ONNX Runtime's library.
	Library string
	// Harness is the harness's version, for errors.
	Harness string
}

// CheckoutSource returns the source for a checkout. For modules in other languages than Go, dir may also be an unpacked
// release archive.
func CheckoutSource(dir string) ProjectSource {
	return ProjectSource{Checkout: dir, Files: dir, Library: filepath.Join(dir, "bin", "plugins")}
}

// FindSource finds the source for a harness, from the path of its binary (empty: unknown) and its version. If the
// binary is inside a checkout, it returns the checkout. Otherwise it returns the files of the installed package and,
// for a released version, the released modules.
func FindSource(executable, version string) ProjectSource {
	s := ProjectSource{Harness: version}
	for dir := filepath.Dir(executable); executable != ""; dir = filepath.Dir(dir) {
		if fileExists(dir, "go.work") && fileExists(dir, "sdk/go.mod") {
			return CheckoutSource(dir)
		}
		for _, files := range []string{dir, filepath.Join(dir, "share", "plumbline")} {
			if s.Files == "" && fileExists(files, protoDir+pluginProto) {
				s.Files, s.Library = files, filepath.Join(dir, "libexec", "plumbline", "plugins")
			}
		}
		if filepath.Dir(dir) == dir {
			break
		}
	}
	if isReleased(version) {
		s.Release = version
	}
	return s
}

func fileExists(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
	return err == nil
}

// isReleased reports whether a version is a release, such as v1.2.3 or v1.2.3-rc.1. Versions of builds of other commits
// are not releases.
func isReleased(version string) bool {
	return regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-(alpha|beta|rc)(\.?[0-9]+)?)?$`).MatchString(version)
}

// noModulesError returns the error for a Go module without a checkout or a release.
func (s ProjectSource) noModulesError() error {
	return fmt.Errorf("this harness is a development build (%s), and the modules of such a build are in its checkout "+
		"alone: name a checkout of Plumbline with --checkout DIR, or use the harness of a release", s.Harness)
}

// readFiles reads files of a checkout or of an installed package.
func (s ProjectSource) readFiles(names ...string) ([][]byte, error) {
	if s.Files == "" {
		return nil, errors.New("this harness was installed without the examples that modules are written from: name a " +
			"checkout of Plumbline, or the unpacked archive of a release, with --checkout DIR")
	}
	return readCheckout(s.Files, names...)
}
