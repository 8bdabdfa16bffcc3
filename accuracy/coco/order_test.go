package coco

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// TestSetOrderIsCPythons compares orders with list(set(values)) of CPython 3.11.
func TestSetOrderIsCPythons(t *testing.T) {
	var cases []struct{ Values, Order []int64 }
	golden.ReadJSON(t, filepath.Join("testdata", "set_order.json"), &cases)
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	for i, c := range cases {
		if got := setOrder(c.Values); !slices.Equal(got, c.Order) {
			t.Errorf("case %d: %v, want %v", i, got, c.Order)
		}
	}
}

// TestSetOrderOfMany covers the slower growth above 50,000 values. The checksum is that of CPython's order of the same
// values.
func TestSetOrderOfMany(t *testing.T) {
	values := make([]int64, 250000)
	for i := range values {
		n := int64(i)
		values[i] = n * n * 7919 % 1000003
	}
	order := setOrder(values)
	hash := int64(0)
	for _, v := range order {
		hash = mulAdd(hash, 1000003, v)
	}
	if want := int64(262638470200390906); len(order) != len(values) || hash != want {
		t.Errorf("%d values with hash %d, want %d with %d", len(order), hash, len(values), want)
	}
}

// mulAdd returns a * b + c modulo 2^61.
func mulAdd(a, b, c int64) int64 { return int64((uint64(a)*uint64(b) + uint64(c)) & (1<<61 - 1)) }
