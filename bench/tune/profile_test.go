package tune

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
)

func example() Profile {
	return Profile{
		Schema: Schema, SchemaVersion: SchemaVersion,
		For: Key{
			Model: "resnet50", Precision: "fp32", Backend: "ort", BackendOptions: map[string]string{"provider": "cpu"},
		},
		Machine: Machine{CPU: "Example", Cores: 2}, PluginSHA256: "sum",
		Measured: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Offline: &Offline{Setting: Setting{8, 2, 1, 0}, SamplesPerSecond: 100, Decided: true,
			Points: []Point{{Setting: Setting{8, 2, 1, 0}, SamplesPerSecond: 100, Tests: 3, Final: true}}},
		Server: &Server{Setting: Setting{4, 2, 1, 0}, TargetQPS: 80, Limits: Limits{Percentile: 0.99, LatencyNS: 15e6},
			MinDurationMS: 2000,
			Trials:        []Trial{{Setting: Setting{4, 2, 1, 0}, TargetQPS: 80, Valid: true, LatencyMS: 12, Confirms: true}}},
	}
}

func TestProfile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "x.json")
	p := example()
	if err := p.Save(path); err != nil {
		t.Fatal(err)
	}
	if got, err := Load(path); err != nil || !reflect.DeepEqual(got, p) {
		t.Errorf("got %+v, %v; want %+v", got, err, p)
	}
	if _, err := Load(path + "x"); !errors.Is(err, ErrFile) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if err := p.Save(filepath.Join(path, "below", "a", "file")); !errors.Is(err, ErrFile) {
		t.Errorf("a folder that cannot be: %v", err)
	}
	folder := filepath.Join(t.TempDir(), "folder")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := p.Save(folder); !errors.Is(err, ErrFile) {
		t.Errorf("a folder in its place: %v", err)
	}
	if left, _ := filepath.Glob(folder + ".*"); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
}

func TestBadProfiles(t *testing.T) {
	cases := map[string][]string{
		``:                {"unexpected end"},
		`{"schema": "x"}`: {`schema "x" version 0`, "harness tune writes a new one"},
		`{"schema": "plumbline.tuning", "schema_version": 1, "model": "resnet50", "best": {"batch": 1}}`: {"version 1, want"},
		`{"schema": "plumbline.tuning", "schema_version": 2, "colour": 1}`:                               {"colour"},
		`{"schema": "plumbline.tuning", "schema_version": 2, "offline": {"batch": -1, "sessions": 2000000, ` +
			`"samples_per_second": 0, "points": [{"threads": -4}]}, "server": {"threads": -2, "target_qps": -3}}`: {
			"no model", "offline: batch -1", "offline: sessions 2000000", "samples_per_second 0", "offline: point 1: threads -4",
			"server: threads -2", "target_qps -3"},
	}
	for text, wants := range cases {
		_, err := parseProfile([]byte(text))
		for _, want := range wants {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: no %q in %v", text, want, err)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	text, err := json.Marshal(example())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"schema":"plumbline.tuning","schema_version":2,"for":{"model":"m"},"offline":{"batch":1,` +
		`"samples_per_second":1e300}}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := parseProfile(text)
		if err != nil {
			return
		}
		if p.For.Model == "" || len(p.findFaults()) != 0 {
			t.Errorf("%+v", p)
		}
		again, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseProfile(again); err != nil {
			t.Errorf("what was read cannot be read again: %v", err)
		}
	})
}

func TestLimits(t *testing.T) {
	s := loadgen.DefaultTestSettings()
	s.ServerTargetLatency, s.ServerTargetLatencyPercentile = 15*time.Millisecond, 0.99
	if l := LimitsOf(s); l.String() != "15ms at 99 %" || l.First() != 15*time.Millisecond {
		t.Errorf("%v, %v", l, l.First())
	}
	s.UseTokenLatencies, s.ServerTTFTLatency, s.ServerTPOTLatency, s.ServerTargetLatencyPercentile = true, 2*time.Second,
		200*time.Millisecond, 0.999
	if l := LimitsOf(s); l.String() != "TTFT 2s and TPOT 200ms at 99.9 %" ||
		l.First() != 2*time.Second || l.LatencyNS != 0 {
		t.Errorf("%v, %v", l, l.First())
	}
}
