package load_test

import (
	"testing"

	"github.com/plumbline-ml/plumbline/bench/serving/load"
)

func TestParseShare(t *testing.T) {
	for text, want := range map[string]load.Share{"1/1": {0, 1}, "1/4": {0, 4}, "4/4": {3, 4}} {
		if got, err := load.ParseShare(text); err != nil || got != want || got.String() != text {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "1", "0/4", "5/4", "1/0", "-1/2", "a/b", "1/2/3", "1/99999999"} {
		if got, err := load.ParseShare(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestShares: each place is one share's, and the counts say how many.
func TestShares(t *testing.T) {
	for of := 0; of <= 7; of++ {
		for n := range 30 {
			owners := make([]int, n)
			total := 0
			for index := range max(1, of) {
				s := load.Share{Index: index, Of: of}
				mine := 0
				for place := range n {
					if s.Mine(place) {
						if at := s.Place(mine); at != place {
							t.Fatalf("%v: its place %d is %d, want %d", s, mine, at, place)
						}
						owners[place]++
						mine++
					}
				}
				if s.Count(n) != mine {
					t.Fatalf("%v: %d of %d, want %d", s, s.Count(n), n, mine)
				}
				total += mine
			}
			for place, k := range owners {
				if k != 1 {
					t.Fatalf("%d shares have place %d", k, place)
				}
			}
			if total != n {
				t.Fatalf("%d of %d places are somebody's", total, n)
			}
		}
	}
}
