package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// tree creates folders (names with a final slash) and files, and returns the real path of their root.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if name[len(name)-1] == '/' {
			err = os.MkdirAll(path, 0o755)
		} else {
			err = os.WriteFile(path, []byte(name), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// shown reports whether a view shows a path.
func (v view) shown(path string, homes []string) bool {
	return slices.ContainsFunc(v.Paths, func(s string) bool { return within(path, s) && !hides(s, path, homes) })
}

func TestViewHidesHomes(t *testing.T) {
	root := tree(t, "people/u/secret", "people/u/libx.so", "people/u/venv/lib/m.py", "people/v/", "opt/python/lib/m.py")
	home := filepath.Join(root, "people/u")
	link := filepath.Join(root, "link")
	if err := os.Symlink(home, link); err != nil {
		t.Fatal(err)
	}
	all := []string{home}
	for name, x := range map[string]struct {
		see  string
		want bool // whether it is shown
	}{
		"home":                {"people/u", false},
		"home with a slash":   {"people/u/", false},
		"home by dots":        {"people/u/venv/..", false},
		"home by a link":      {"link", false},
		"above":               {"people", false},
		"far above":           {"", false},
		"a file in it":        {"people/u/libx.so", true},
		"a file by a link":    {"link/libx.so", true},
		"a folder in it":      {"people/u/venv/lib", true},
		"beside it":           {"people/v", true},
		"elsewhere":           {"opt/python/lib", true},
		"what is not there":   {"opt/none", false},
		"what begins like it": {"people/u2", false},
	} {
		v := newView([]string{filepath.Join(root, x.see)}, all)
		real, err := filepath.EvalSymlinks(filepath.Join(root, x.see))
		if err == nil && v.shown(real, all) != x.want {
			t.Errorf("%s: shown %v, want %v: %v", name, !x.want, x.want, v.Paths)
		}
		if v.shown(filepath.Join(home, "secret"), all) {
			t.Errorf("%s: the home folder's file is shown: %v", name, v.Paths)
		}
	}
	if v := newView([]string{"/", "relative", ""}, nil); v.shown("/root", nil) || v.shown("/etc/passwd", nil) {
		t.Errorf("%v shows the machine's root", v.Paths)
	}
}

// TestViewHidesHomesOfSystem checks that a home in a system folder is hidden, except for its named files.
func TestViewHidesHomesOfSystem(t *testing.T) {
	root := tree(t, "usr/home/u/secret", "usr/home/u/venv/m.py", "usr/lib/m")
	before := systemFolders
	systemFolders = slices.Concat(before, []string{filepath.Join(root, "usr")})
	defer func() { systemFolders = before }()
	home := filepath.Join(root, "usr/home/u")
	v := newView([]string{filepath.Join(home, "venv")}, []string{home})
	for path, want := range map[string]bool{
		"usr/lib/m": true, "usr/home/u/venv/m.py": true, "usr/home/u/secret": false, "usr/home/u": false,
	} {
		if v.shown(filepath.Join(root, path), []string{home}) != want {
			t.Errorf("%s: shown %v, want %v: %v", path, !want, want, v)
		}
	}
	if !slices.Equal(v.Hidden, []string{home}) {
		t.Errorf("hidden %v, want %s", v.Hidden, home)
	}
}

func TestHomesOfAccounts(t *testing.T) {
	root := tree(t, "passwd", "a/", "b/")
	text := "root:x:0:0:root:" + root + "/a:/bin/sh\nbin:x:2:2:bin:/bin:/bin/false\nu:x:1000:1000::" + root +
		"/b:/bin/sh\nnobody:x:65534:65534::/nonexistent:/bin/false\nbroken\n"
	path := filepath.Join(root, "passwd")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := passwdHomes(path), []string{root + "/a", root + "/b"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	t.Setenv("HOME", root+"/b")
	if all := homes(); !slices.Contains(all, root+"/b") || slices.Contains(all, "/") {
		t.Errorf("%v, want %s/b and no root", all, root)
	}
	t.Setenv("HOME", "/usr") // as for some services
	if all := homes(); slices.Contains(all, "/usr") {
		t.Errorf("%v has a folder of the system", all)
	}
}
