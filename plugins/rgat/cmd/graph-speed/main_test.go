package main

import (
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/datasets/igbh"
)

func TestAMadeGraphIsMeasured(t *testing.T) {
	dir := t.TempDir()
	if err := igbh.WriteDataset(t.Context(), dir, "tiny", newRepeatedFeatures(1, 48)); err != nil {
		t.Fatal(err)
	}
	if err := measureGraph(t.Context(), dir, speedSettings{draws: time.Millisecond, batches: []int{3}}); err != nil {
		t.Error(err)
	}
}
