package lists_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/lists"
)

func TestMap(t *testing.T) {
	if got := lists.Map([]int{3, 1}, strconv.Itoa); !slices.Equal(got, []string{"3", "1"}) {
		t.Errorf("found %q", got)
	}
	if got := lists.Map([]int(nil), strconv.Itoa); got == nil {
		t.Error("found nil of no items, want a list of none")
	}
}

func TestMake(t *testing.T) {
	if got := lists.Make(3, strconv.Itoa); !slices.Equal(got, []string{"0", "1", "2"}) {
		t.Errorf("found %q", got)
	}
}

func TestFilter(t *testing.T) {
	even := func(n int) bool { return n%2 == 0 }
	if got := lists.Filter([]int{4, 1, 2}, even); !slices.Equal(got, []int{4, 2}) {
		t.Errorf("found %v", got)
	}
	if got := lists.Filter([]int{1}, even); got != nil {
		t.Errorf("found %v of no even number, want nil", got)
	}
}

func TestDistinct(t *testing.T) {
	if got := lists.Distinct([]string{"b", "a", "b"}); !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("found %q", got)
	}
}
