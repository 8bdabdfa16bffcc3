package sdk

import (
	"slices"
	"testing"
)

func TestNotes(t *testing.T) {
	var n Notes
	n.AddDropped(0)
	n.AddMissing(0, 5, "samples", "the accuracy is that")
	n.AddCount(-1, "%d below")
	if n != nil {
		t.Errorf("%q, want none", n)
	}
	n.AddDropped(2)
	n.AddMissing(1, 5, "clips", "the metrics are those")
	n.Add("in %s", "short")
	if want := []string{"2 entries dropped: their samples had been answered before",
		"1 of 5 clips are not in the log; the metrics are those of the others", "in short"}; !slices.Equal(n, want) {
		t.Errorf("%q, want %q", n, want)
	}
}
