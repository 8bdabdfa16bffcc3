package products

import (
	"testing"
)

// TestDraws: what NumPy 2 draws with the official scorer's seed, of eight answers in four parts: categories and
// second-hand by each part's generator, brands, in the order of their text, by the one that made the parts' seeds.
func TestDraws(t *testing.T) {
	var all []Product
	for i := range 8 {
		all = append(all, Product{
			Category: []string{"a > b", "a > c", "d"}[i%3], Brand: []string{"one", "two", "three", "four"}[i%4],
			SecondHand: i%2 == 0, Offered: []string{"a > b", "a > c", "d", "a"}[:2+i%3],
		})
	}
	s := New(all, LoadGen)
	for i := range all {
		if err := s.Add(i, []byte(`{"category":"","brand":"","is_secondhand":true}`)); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := s.RandomScores(), (DrawScores{0.3703703703703704, 0.25, 0.4}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
