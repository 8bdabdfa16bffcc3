package built

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func write(t *testing.T, path, text string) string {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPruneKeepsWhatIsUsed: of the builds the one that a process holds stays, and of the runs those that go on.
func TestPruneKeepsWhatIsUsed(t *testing.T) {
	s := &store{dir: t.TempDir()}
	for _, key := range []string{"held", "left"} {
		write(t, filepath.Join(s.dir, key, "harness"), key)
		write(t, filepath.Join(s.dir, key+".lock"), "")
	}
	use, err := locked(filepath.Join(s.dir, "held.lock"), unix.LOCK_SH)
	if err != nil {
		t.Fatal(err)
	}
	defer use.Close()
	ours := write(t, filepath.Join(s.dir, fmt.Sprintf("run-%d-1-plain", os.Getpid())), "held")
	ended := write(t, filepath.Join(s.dir, "run-99999999-1-plain"), "left")
	if err := s.prune(); err != nil {
		t.Fatal(err)
	}
	for path, stays := range map[string]bool{
		filepath.Join(s.dir, "held"): true, filepath.Join(s.dir, "left"): false, filepath.Join(s.dir, "left.lock"): false,
		ours: true, ended: false,
	} {
		if _, err := os.Stat(path); (err == nil) != stays {
			t.Errorf("%s: %v, want it to stay: %v", path, err, stays)
		}
	}
	if key, used := s.keyOf(ours); key != "held" || !used {
		t.Errorf("the run uses %q (%v), want the build that is held", key, used)
	}
	if _, used := s.keyOf(ended); used {
		t.Error("a run uses a build that is not there")
	}
}

// TestKeyIsOfPlacesAndContents: the key changes with a file's place and with what is in it, not with its date or path.
func TestKeyIsOfPlacesAndContents(t *testing.T) {
	dir := t.TempDir()
	a, b, c := write(t, filepath.Join(dir, "a"), "1"), write(t, filepath.Join(dir, "b"), "1"),
		write(t, filepath.Join(dir, "c"), "2")
	keys := map[string][]map[string]string{}
	for _, links := range []map[string]string{{"x": a}, {"x": b}, {"x": c}, {"y": a}, {"x": a, "y": a}} {
		key, err := hash(links)
		if err != nil {
			t.Fatal(err)
		}
		keys[key] = append(keys[key], links)
	}
	if len(keys) != 4 {
		t.Errorf("keys %v, want the first two to be one and all others to differ", keys)
	}
}

// TestALockIsSharedByUsers: users hold a build together, and the one who removes builds does not get it.
func TestALockIsSharedByUsers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key.lock")
	for range 2 {
		f, err := locked(path, unix.LOCK_SH)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
	}
	if f, err := locked(path, unix.LOCK_EX|unix.LOCK_NB); err == nil {
		f.Close()
		t.Error("a build in use was locked for its removal")
	}
}

// TestForTakesThePluginOfTheModel: the harness of one plugin where the arguments name models of one, else that of all.
func TestForTakesThePluginOfTheModel(t *testing.T) {
	had := place
	defer func() { place = had }()
	place.dir, place.models = "D", map[string]string{"resnet50": "resnet50", "mobilenet": "resnet50", "gnmt": "gnmt"}
	alone := filepath.Join("D", "alone", "resnet50", "harness")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "resnet50", "--mode", "accuracy"}, alone},
		{[]string{"compare", "resnet50", "mobilenet"}, alone},
		{[]string{"run", "resnet50", "gnmt"}, Harness()},
		{[]string{"list"}, Harness()},
		{[]string{"run", "resnet50", "--plugin", "gnmt"}, Harness()},
		{[]string{"run", "resnet50", "--plugin=gnmt"}, Harness()},
		{[]string{"run", "resnet50", "--plugin-dir", "bin"}, Harness()},
		{[]string{"run", "honest", "--plugin-dir", "bin"}, filepath.Join("D", "alone", "none", "harness")},
		{[]string{"list", "--plugin-dir", "bin"}, Harness()},
	} {
		if got := For(tt.args); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.args, got, tt.want)
		}
	}
}
