package resnet50

import "testing"

func TestClientWork(t *testing.T) {
	for name, c := range map[string]struct {
		binding
		want int
	}{
		"a class from 0":       {binding{}, 0},
		"a class with offset":  {binding{offset: 1}, 1},
		"scores":               {binding{scores: true}, 1},
		"scores and an offset": {binding{scores: true, offset: 1}, 2},
	} {
		if work := (&workload{binding: c.binding}).ClientWork(nil, nil, 1); len(work) != c.want {
			t.Errorf("%s: %q, want %d", name, work, c.want)
		}
	}
}
