package tooluse

import (
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/bfcl"
)

func TestQuestions(t *testing.T) {
	all, err := Samples()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != PerSubset*len(bfcl.Subsets()) {
		t.Errorf("%d samples", len(all))
	}
	seen := map[string]bool{}
	for i, q := range Questions() {
		if seen[q.Text] || all[i].ID != q.ID || all[i].Messages[0].Content != q.Text {
			t.Errorf("%s: %q, read as %+v", q.ID, q.Text, all[i])
		}
		seen[q.Text] = true
	}
}

func TestConversations(t *testing.T) {
	set, err := Conversations()
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Turns) != CountTurns() || len(RecordedCommands()) != CountTurns() {
		t.Errorf("%d turns, %d commands, want %d", len(set.Turns), len(RecordedCommands()), CountTurns())
	}
}
