package machine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/internal/testkit/plugintest"
)

// pinned is a shell with two plugins and a folder of settings; resnet50 is pinned.
func pinned(t *testing.T) (s *clitest.Shell, binary, lock string) {
	t.Helper()
	other := plugintest.Classifier()
	other.Description.Name = "other"
	other.Description.Models = other.Description.Models[1:]
	s = clitest.NewWith(t, map[string]*plugintest.Fake{"resnet50": plugintest.Classifier(), "other": other})
	s.Env["PLUMBLINE_CONFIG"] = filepath.Join(s.Dir, "settings")
	s.Want(0, s.Run("trust", "resnet50"), "pinned", host.BinaryPrefix+"resnet50")
	return s, filepath.Join(s.Plugins, host.BinaryPrefix+"resnet50"), filepath.Join(s.Dir, "settings", "plugins.lock")
}

func TestTrustedPluginRuns(t *testing.T) {
	s, _, lock := pinned(t)
	s.Want(0, s.Run("describe", "resnet50"), "image classification")
	s.Want(0, s.Run("trust"), lock, "ok")
	s.Want(0, s.Run("trust", "resnet50"), "as it was")
	s.Want(0, s.Run("list"), "resnet50", "plugin other is left out", "has no pin")
}

func TestOtherPluginsAreRefused(t *testing.T) {
	s, binary, lock := pinned(t)
	if err := os.WriteFile(binary, []byte("changed"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.Want(5, s.Run("run", "resnet50", "--out", s.Out()), "its sha256 is", lock+" pins",
		"harness trust", "changed the file")
	s.Want(5, s.Run("run", "mobilenet", "--out", s.Out()), "was not started")
	s.Want(5, s.Run("trust"), "NOT THE SAME")
	s.Want(5, s.Run("doctor"), "1 in "+lock, "harness trust lists")
	for name, f := range s.Fakes {
		if len(f.Opened()) > 0 {
			t.Errorf("plugin %s was used", name)
		}
	}
	s.Want(0, s.Run("trust", "--all"), "updated", "pinned")
	s.Want(0, s.Run("describe", "resnet50"))
}

func TestLibrariesAndFilesArePinned(t *testing.T) {
	s, binary, lock := pinned(t)
	library, model := filepath.Join(s.Plugins, "libruntime.so"), filepath.Join(s.Dir, "model.onnx")
	for _, path := range []string{library, model} {
		if err := os.WriteFile(path, []byte("as it is"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s.Want(5, s.Run("run", "resnet50", "--out", s.Out()), library, "has no pin")
	s.Want(0, s.Run("trust", "resnet50"), "as it was", "pinned", library)
	s.Want(0, s.Run("trust", "--with", model), "pinned", model)
	s.Want(0, s.Run("describe", "resnet50"))
	if err := os.WriteFile(model, []byte("changed"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.Want(5, s.Run("run", "resnet50", "--out", s.Out()), "the sha256 of "+model, lock+" pins")
	s.Want(0, s.Run("trust", "--remove", model), "removed")
	s.Want(2, s.Run("trust", "--remove", binary, "--with", model), "without --with")
	s.Want(0, s.Run("trust", "--remove", binary), "removed", library)
	s.Want(5, s.Run("trust", "--with", filepath.Join(s.Dir, "none")), "none")
}

// What could not be saved is not said to be pinned.
func TestPinsThatCannotBeSaved(t *testing.T) {
	s, _, _ := pinned(t)
	folder := filepath.Join(s.Dir, "locks")
	if err := os.Symlink(filepath.Join(s.Dir, "none"), folder); err != nil {
		t.Skip("a folder that cannot be made takes a link:", err)
	}
	s.Want(2, s.Run("trust", "resnet50", "--lock", filepath.Join(folder, "plugins.lock")),
		"lock file "+filepath.Join(folder, "plugins.lock")+": mkdir")
	if s.Stdout.String() != "" {
		t.Errorf("it printed:\n%s", s.Stdout.String())
	}
}

// A file in this folder is named alike to be pinned and to be forgotten.
func TestTrustFileByName(t *testing.T) {
	s, _, _ := pinned(t)
	s.File("mod.py", "module")
	t.Chdir(s.Dir)
	s.Want(0, s.Run("trust", "--with", "mod.py"), "pinned", "mod.py")
	s.Want(0, s.Run("trust", "--remove", "mod.py"), "removed", "mod.py")
	s.Want(2, s.Run("trust", "--remove", "mod.py"), "mod.py")
	s.Want(2, s.Run("trust", "mod.py"), "mod.py")
}

func TestTrustRemove(t *testing.T) {
	s, binary, _ := pinned(t)
	if err := os.Remove(binary); err != nil {
		t.Fatal(err)
	}
	s.Want(0, s.Run("trust", "--remove", binary), "removed")
	s.Want(0, s.Run("trust"), "no plugin is started")
	s.Want(2, s.Run("trust", "--remove", binary), "has no pin")
}

// TestAnEmptyLockTrustsNothing: a file without pins is one all the same.
func TestAnEmptyLockTrustsNothing(t *testing.T) {
	s, _, _ := pinned(t)
	s.Want(0, s.Run("trust", "--remove", "resnet50"))
	s.Want(5, s.Run("list"), "has no pin")
}

func TestTrustFaults(t *testing.T) {
	s, _, lock := pinned(t)
	s.Want(2, s.Run("trust", "--all", "resnet50"), "--all")
	s.Want(2, s.Run("trust", "--remove"), "which plugin")
	s.Want(2, s.Run("trust", "resnet5"), "resnet50")
	s.Want(2, s.Run("list", "--lock", filepath.Join(s.Dir, "none")), "none")
	if err := os.WriteFile(lock, []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Want(2, s.Run("list"), lock, "line 1")
	if strings.Contains(s.Stdout.String(), "resnet50") {
		t.Error("a plugin was asked although the lock file is damaged")
	}
	s.Want(2, s.Run("trust"), lock, "line 1")
	for _, args := range [][]string{{"version"}, {"help"}, {"help", "run"}, {},
		{"new", "backend", filepath.Join(s.Dir, "acme"), "--checkout", filepath.Join("..", "..", "..", "..", "..")}} {
		s.Want(0, s.Run(args...)) // these start no plugin
	}
}

// TestPinsOfManyAtOnce pins 20 plugins and takes the pin of another away, all at the same time: each change stays.
func TestPinsOfManyAtOnce(t *testing.T) {
	s, binary, lock := pinned(t)
	shells := make([]*clitest.Shell, 20)
	for i := range shells {
		shells[i] = clitest.NewWith(t, map[string]*plugintest.Fake{fmt.Sprintf("p%d", i): plugintest.Classifier()})
		shells[i].Env["PLUMBLINE_CONFIG"] = s.Env["PLUMBLINE_CONFIG"]
	}
	var wg sync.WaitGroup
	for i, shell := range shells {
		wg.Go(func() {
			if code := shell.Run("trust", fmt.Sprintf("p%d", i)); code != 0 {
				t.Errorf("trust p%d: %d, %s", i, code, shell.Stderr.String())
			}
		})
	}
	wg.Go(func() { s.Run("trust", "--remove", binary) })
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
	s.Env["LD_PRELOAD"], s.Env["LD_LIBRARY_PATH"] = "/x.so", "/cuda"
	s.Want(0, s.Run("describe", "resnet50"), "LD_PRELOAD is not passed on to pinned plugins",
		"harness trust --env LD_LIBRARY_PATH passes it on")
	withheld := func() []string { return s.Fakes["resnet50"].Launched().Withhold }
	for _, name := range []string{"LD_PRELOAD", "LD_LIBRARY_PATH", "PYTHONPATH"} {
		if !slices.Contains(withheld(), name) {
			t.Errorf("%s is passed on: %v", name, withheld())
		}
	}
	s.Want(0, s.Run("trust", "--env", "LD_LIBRARY_PATH"), "passed on  LD_LIBRARY_PATH")
	s.Want(2, s.Run("trust", "--env", "HOME"), "--env HOME", "LD_PRELOAD")
	s.Want(0, s.Run("describe", "resnet50"), "LD_PRELOAD is not passed on")
	if strings.Contains(s.Stderr.String(), "LD_LIBRARY_PATH") || slices.Contains(withheld(), "LD_LIBRARY_PATH") {
		t.Errorf("LD_LIBRARY_PATH is withheld: %v, %s", withheld(), s.Stderr.String())
	}
	if text, err := os.ReadFile(lock); err != nil || !strings.Contains(string(text), "\n#env LD_LIBRARY_PATH\n") {
		t.Errorf("%s, %v", text, err)
	}
	s.Want(0, s.Run("trust", "--remove", "--env", "LD_LIBRARY_PATH"), "removed  LD_LIBRARY_PATH")
	s.Want(0, s.Run("trust"), "ok")
}

// TestExposedPluginsAreWarnedOf makes a plugin, a library and their folder writable by others.
func TestExposedPluginsAreWarnedOf(t *testing.T) {
	s, binary, _ := pinned(t)
	s.Want(0, s.Run("describe", "resnet50"))
	if strings.Contains(s.Stderr.String(), "warning") {
		t.Errorf("a warning of safe files: %s", s.Stderr.String())
	}
	for _, path := range []string{binary, s.Plugins} {
		if err := os.Chmod(path, 0o777); err != nil {
			t.Fatal(err)
		}
		s.Want(0, s.Run("describe", "resnet50"), "warning: ", path+" may be written by everybody", "chmod o-w")
		s.Run("doctor")
		s.Want(0, 0, "warn  files", "decides what runs as you")
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}
