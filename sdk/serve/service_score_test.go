package serve

import (
	"bytes"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
)

// TestJoinEntries joins entries whose pieces end at the end of a frame, in its middle and in a later frame.
func TestJoinEntries(t *testing.T) {
	piece := func(index uint64, data string, more bool) *pluginpb.AccuracyEntry {
		return &pluginpb.AccuracyEntry{QslIndex: index, Data: []byte(data), More: more}
	}
	var j entryJoiner
	var got []*pluginpb.AccuracyEntry
	for _, frame := range [][]*pluginpb.AccuracyEntry{
		{piece(1, "a", false), piece(2, "bc", true), piece(2, "d", false)},
		{piece(3, "e", true)},
		{piece(0, "fg", true), piece(0, "", true)},
		{piece(0, "h", false), piece(4, "", false), piece(5, "i", true)},
		{},
		{piece(5, "", false)},
	} {
		got = append(got, j.joinPieces(frame)...)
	}
	want := []string{1: "a", 2: "bcd", 3: "efgh", 4: "", 5: "i"}
	if len(got) != len(want)-1 {
		t.Fatalf("%d entries, want %d", len(got), len(want)-1)
	}
	for i, e := range got {
		if e.GetQslIndex() != uint64(i+1) || !bytes.Equal(e.GetData(), []byte(want[i+1])) {
			t.Errorf("entry %d: sample %d, %q; want %q", i, e.GetQslIndex(), e.GetData(), want[i+1])
		}
	}
}
