package cli

import (
	"testing"
)

// A setting that the search called not certain is used by the runs that name the profile, and by no others.
func TestTuningThatIsNotCertain(t *testing.T) {
	s := newTuner(t)
	s.want(0, s.run(tuneArgs("--scenario", "Offline")...))
	path := s.certain()
	dry := []string{"run", "resnet50", "--dry-run", "--scenario", "Offline"}
	s.want(0, s.run(dry...), " ("+path+")")
	_, p := s.profile()
	p.Offline.Decided = false
	if err := p.Save(path); err != nil {
		t.Fatal(err)
	}
	s.want(0, s.run(dry...), "for Offline is not used: harness tune called it not certain (--tuning "+path+" uses it)")
	s.want(0, s.run(append(dry, "--tuning", path)...), " ("+path+")")
}
