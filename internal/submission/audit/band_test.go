package audit

import "testing"

// TestPrintedBand: scores that are apart by more than a band are in it where a summary's two decimals hide it.
func TestPrintedBand(t *testing.T) {
	for _, c := range []struct {
		test, scenario   string
		reference, score float64
		exact, printed   bool
	}{
		{"TEST04", "Offline", 0.81492, 0.81, true, true},
		{"TEST04", "Offline", 0.046, 0.054, false, true},
		{"TEST04", "Server", 0.046, 0.054, false, true},
		{"TEST04", "Offline", 0.046, 0.056, false, false},
		{"TEST04", "Offline", 5.37, 7.83, false, false},
		{"TEST04", "Offline", 0.004, 0.0045, false, false},
		{"TEST04", "SingleStream", 2e9, 1e9, false, false},
		{"TEST05", "Offline", 0.046, 0.054, true, true},
		{"TEST05", "Server", 0.054, 0.046, false, true},
		{"TEST01", "Offline", 0.046, 0.054, false, false},
		{"TEST01", "Offline", 0.5, 0.5, true, false},
	} {
		if got := InBand(nil, c.test, c.scenario, c.reference, c.score); got != c.exact {
			t.Errorf("%+v: in the band: %t", c, got)
		}
		if got := InPrintedBand(nil, c.test, c.scenario, c.reference, c.score); got != c.printed {
			t.Errorf("%+v: in the band by two decimals: %t", c, got)
		}
	}
}
