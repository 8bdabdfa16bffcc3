package pyvalue

import "testing"

// TestLower compares with texts of Python 3.11.
func TestLower(t *testing.T) {
	for text, want := range map[string]string{
		"Lab": "lab", "ΟΔΟΣ": "οδος", "ΟΔΟΣ.": "οδος.", "Σ": "σ", "aΣb": "aσb", "a.Σ": "a.ς", "aΣ.b": "aσ.b",
		"ΑΣ ΒΣ": "ας βς",
		"İst":   "i̇st", "ſt": "ſt", "\u212a": "k", "ªΣ": "ªς", "": "",
	} {
		if got := Lower(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
