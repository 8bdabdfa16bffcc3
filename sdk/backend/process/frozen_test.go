package process

import "testing"

func TestSilenceCountsLooks(t *testing.T) {
	type look struct {
		stopped bool
		heard   uint64
		want    int
	}
	for name, looks := range map[string][]look{
		"at work":                    {{false, 0, 0}, {false, 0, 0}},
		"stopped":                    {{true, 0, 1}, {true, 0, 2}, {true, 0, 3}},
		"goes on":                    {{true, 0, 1}, {true, 0, 2}, {false, 0, 0}, {true, 0, 1}},
		"answers between two looks":  {{true, 0, 1}, {true, 1, 0}, {true, 1, 1}},
		"has answered, then stopped": {{false, 7, 0}, {true, 7, 1}},
	} {
		var s silenceCounter
		for i, l := range looks {
			if got := s.countCheck(l.stopped, l.heard); got != l.want {
				t.Errorf("%s: look %d gives %d, want %d", name, i, got, l.want)
			}
		}
	}
}
