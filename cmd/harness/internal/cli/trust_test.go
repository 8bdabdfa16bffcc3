package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/plugin/plugintest"
)

// pinned is a shell with two plugins and a folder of settings; resnet50 is pinned.
func pinned(t *testing.T) (s *shell, binary, lock string) {
	t.Helper()
	other := plugintest.Classifier()
	other.Description.Name = "other"
	other.Description.Models = other.Description.Models[1:]
	s = newShellWith(t, map[string]*plugintest.Fake{"resnet50": plugintest.Classifier(), "other": other})
	s.env["PLUMBLINE_CONFIG"] = filepath.Join(s.dir, "settings")
	s.want(0, s.run("trust", "resnet50"), "pinned", host.BinaryPrefix+"resnet50")
	return s, filepath.Join(s.plugins, host.BinaryPrefix+"resnet50"), filepath.Join(s.dir, "settings", "plugins.lock")
}

func TestTrustedPluginRuns(t *testing.T) {
	s, _, lock := pinned(t)
	s.want(0, s.run("describe", "resnet50"), "image classification")
	s.want(0, s.run("trust"), lock, "ok")
	s.want(0, s.run("trust", "resnet50"), "as it was")
	s.want(0, s.run("list"), "resnet50", "plugin other is left out", "has no pin")
}

