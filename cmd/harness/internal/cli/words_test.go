package cli

import "testing"

// TestOtherWords requires every hint for a flag of another program to name a flag of harness bench.
func TestOtherWords(t *testing.T) {
	bench, _, err := CommandTree().Find([]string{"bench"})
	if err != nil {
		t.Fatal(err)
	}
	for other, ours := range foreignFlags {
		if bench.Flags().Lookup(ours) == nil {
			t.Errorf("--%s: harness bench has no flag --%s", other, ours)
		}
		if bench.Flags().Lookup(other) != nil {
			t.Errorf("--%s is a flag of harness bench itself", other)
		}
	}
}
