package power

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/yaml11"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

func TestGoldenNameplates(t *testing.T) {
	golden.Each(t, "submission/tables/nameplate.json", func(t *testing.T, path string) {
		var rows []struct {
			YAML  string
			Watts float64
			Error string
		}
		golden.ReadJSON(t, path, &rows)
		for _, row := range rows {
			got, err := SumNameplate([]byte(row.YAML))
			if (err != nil) != (row.Error != "") || err == nil && got.Value != row.Watts {
				t.Errorf("%q: got %v, %v, want %v, error %q", row.YAML, got, err, row.Watts, row.Error)
			}
		}
	})
}

func TestNameplate(t *testing.T) {
	const anchored = "psu: &p\n  PowerCapacityWatts: 300.0\nbox:\n  PSUs: [*p, *p, *p]\n  Min PSUs Needed: 2\n"
	for text, want := range map[string]string{
		"node:\n  Min PSUs Needed: 2\n  PSUs:\n    - PowerCapacityWatts: 500\n    - PowerCapacityWatts: 800\n" +
			"switch:\n  fabric:\n    Min PSUs Needed: 1\n    PSUs:\n      - PowerCapacityWatts: 150\n": "1450",
		anchored: "600.0",
		"a:\n  PSUs: [{PowerCapacityWatts: 1}]\n  Min PSUs Needed: 5\na:\n  PSUs: [{PowerCapacityWatts: 2}]\n" +
			"  Min PSUs Needed: 5\n": "2",
		"5":  "0",
		"{}": "0",
	} {
		if got, err := SumNameplate([]byte(text)); err != nil || got.String() != want {
			t.Errorf("%q: got %v, %v, want %s", text, got, err, want)
		}
	}
}

func TestNameplateFaults(t *testing.T) {
	for text, want := range map[string]error{
		"":                  ErrEmpty,
		"# nothing\n":       ErrEmpty,
		"null\n":            ErrEmpty,
		"a: [1, 2\n":        ErrYAML,
		"a: 1\n---\nb: 2\n": ErrYAML,
		"\ta: 1\n":          ErrYAML,
		"\t":                ErrYAML,
		"!tag":              ErrYAML,
		", a":               ErrYAML,
		"a: >--x\n":         ErrYAML,
		"# a\n---\n...\n":   ErrEmpty,
		"a: *nobody\n":      ErrYAML,
		"a: &x 1\nb: [" + strings.Repeat("*x, ", yaml11.MaxAliases+1) + "]\n":  ErrYAML,
		"a:\n  PSUs: 5\n  Min PSUs Needed: 1\n":                                ErrValues,
		"a:\n  PSUs: [x]\n  Min PSUs Needed: 1\n":                              ErrValues,
		"a:\n  PSUs: []\n  Min PSUs Needed: one\n":                             ErrValues,
		"a:\n  PSUs: []\n  Min PSUs Needed: 1.5\n":                             ErrValues,
		"a:\n  PSUs: [{PowerCapacityWatts: 5 W}]\n  Min PSUs Needed: 1\n":      ErrValues,
		"a:\n  b:\n    PSUs: [{PowerCapacityWatts: }]\n    Min PSUs Needed: 1": ErrValues,
	} {
		if got, err := SumNameplate([]byte(text)); !errors.Is(err, want) {
			t.Errorf("%q: got %v, %v, want %v", text, got, err, want)
		}
	}
}

func FuzzNameplate(f *testing.F) {
	f.Add("node:\n  Min PSUs Needed: 2\n  PSUs:\n    - PowerCapacityWatts: 500\n    - {PowerCapacityWatts: 80.5}\n")
	f.Add("a: &x [1]\nb: *x\n---\n? [y]\n: {<<: *x}\n")
	f.Fuzz(func(t *testing.T, text string) {
		w, err := SumNameplate([]byte(text))
		if err == nil && w.Whole && strings.Contains(w.String(), ".") {
			t.Errorf("%q: whole watts %v", text, w)
		}
	})
}

// TestHostileNameplate: a file of some ten thousand bytes costs neither gigabytes nor minutes.
func TestHostileNameplate(t *testing.T) {
	for name, text := range map[string]string{
		"brackets": strings.Repeat("[", 60_000), "braces": strings.Repeat("{a: ", 15_000),
		"dashes": strings.Repeat("- ", 30_000), "too long": strings.Repeat("#", MaxNameplateSize+1),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := SumNameplate([]byte(text))
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, ErrYAML) || grown > 64<<20 {
			t.Errorf("%s: %v, for %d bytes of memory", name, err, grown)
		}
	}
	var keys strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&keys, "a%d: b\n", i)
	}
	if w, err := SumNameplate([]byte(keys.String())); err != nil || w.Value != 0 {
		t.Errorf("many keys: %v, %v", w, err)
	}
}
