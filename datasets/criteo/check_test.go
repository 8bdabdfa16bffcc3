package criteo

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestCheckListsEveryFaultOfAllPairs(t *testing.T) {
	good := open(t, "testdata/multihot", PairOptions{Variant: Debug})
	if err := good.CheckPairs(t.Context()); err != nil {
		t.Error(err)
	}
	rows := slices.Repeat([]int{1 << 20}, Tables)
	rows[0], rows[24] = 14, 28 // of table 0 (3 indices each) the last, of table 24 (1 each) the last
	s := open(t, "testdata/multihot", PairOptions{Variant: Debug, Rows: rows})
	err := s.CheckPairs(t.Context())
	var all *FaultError
	if !errors.As(err, &all) || !errors.Is(err, ErrDataset) || len(all.Faults) != 2 {
		t.Fatalf("error %v, want two faults", err)
	}
	for _, want := range []string{"day_23_sparse_multi_hot_debug.npz: 0.npy, pair 4: index 2 is 14, want 0 to 13",
		"24.npy, pair 4: index 0 is 28, want 0 to 27"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.CheckPairs(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancellation: %v", err)
	}
}
