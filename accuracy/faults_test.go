package accuracy

import (
	"errors"
	"strings"
	"testing"
)

func TestFaults(t *testing.T) {
	kind := errors.New("bad input")
	var l FaultList
	if err := l.Err(kind); err != nil {
		t.Errorf("an empty list: %v, want nil", err)
	}
	for i := range 23 {
		l.Addf("line %d", i)
	}
	err := l.Err(kind)
	if !errors.Is(err, kind) || !strings.HasPrefix(err.Error(), "bad input: line 0\nline 1\n") ||
		!strings.HasSuffix(err.Error(), "line 19\nand 3 more") || strings.Contains(err.Error(), "line 20") {
		t.Errorf("error %v, want 20 lines and 3 more", err)
	}
}
