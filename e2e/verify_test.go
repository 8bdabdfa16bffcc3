package e2e

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// TestVerify proves the null plugin sound, and finds the fault of a broken one.
func TestVerify(t *testing.T) {
	t.Run("sound", func(t *testing.T) {
		r := harness(t, "verify", "null", "--count", "200", "--json").wantCode(t, 0)
		var report struct {
			Sound  bool
			Checks []struct{ Name, Outcome, Detail string }
		}
		if err := json.Unmarshal([]byte(r.stdout), &report); err != nil {
			t.Fatalf("%v in:\n%s", err, r.stdout)
		}
		if !report.Sound || len(report.Checks) < 15 {
			t.Errorf("%+v, want every check to pass", report)
		}
	})
	t.Run("broken", func(t *testing.T) {
		cmd := command(t, harnessBinary(), "verify", "faulty", "--plugin-dir", filepath.Join(built.dir, "faulty"), "--only", "handshake,scenarios,errors")
		cmd.Env = append(cmd.Environ(), "PLUMBLINE_FAULT=twice")
		r := finish(t, cmd).wantCode(t, 5)
		if !strings.Contains(r.stdout, "PASS  handshake") || !strings.Contains(r.stdout, "FAIL  scenarios") || !strings.Contains(r.stdout, "checks failed") {
			t.Errorf("it printed:\n%s", r.both())
		}
	})
	t.Run("unknown check", func(t *testing.T) {
		r := harness(t, "verify", "null", "--only", "speed").wantCode(t, 2)
		if !strings.Contains(r.stderr, "determinism") {
			t.Errorf("the checks are not listed in:\n%s", r.both())
		}
	})
}
