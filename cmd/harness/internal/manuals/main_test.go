package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	if err := writeManuals(dir, "v1.2.3", time.Unix(1_700_000_000, 0).UTC()); err != nil {
		t.Fatal(err)
	}
	for name, wants := range map[string][]string{
		"man/man1/harness.1":       {"v1.2.3", "2023-11-14", ".BR harness-run (1)"},
		"man/man1/harness-run.1":   {"SUITE.yaml", ".B --model NAME", ".B --plugin-dir DIR", "(default: the newest)"},
		"man/man1/harness-score.1": {"accuracy log"},
		"completions/harness.bash": {"__harness"},
		"completions/harness.zsh":  {"#compdef harness"},
		"completions/harness.fish": {"complete -c harness"},
	} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
		}
		for _, want := range wants {
			if !strings.Contains(strings.ReplaceAll(string(text), `\-`, "-"), want) {
				t.Errorf("%q is missing in %s", want, name)
			}
		}
	}
}
