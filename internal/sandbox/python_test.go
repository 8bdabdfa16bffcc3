package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// interpreter returns the Python of PLUMBLINE_PYTHON, or python3. The test is skipped if there is none.
func interpreter(t testing.TB) string {
	t.Helper()
	name := os.Getenv("PLUMBLINE_PYTHON")
	if name == "" {
		name = "python3"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skip("no Python: ", err)
	}
	return path
}

func find(t testing.TB, weak bool) *Python {
	t.Helper()
	p, err := FindPython(t.Context(), interpreter(t), weak)
	if errors.Is(err, ErrRefused) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPython(t *testing.T) {
	for _, weak := range []bool{!Supported, true} {
		p := find(t, weak)
		if !strings.HasPrefix(p.Version, "3.") || !filepath.IsAbs(p.Path) {
			t.Errorf("%+v, want a version and a path", p)
		}
		const script = "import sys, json, random, datetime; print(sys.stdin.read() + json.dumps(sys.path[:0]))"
		o, err := p.Run(t.Context(), script, []byte("given "), Limits{Wall: time.Minute, Output: 100})
		if err != nil || strings.TrimSpace(string(o.Output)) != "given []" {
			t.Errorf("%q, %q, %v", o.Output, o.Errors, err)
		}
	}
}

func TestWhatIsNoPython(t *testing.T) {
	for name, want := range map[string]string{
		"plumbline-no-such-python": "no Python",
		os.Args[0]:                 "is no Python of version 3.9 or newer",
	} {
		if _, err := FindPython(t.Context(), name, true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
