package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestPythonInHome checks that interpreters and libraries in a home folder reveal only themselves.
func TestPythonInHome(t *testing.T) {
	if os.Getenv("PLUMBLINE_PYTHON") == "" {
		t.Skip("PLUMBLINE_PYTHON names no interpreter: make test-escape PYTHON=python3 runs this")
	}
	outer := find(t, false)
	libraries, err := filepath.Glob("/lib/*-linux-gnu/libm.so.6")
	if err != nil || len(libraries) == 0 {
		libraries = []string{""}
	}
	venv := func(t *testing.T, folder string) string {
		if out, err := exec.Command(outer.Path, "-m", "venv", "--without-pip", folder).CombinedOutput(); err != nil {
			t.Skipf("no virtual environment: %v, %s", err, out)
		}
		return filepath.Join(folder, "bin", "python")
	}
	for name, prepare := range map[string]func(t *testing.T, home string) (python string){
		"elsewhere": func(*testing.T, string) string { return outer.Path },
		"a library": func(t *testing.T, home string) string {
			preload(t, libraries[0], filepath.Join(home, "libx.so"))
			return outer.Path
		},
		"a library below": func(t *testing.T, home string) string {
			preload(t, libraries[0], filepath.Join(home, "lib", "libx.so"))
			return outer.Path
		},
		"a copy": func(t *testing.T, home string) string {
			return copyFile(t, outer.Path, filepath.Join(home, "python3"))
		},
		"a copy below": func(t *testing.T, home string) string {
			return copyFile(t, outer.Path, filepath.Join(home, "bin", "python3"))
		},
		"a link": func(t *testing.T, home string) string {
			path := filepath.Join(home, "python3")
			if err := os.Symlink(outer.Path, path); err != nil {
				t.Fatal(err)
			}
			return path
		},
		"an environment":          func(t *testing.T, home string) string { return venv(t, filepath.Join(home, "env")) },
		"the home an environment": venv,
		"the home by another path": func(t *testing.T, home string) string {
			link := filepath.Join(t.TempDir(), "h")
			if err := os.Symlink(home, link); err != nil {
				t.Fatal(err)
			}
			t.Setenv("HOME", link)
			return venv(t, filepath.Join(link, "env"))
		},
		"a path of modules": func(t *testing.T, home string) string {
			python := venv(t, filepath.Join(home, "env"))
			found, err := filepath.Glob(filepath.Join(home, "env", "lib", "python3*", "site-packages"))
			if err != nil || len(found) != 1 {
				t.Fatal(found, err)
			}
			text := []byte(home + "\n" + filepath.Dir(home) + "\n")
			if err := os.WriteFile(filepath.Join(found[0], "x.pth"), text, 0o644); err != nil {
				t.Fatal(err)
			}
			return python
		},
	} {
		t.Run(name, func(t *testing.T) {
			home := tree(t, "secret", "lib/secret", "bin/secret", "data/secret")
			t.Setenv("HOME", home)
			python := prepare(t, home)
			p, err := FindPython(t.Context(), python, false)
			if err != nil {
				t.Fatal(err)
			}
			script := fmt.Sprintf(`import os
for name in ("secret", "lib/secret", "bin/secret", "data/secret"):
    path = os.path.join(%q, name)
    if os.path.exists(path): print("sees", path)
print("ran")`, home)
			o, err := p.Run(t.Context(), script, nil, Limits{Wall: time.Minute, Output: 1 << 16})
			if err != nil || strings.TrimSpace(string(o.Output)) != "ran" {
				t.Errorf("%s: %q, %q, %v, want nothing of %s seen", python, o.Output, o.Errors, err, home)
			}
		})
	}
}

// preload puts a library into each program that this test starts.
func preload(t *testing.T, library, path string) {
	t.Helper()
	if library == "" {
		t.Skip("no library to put before others")
	}
	t.Setenv("LD_PRELOAD", copyFile(t, library, path))
}

func copyFile(t *testing.T, from, to string) string {
	t.Helper()
	text, err := os.ReadFile(from)
	if err := errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, 0o755)); err != nil {
		t.Fatal(err)
	}
	return to
}
