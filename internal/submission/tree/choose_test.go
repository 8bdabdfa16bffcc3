package tree_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

func TestChoose(t *testing.T) {
	found := open(t, write(t, map[string]string{"closed/Lab/x": "", "open/Lab/x": "", "open/Other/x": ""}), "")
	for name, want := range map[string]int{"": 3, "Lab": 2, "Other": 1} {
		if all, err := found.ChooseSubmitters(name); err != nil || len(all) != want {
			t.Errorf("%q: %d folders, %v; want %d", name, len(all), err, want)
		}
	}
	if _, err := found.ChooseSubmitters("Lap"); !errors.Is(err, tree.ErrNoSubmission) ||
		!strings.Contains(err.Error(), "Lab") {
		t.Errorf("an unknown submitter: %v", err)
	}
	if _, err := open(t, t.TempDir(), "").ChooseSubmitters(""); !errors.Is(err, tree.ErrNoSubmission) {
		t.Errorf("an empty folder: %v", err)
	}
}
