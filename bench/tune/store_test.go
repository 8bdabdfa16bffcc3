package tune

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func subjectOf(p Profile) Subject {
	return Subject{Key: p.For, Machine: p.Machine, PluginSHA256: func() (string, error) { return p.PluginSHA256, nil }}
}

func TestStore(t *testing.T) {
	p := example()
	cases := []struct {
		name    string
		change  func(s *Subject, p *Profile) // changes the run or the stored profile
		found   bool
		ignored string
	}{
		{"it fits", func(*Subject, *Profile) {}, true, ""},
		{"empty and absent options are the same", func(s *Subject, p *Profile) {
			p.For.Params, s.Params = nil,
				map[string]string{}
		}, true, ""},
		{"another machine", func(s *Subject, _ *Profile) { s.Machine.Cores = 4 }, false,
			"for another machine (Example, 2 cores; this is Example, 4 cores); harness tune measures anew"},
		{"another plugin", func(s *Subject, _ *Profile) { s.PluginSHA256 = func() (string, error) { return "other", nil } },
			false, "another build of the plugin (sha256 sum; this is other)"},
		{"another backend", func(s *Subject, _ *Profile) { s.Backend = "acme" }, false, ""},
		{"another option", func(s *Subject, _ *Profile) { s.BackendOptions = nil }, false, ""},
		{"another precision", func(s *Subject, _ *Profile) { s.Precision = "int8" }, false, ""},
		{"another model file", func(s *Subject, _ *Profile) { s.ModelFile = "/m.onnx" }, false, ""},
		{"another device", func(s *Subject, _ *Profile) { s.Devices = []string{"cpu:0"} }, false, ""},
	}
	for _, c := range cases {
		stored, run := p, subjectOf(p)
		c.change(&run, &stored)
		s := Store{Dir: filepath.Join(t.TempDir(), "a [b]*")} // a folder name that resembles a pattern
		path := s.Path(stored.For, stored.Machine)
		if err := stored.Save(path); err != nil {
			t.Fatal(err)
		}
		at, found, ignored, err := s.Find(run)
		if err != nil || (found != nil) != c.found || c.found && (at != path || found.Offline == nil) {
			t.Errorf("%s: found %v at %s, %v", c.name, found, at, err)
		}
		if text := strings.Join(ignored, "\n"); !strings.Contains(text, c.ignored) || c.ignored == "" && text != "" {
			t.Errorf("%s: ignored %q, want %q", c.name, text, c.ignored)
		}
	}
}

func TestStoreWithFilesThatAreNone(t *testing.T) {
	p := example()
	s := Store{Dir: t.TempDir()}
	if _, found, ignored, err := s.Find(subjectOf(p)); found != nil || ignored != nil || err != nil {
		t.Errorf("an empty folder: %v, %v, %v", found, ignored, err)
	}
	for _, name := range []string{filepath.Base(s.Path(p.For, p.Machine)), "resnet50.json", "resnet50-other.json"} {
		if err := os.WriteFile(filepath.Join(s.Dir, name), []byte(`{"schema": "plumbline.tuning", "schema_version": 1}`),
			0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, found, ignored, err := s.Find(subjectOf(p))
	if found != nil || err != nil || len(ignored) != 2 ||
		!slices.ContainsFunc(ignored, func(text string) bool { return strings.Contains(text, "resnet50.json: schema") }) {
		t.Errorf("found %v, ignored %q, %v; want the run's own and the older one named", found, ignored, err)
	}
}

func TestStoreWhereThePluginCannotBeRead(t *testing.T) {
	p := example()
	s := Store{Dir: t.TempDir()}
	if err := p.Save(s.Path(p.For, p.Machine)); err != nil {
		t.Fatal(err)
	}
	run, gone := subjectOf(p), errors.New("gone")
	run.PluginSHA256 = func() (string, error) { return "", gone }
	if _, _, _, err := s.Find(run); !errors.Is(err, gone) {
		t.Errorf("error %v", err)
	}
}
