package cli_test

import (
	"testing"
)

// A setting that the search called not certain is used by the runs that name the profile, and by no others.
func TestTuningThatIsNotCertain(t *testing.T) {
	s := newTuner(t)
	s.Want(0, s.Run(tuneArgs("--scenario", "Offline")...))
	path := certain(s)
	dry := []string{"run", "resnet50", "--dry-run", "--scenario", "Offline"}
	s.Want(0, s.Run(dry...), " ("+path+")")
	_, p := profileOf(s)
	p.Offline.Decided = false
	if err := p.Save(path); err != nil {
		t.Fatal(err)
	}
	s.Want(0, s.Run(dry...), "for Offline is not used: harness tune called it not certain (--tuning "+path+" uses it)")
	s.Want(0, s.Run(append(dry, "--tuning", path)...), " ("+path+")")
}
