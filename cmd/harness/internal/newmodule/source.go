package newmodule

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// Source is the location of this project for a new module.
type Source struct {
	// Checkout is this project's source, whose modules the module's go.mod takes; empty: those of Release.
	Checkout string
	// Release is the version of the modules that go.mod requires, such as v1.2.3; empty: none were released.
	Release string
	// Files is a folder with the examples, the contracts and the manifests of built-in benchmarks, where a checkout has
	// them; empty: there is none.
	Files string
	// Library is the folder of ONNX Runtime's library.
	Library string
	// Harness is the version of the harness that asks, for errors.
	Harness string
}

// OfCheckout is the source that a user names: a checkout. An unpacked archive of a release will do for modules that
// are not in Go.
func OfCheckout(dir string) Source {
	return Source{Checkout: dir, Files: dir, Library: filepath.Join(dir, "bin", "plugins")}
}

// SourceOf finds what a harness brings along, from the path of its binary (empty: not known) and its version. That is
// the checkout that it lies in; or, for one that was installed, the files of its package, and the released modules of
// its version if it has one.
func SourceOf(executable, version string) Source {
	s := Source{Harness: version}
	for dir := filepath.Dir(executable); executable != ""; dir = filepath.Dir(dir) {
		if fileExists(dir, "go.work") && fileExists(dir, "sdk/go.mod") {
			return OfCheckout(dir)
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

// isReleased says whether a version is that of a release: v1.2.3, or v1.2.3-rc.1 before it. What the Go command calls a
// build of any other commit is none.
func isReleased(version string) bool {
	return regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-(alpha|beta|rc)(\.?[0-9]+)?)?$`).MatchString(version)
}

// noModules says why a module in Go cannot be written.
func (s Source) noModules() error {
	return fmt.Errorf("this harness is a development build (%s), and the modules of such a build are in its checkout "+
		"alone: name a checkout of Plumbline with --checkout DIR, or use the harness of a release", s.Harness)
}

// readFiles reads files of a checkout or of an installed package.
func (s Source) readFiles(names ...string) ([][]byte, error) {
	if s.Files == "" {
		return nil, errors.New("this harness was installed without the examples that modules are written from: name a " +
			"checkout of Plumbline, or the unpacked archive of a release, with --checkout DIR")
	}
	return readCheckout(s.Files, names...)
}
