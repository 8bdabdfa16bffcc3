package record

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
)

// TestOnlyTheUnmodifiedOfficialLoadGenIsNoRehearsal checks that a single other run makes a document a rehearsal.
func TestOnlyTheUnmodifiedOfficialLoadGenIsNoRehearsal(t *testing.T) {
	own, released := record("Server", "performance"), record("Offline", "performance")
	changed := record("Offline", "accuracy")
	sum := strings.Repeat("8", 64)
	released.LoadGen = &LoadGen{
		Name: "official", Version: "6.0.17", SHA256: sum, Release: "6.0.17, commit d6147c7e", Unmodified: true,
	}
	changed.LoadGen = &LoadGen{Name: "official", Version: "6.0.17", SHA256: sum}
	estimated := released
	estimated.AddRunNotes(sdk.RunNotes{Notes: []string{"3 % more"}, Estimates: []string{"tokens"}})
	if len(estimated.Notes) != len(released.Notes)+1 || estimated.Notes[len(released.Notes)].Text != "3 % more" {
		t.Errorf("notes %v, want the workload's among them", estimated.Notes)
	}
	for _, c := range []struct {
		runs      []Run
		rehearsal bool
		says      string
	}{
		{nil, true, ""},
		{[]Run{own}, true, ""},
		{[]Run{released}, false,
			"official LoadGen 6.0.17, sha256 " + sum + ", source unmodified: yes (6.0.17, commit d6147c7e)"},
		{[]Run{released, own}, true, ""},
		{[]Run{released, estimated}, true, "a part of it is an estimate"},
		{[]Run{released, changed}, true, "source unmodified: no"},
		{[]Run{changed, released}, true, "source unmodified: no"},
	} {
		d := NewDocument(c.runs)
		if strings.Contains(d.Note, "rehearsal") != c.rehearsal || !strings.Contains(d.Note, c.says) {
			t.Errorf("%d runs: %s", len(c.runs), d.Note)
		}
	}
	var b strings.Builder
	if err := WriteHeader(&b, released, "out"); err != nil || !strings.Contains(b.String(), "source unmodified: yes") {
		t.Errorf("%v, the header is\n%s", err, b.String())
	}
}
