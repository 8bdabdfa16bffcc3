package serve

import (
	"errors"
	"testing"
)

func TestDistinctErrors(t *testing.T) {
	a, b := errors.New("a"), errors.New("b")
	if got := distinctErrors([]error{nil, a, b, errors.New("a"), nil}); len(got) != 2 || !errors.Is(got[0], a) ||
		!errors.Is(got[1], b) {
		t.Errorf("%v, want a and b", got)
	}
}
