package loadgen_test

import (
	"reflect"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
)

func TestFieldTexts(t *testing.T) {
	s := loadgen.DefaultTestSettings()
	s.SingleStreamExpectedLatencyFraction = 0.5
	s.PrintTimestamps = true
	s.ServerTargetLatencyPercentile = 99.9 * 0.01
	got := map[string]string{}
	for _, f := range loadgen.Fields() {
		got[f.Name] = f.Text(s)
		if f.Doc == "" || f.Official == "" {
			t.Errorf("%s has no doc or official name", f.Name)
		}
	}
	for name, want := range map[string]string{
		"Mode": "2", "SingleStreamExpectedLatency": "1.0000005", "ServerTargetLatency": "100",
		"ServerTargetLatencyPercentile": "99.9", "MultiStreamTargetLatencyPercentile": "99", "PrintTimestamps": "1",
		"Test05": "0", "ServerTargetQPS": "1", "MinDuration": "10000",
		"ServerFindPeakQPSDecimalsOfPrecision": "1",
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
}

func TestFieldsCoverTestSettings(t *testing.T) {
	names := map[string]bool{
		"Scenario": true, "SingleStreamExpectedLatencyFraction": true, "MultiStreamExpectedLatencyFraction": true,
	}
	for _, f := range loadgen.Fields() {
		if names[f.Name] {
			t.Errorf("%s twice", f.Name)
		}
		names[f.Name] = true
	}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(loadgen.TestSettings{})) {
		if !names[f.Name] {
			t.Errorf("no field %s", f.Name)
		}
		delete(names, f.Name)
	}
	for name := range names {
		t.Errorf("field %s is none of TestSettings", name)
	}
}

// TestFieldsKeepRules requires that stricter values and values that the rules do not fix comply with the rules.
func TestFieldsKeepRules(t *testing.T) {
	rules := loadgen.DefaultTestSettings()
	for name, c := range map[string]struct {
		change func(s *loadgen.TestSettings)
		keeps  bool
	}{
		"MinDuration":         {func(s *loadgen.TestSettings) { s.MinDuration-- }, false},
		"MinQueryCount":       {func(s *loadgen.TestSettings) { s.MinQueryCount++ }, true},
		"ServerTargetLatency": {func(s *loadgen.TestSettings) { s.ServerTargetLatency++ }, false},
		"ServerTPOTLatency":   {func(s *loadgen.TestSettings) { s.ServerTPOTLatency-- }, true},
		"QSLRNGSeed":          {func(s *loadgen.TestSettings) { s.QSLRNGSeed++ }, false},
		"ServerTargetQPS":     {func(s *loadgen.TestSettings) { s.ServerTargetQPS++ }, true},
	} {
		s := rules
		c.change(&s)
		for _, f := range loadgen.Fields() {
			if keeps := f.Keeps(rules, s); keeps != (f.Name != name || c.keeps) {
				t.Errorf("%s changed: %s keeps the rules: %v", name, f.Name, keeps)
			}
		}
	}
}
