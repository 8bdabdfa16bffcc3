package products

import (
	"testing"
)

// TestDraws compares draws with those of NumPy 2 for the official scorer's seed and eight answers in four parts: each
// part's generator draws categories and second-hand states, and the generator of the parts' seeds draws brands from the
// sorted list.
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
