package mlconf

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/internal/testkit/golden"
)

// TestGoldenFoundFiles reads official and unusual files in which faults were found. Each line must have the same effect
// as in the official LoadGen.
func TestGoldenFoundFiles(t *testing.T) { walkFound(t, filepath.Join(golden.Root(t), "found")) }

// TestFoundFiles does the same with the files in this repository.
func TestFoundFiles(t *testing.T) { walkFound(t, filepath.Join("testdata", "found")) }

func walkFound(t *testing.T, dir string) {
	for pattern, conf := range map[string]ConfType{"audit_*.config": ConfAudit, "user_*.conf": ConfUser} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no %s in %s (%v)", pattern, dir, err)
		}
		for _, f := range files {
			for _, scenario := range loadgen.Scenarios() {
				t.Run(filepath.Base(f)+"/"+scenario.String(), func(t *testing.T) { equalsOfficial(t, f, scenario, conf) })
			}
		}
	}
}

// equalsOfficial compares the settings of a file with those of the official reading.
func equalsOfficial(t *testing.T, path string, scenario loadgen.Scenario, conf ConfType) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	o := Options{Model: "resnet50", Scenario: scenario, Mode: loadgen.PerformanceOnly, IgnoreUnknownKeys: true}
	o.Layers = []Layer{UserConf(path)}
	if conf == ConfAudit {
		o.Layers = []Layer{Audit(path)}
	}
	s, err := Load(o)
	if err != nil {
		t.Fatal(err)
	}
	want, model := s.Rules(), "*"
	if conf == ConfUser {
		want, model = loadgen.DefaultTestSettings(), o.Model
		want.Scenario, want.Mode = o.Scenario, o.Mode
	}
	code, err := (&Official{}).FromConfig(&want, &text, model, scenario.String(), conf)
	if err != nil || code != CodeOK || s.TestSettings != want {
		t.Errorf("return code %d, %v; settings\n%+v, want\n%+v", code, err, s.TestSettings, want)
	}
	if strings.Contains(text, "\nfoo.") && len(s.Notes) == 0 {
		t.Error("no note of the lines of model foo")
	}
}
