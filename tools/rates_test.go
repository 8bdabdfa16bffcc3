package tools

import (
	"encoding/json"
	"flag"
	"os"
	"testing"
)

var lowerRates = flag.Bool("lower", false, "write the rates of TestTurns and TestNames to testdata if they have fallen")

// holdRates fails if a rate exceeds the recorded one in a JSON file, or if the file contains other names. With -lower
// it writes the rates. about explains the counts and what to do.
func holdRates(t *testing.T, file string, rates map[string]float64, about string) {
	t.Helper()
	text, err := os.ReadFile(file)
	held := map[string]float64{}
	if err == nil {
		err = json.Unmarshal(text, &held)
	}
	if err != nil || len(held) != len(rates) {
		t.Fatalf("%s: %d rates, want %d; %v", file, len(held), len(rates), err)
	}
	for name, rate := range rates {
		if limit, ok := held[name]; !ok || rate > limit {
			t.Errorf("%s: %.1f, the limit is %.1f: %s", name, rate, limit, about)
		}
	}
	if !*lowerRates || t.Failed() {
		return
	}
	text, err = json.MarshalIndent(rates, "", "  ")
	if err == nil {
		err = os.WriteFile(file, append(text, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
