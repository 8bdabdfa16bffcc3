package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/plugin/plugintest"
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
	s.want(5, s.run("run", "resnet50", "--out", s.out()), "its sha256 is", lock+" pins", "harness trust", "changed the file")
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
	s.want(2, s.run("trust", "resnet50", "--lock", filepath.Join(folder, "plugins.lock")), "lock file: mkdir")
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
	for _, args := range [][]string{{"version"}, {"help"}, {"help", "run"}, {}, {"new", "backend", filepath.Join(s.dir, "acme"), "--checkout", filepath.Join("..", "..", "..", "..")}} {
		s.want(0, s.run(args...)) // these start no plugin
	}
}