func TestOtherPluginsAreRefused(t *testing.T) {
	s, binary, lock := pinned(t)
	if err := os.WriteFile(binary, []byte("changed"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.want(5, s.run("run", "resnet50", "--out", s.out()), "its sha256 is", lock+" pins",
		"harness trust", "changed the file")
	s.want(5, s.run("run", "mobilenet", "--out", s.out()), "was not started")
	s.want(5, s.run("trust"), "NOT THE SAME")
	s.want(5, s.run("doctor"), "1 in "+lock, "harness trust lists")
	for name, f := range s.fakes {
		if len(f.Opened()) > 0 {
			t.Errorf("plugin %s was used", name)
		}
	}
	s.want(0, s.run("trust", "--all"), "updated", "pinned")
	s.want(0, s.run("describe", "resnet50"))
}

func TestLibrariesAndFilesArePinned(t *testing.T) {
	s, binary, lock := pinned(t)
	library, model := filepath.Join(s.plugins, "libruntime.so"), filepath.Join(s.dir, "model.onnx")
	for _, path := range []string{library, model} {
		if err := os.WriteFile(path, []byte("as it is"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s.want(5, s.run("run", "resnet50", "--out", s.out()), library, "has no pin")
	s.want(0, s.run("trust", "resnet50"), "as it was", "pinned", library)
	s.want(0, s.run("trust", "--with", model), "pinned", model)
	s.want(0, s.run("describe", "resnet50"))
	if err := os.WriteFile(model, []byte("changed"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.want(5, s.run("run", "resnet50", "--out", s.out()), "the sha256 of "+model, lock+" pins")
	s.want(0, s.run("trust", "--remove", model), "removed")
	s.want(2, s.run("trust", "--remove", binary, "--with", model), "without --with")
	s.want(0, s.run("trust", "--remove", binary), "removed", library)
	s.want(5, s.run("trust", "--with", filepath.Join(s.dir, "none")), "none")
}

// What could not be saved is not said to be pinned.
func TestPinsThatCannotBeSaved(t *testing.T) {
	s, _, _ := pinned(t)
	folder := filepath.Join(s.dir, "locks")
	if err := os.Symlink(filepath.Join(s.dir, "none"), folder); err != nil {
		t.Skip("a folder that cannot be made takes a link:", err)
	}
	s.want(2, s.run("trust", "resnet50", "--lock", filepath.Join(folder, "plugins.lock")),
		"lock file "+filepath.Join(folder, "plugins.lock")+": mkdir")
	if s.stdout.String() != "" {
		t.Errorf("it printed:\n%s", s.stdout.String())
	}
}

// A file in this folder is named alike to be pinned and to be forgotten.
func TestTrustFileByName(t *testing.T) {
	s, _, _ := pinned(t)
	s.write("mod.py", "module")
	t.Chdir(s.dir)
	s.want(0, s.run("trust", "--with", "mod.py"), "pinned", "mod.py")
	s.want(0, s.run("trust", "--remove", "mod.py"), "removed", "mod.py")
	s.want(2, s.run("trust", "--remove", "mod.py"), "mod.py")
	s.want(2, s.run("trust", "mod.py"), "mod.py")
}

func TestTrustRemove(t *testing.T) {
	s, binary, _ := pinned(t)
	if err := os.Remove(binary); err != nil {
		t.Fatal(err)
	}
	s.want(0, s.run("trust", "--remove", binary), "removed")
	s.want(0, s.run("trust"), "no plugin is started")
	s.want(2, s.run("trust", "--remove", binary), "has no pin")
}

// TestAnEmptyLockTrustsNothing: a file without pins is one all the same.
func TestAnEmptyLockTrustsNothing(t *testing.T) {
	s, _, _ := pinned(t)
	s.want(0, s.run("trust", "--remove", "resnet50"))
	s.want(5, s.run("list"), "has no pin")
}

func TestTrustFaults(t *testing.T) {
	s, _, lock := pinned(t)
	s.want(2, s.run("trust", "--all", "resnet50"), "--all")
	s.want(2, s.run("trust", "--remove"), "which plugin")
	s.want(2, s.run("trust", "resnet5"), "resnet50")
	s.want(2, s.run("list", "--lock", filepath.Join(s.dir, "none")), "none")
	if err := os.WriteFile(lock, []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.want(2, s.run("list"), lock, "line 1")
	if strings.Contains(s.stdout.String(), "resnet50") {
		t.Error("a plugin was asked although the lock file is damaged")
	}
	s.want(2, s.run("trust"), lock, "line 1")
	for _, args := range [][]string{{"version"}, {"help"}, {"help", "run"}, {},
		{"new", "backend", filepath.Join(s.dir, "acme"), "--checkout", filepath.Join("..", "..", "..", "..")}} {
		s.want(0, s.run(args...)) // these start no plugin
	}
}

// TestPinsOfManyAtOnce pins 20 plugins and takes the pin of another away, all at the same time: each change stays.
func TestPinsOfManyAtOnce(t *testing.T) {
	s, binary, lock := pinned(t)
	shells := make([]*shell, 20)
	for i := range shells {
		shells[i] = newShellWith(t, map[string]*plugintest.Fake{fmt.Sprintf("p%d", i): plugintest.Classifier()})
		shells[i].env["PLUMBLINE_CONFIG"] = s.env["PLUMBLINE_CONFIG"]
	}
	var wg sync.WaitGroup
	for i, shell := range shells {
		wg.Go(func() {
			if code := shell.run("trust", fmt.Sprintf("p%d", i)); code != 0 {
				t.Errorf("trust p%d: %d, %s", i, code, shell.stderr.String())
			}
		})
	}
	wg.Go(func() { s.run("trust", "--remove", binary) })
	wg.Wait()
	text, err := os.ReadFile(lock)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), host.BinaryPrefix); n != len(shells) || strings.Contains(string(text), binary) {
		t.Errorf("%d pins, want %d and none of %s:\n%s", n, len(shells), binary, text)
	}
}

// TestLoaderVariablesAreWithheld wants pinned plugins to inherit LD_PRELOAD and the like only
// where the lock file says so.
func TestLoaderVariablesAreWithheld(t *testing.T) {
	s, _, lock := pinned(t)
	s.env["LD_PRELOAD"], s.env["LD_LIBRARY_PATH"] = "/x.so", "/cuda"
	s.want(0, s.run("describe", "resnet50"), "LD_PRELOAD is not passed on to pinned plugins",
		"harness trust --env LD_LIBRARY_PATH passes it on")
	withheld := func() []string { return s.fakes["resnet50"].Launched().Withhold }
	for _, name := range []string{"LD_PRELOAD", "LD_LIBRARY_PATH", "PYTHONPATH"} {
		if !slices.Contains(withheld(), name) {
			t.Errorf("%s is passed on: %v", name, withheld())
		}
	}
	s.want(0, s.run("trust", "--env", "LD_LIBRARY_PATH"), "passed on  LD_LIBRARY_PATH")
	s.want(2, s.run("trust", "--env", "HOME"), "--env HOME", "LD_PRELOAD")
	s.want(0, s.run("describe", "resnet50"), "LD_PRELOAD is not passed on")
	if strings.Contains(s.stderr.String(), "LD_LIBRARY_PATH") || slices.Contains(withheld(), "LD_LIBRARY_PATH") {
		t.Errorf("LD_LIBRARY_PATH is withheld: %v, %s", withheld(), s.stderr.String())
	}
	if text, err := os.ReadFile(lock); err != nil || !strings.Contains(string(text), "\n#env LD_LIBRARY_PATH\n") {
		t.Errorf("%s, %v", text, err)
	}
	s.want(0, s.run("trust", "--remove", "--env", "LD_LIBRARY_PATH"), "removed  LD_LIBRARY_PATH")
	s.want(0, s.run("trust"), "ok")
}

// TestExposedPluginsAreWarnedOf makes a plugin, a library and their folder writable by others.
func TestExposedPluginsAreWarnedOf(t *testing.T) {
	s, binary, _ := pinned(t)
	s.want(0, s.run("describe", "resnet50"))
	if strings.Contains(s.stderr.String(), "warning") {
		t.Errorf("a warning of safe files: %s", s.stderr.String())
	}
	for _, path := range []string{binary, s.plugins} {
		if err := os.Chmod(path, 0o777); err != nil {
			t.Fatal(err)
		}
		s.want(0, s.run("describe", "resnet50"), "warning: ", path+" may be written by everybody", "chmod o-w")
		s.run("doctor")
		s.want(0, 0, "warn  files", "decides what runs as you")
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}
