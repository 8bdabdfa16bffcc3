package system

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadStated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "system.json")
	for text, want := range map[string]string{
		`{"power_mode": "15 W", "cards": 4, "ecc": true}`: "cards 4, ecc true, power mode 15 W",
		`{}`: "",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := ReadStated(path)
		if err != nil || s.String() != want {
			t.Errorf("%s: %q, %v; want %q", text, s, err, want)
		}
	}
	for text, want := range map[string]string{
		`["Acme"]`:                   "want one JSON object",
		`{"a": {"b": 1}, "c": null}`: `"a": want a text`,
		`{"": "x"}`:                  "want a name",
		strings.Repeat(" ", 70000):   "longer than",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadStated(path); !errors.Is(err, ErrStated) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: %v, want %q", text, err, want)
		}
	}
	for _, path := range []string{"/dev/zero", t.TempDir(), "none.json"} {
		if _, err := ReadStated(path); !errors.Is(err, ErrStated) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func FuzzStated(f *testing.F) {
	f.Add([]byte(`{"accelerator": "Acme X1", "cards": 4}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := parseStated(text)
		if err == nil && (len(s) > maxProperties || len(s.String()) > 4*maxFileBytes+maxProperties*100) {
			t.Errorf("%d names of %d bytes", len(s), len(text))
		}
	})
}
