package trust

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/internal/testkit/plugintest"
)

// installed returns a folder with fake plugins, and a lock file that pins the named ones.
func installed(t *testing.T, pinned ...string) (l *plugintest.Launcher, dir string, lock *Lock) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l = plugintest.New(map[string]*plugintest.Fake{"one": plugintest.Classifier(), "two": plugintest.Classifier()})
	if err := l.Install(dir); err != nil {
		t.Fatal(err)
	}
	lock = NewLock(filepath.Join(dir, "settings", FileName))
	for _, name := range pinned {
		sum, _, err := checksum.File(binary(dir, name))
		if err == nil {
			err = lock.Set(binary(dir, name), sum)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return l, dir, lock
}

func binary(dir, name string) string { return filepath.Join(dir, host.BinaryPrefix+name) }

func TestGuard(t *testing.T) {
	launcher, dir, lock := installed(t, "one")
	g := Guard{launcher, lock}
	p, err := g.Launch(t.Context(), binary(dir, "one"), host.LaunchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	refuse := func(path string, wants ...string) {
		t.Helper()
		_, err := g.Launch(t.Context(), path, host.LaunchOptions{})
		if !errors.Is(err, ErrRefused) || !errors.As(err, new(*host.PluginError)) {
			t.Fatalf("%s: %v, want a refusal", path, err)
		}
		for _, want := range append(wants, "harness trust", lock.Path) {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: no %q in: %v", path, want, err)
			}
		}
	}
	refuse(binary(dir, "two"), "has no pin")
	old, _ := lock.Pin(binary(dir, "one"))
	if err := os.WriteFile(binary(dir, "one"), []byte("another program"), 0o755); err != nil {
		t.Fatal(err)
	}
	sum, _, err := checksum.File(binary(dir, "one"))
	if err != nil {
		t.Fatal(err)
	}
	refuse(binary(dir, "one"), old, sum)
	if _, err := g.Launch(t.Context(), binary(dir, "three"), host.LaunchOptions{}); !errors.As(err,
		new(*host.PluginError)) ||
		!errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that does not exist: %v", err)
	}
}

func TestGuardSeesThroughLinks(t *testing.T) {
	launcher, dir, lock := installed(t, "one")
	link := filepath.Join(t.TempDir(), host.BinaryPrefix+"one")
	if err := os.Symlink(binary(dir, "one"), link); err != nil {
		t.Skip(err)
	}
	p, err := Guard{launcher, lock}.Launch(t.Context(), link, host.LaunchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
}

// Files that a plugin loads must also be pinned: the libraries in its folder, and all other files in the lock file.
func TestGuardOfCompanions(t *testing.T) {
	launcher, dir, lock := installed(t, "one")
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	pin := func(path string) {
		t.Helper()
		sum, _, err := checksum.File(path)
		if err = errors.Join(err, lock.Set(path, sum)); err != nil {
			t.Fatal(err)
		}
	}
	launch := func() error {
		p, err := Guard{launcher, lock}.Launch(t.Context(), binary(dir, "one"), host.LaunchOptions{})
		if err == nil {
			p.Close()
		}
		return err
	}
	refused := func(wants ...string) {
		t.Helper()
		err := launch()
		if !errors.Is(err, ErrRefused) || !errors.As(err, new(*host.PluginError)) {
			t.Fatalf("%v, want a refusal", err)
		}
		for _, want := range wants {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("no %q in: %v", want, err)
			}
		}
	}
	write("notes.txt", "not loaded")
	module := write("elsewhere/module.py", "import os")
	if err := launch(); err != nil {
		t.Fatal(err)
	}
	first, second := write("libruntime.so.1.28", "first"), write("lib/libextra.so", "second")
	refused(first, second, "has no pin", "harness trust")
	pin(first)
	pin(second)
	pin(module)
	if err := launch(); err != nil {
		t.Fatal(err)
	}
	write("libruntime.so.1.28", "other")
	write("elsewhere/module.py", "import socket")
	refused("the sha256 of "+first, "the sha256 of "+module)
	pin(first)
	pin(module)
	if err := os.Remove(module); err != nil {
		t.Fatal(err)
	}
	refused("cannot be read", module, "--remove")
	lock.Remove(module)
	if err := launch(); err != nil {
		t.Error(err)
	}
	if removed := lock.Remove(binary(dir, "one")); !slices.Equal(removed, []string{binary(dir, "one"), second, first}) {
		t.Errorf("with the last plugin of the folder %q went", removed)
	}
}

func TestLibraryNames(t *testing.T) {
	for name, want := range map[string]bool{
		"libonnxruntime.so": true, "libx.so.1": true, "X.DLL": true, "x.dylib": true, "_ext.cpython-312.so": true,
		"plumbline-plugin-one": false, "so": false, "x.sort": false,
	} {
		if isLibrary(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

func TestSaveAndLoad(t *testing.T) {
	_, dir, lock := installed(t, "one", "two")
	if len(lock.Remove(binary(dir, "two"))) != 1 || lock.Remove(binary(dir, "two")) != nil {
		t.Error("a pin can be removed once")
	}
	if err := lock.Save(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(lock.Path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v; want a file for its owner alone", info, err)
	}
	again, err := Load(lock.Path)
	if err != nil {
		t.Fatal(err)
	}
	if got := again.Paths(); !slices.Equal(got, []string{binary(dir, "one")}) {
		t.Errorf("pins of %q", got)
	}
	if left, err := os.ReadDir(filepath.Dir(lock.Path)); err != nil || len(left) != 1 {
		t.Errorf("%v, %v; want the lock file alone", left, err)
	}
}

func TestLoadFaults(t *testing.T) {
	if _, err := Load(filepath.Join(t.TempDir(), "none")); !Missing(err) || !errors.Is(err, ErrLock) {
		t.Errorf("no file: %v", err)
	}
	sum := strings.Repeat("0", sumDigits)
	path := filepath.Join(t.TempDir(), FileName)
	text := "# fine\n\nnonsense\n" + sum + "  a\n" + strings.Repeat("1", sumDigits) + " *a\n" + sum + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Load(path)
	if err == nil || Missing(err) {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{path, "line 3", "line 5", "line 6", "hexadecimal"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in: %v", want, err)
		}
	}
	if strings.Contains(err.Error(), "line 4") {
		t.Errorf("line 4 is good: %v", err)
	}
}

func TestSetRefusesWhatCannotBeWritten(t *testing.T) {
	if err := NewLock("x").Set("/a\nb", strings.Repeat("0", sumDigits)); err == nil {
		t.Error("a path with a line break can be pinned")
	}
}

// FuzzParse checks that the result has the form of a pin and is parsed to the same pin again.
func FuzzParse(f *testing.F) {
	f.Add(strings.Repeat("a", sumDigits) + "  /bin/x\n")
	f.Add(header)
	f.Add(strings.Repeat("A", sumDigits) + " *x y\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		pins, err := parseLock(text, "/lock")
		if err != nil {
			return
		}
		for path, sum := range pins {
			if !filepath.IsAbs(path) || len(sum) != sumDigits || sum != strings.ToLower(sum) {
				t.Errorf("%q is pinned to %q", path, sum)
			}
		}
	})
}
