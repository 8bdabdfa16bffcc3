package tune

import "testing"

func TestDisturbed(t *testing.T) {
	one, other := Setting{Batch: 1}, Setting{Batch: 2}
	trials := []Trial{
		{Setting: one, TargetQPS: 100},
		{Setting: one, TargetQPS: 500, Valid: true},
		{Setting: one, TargetQPS: 490}, // within the range in which runs have both outcomes
		{Setting: one, TargetQPS: 400},
		{Setting: one, TargetQPS: 600},
		{Setting: other, TargetQPS: 300}, // higher rates were not measured
	}
	if n := Disturbed(trials); n != 2 {
		t.Errorf("%d, want those at 100 and 400", n)
	}
	if n := Disturbed(nil); n != 0 {
		t.Errorf("%d of none", n)
	}
}
