package kept

import (
	"os"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/serving/formats"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// TestLayoutsWithoutWords: of two layouts the one that has no words for a load is not written, a note says so, and the
// other is written; before a run that is an error.
func TestLayoutsWithoutWords(t *testing.T) {
	constant := arrival.Pattern{Kind: arrival.Rate, Arrival: arrival.Constant, PerSecond: 1}
	dir := t.TempDir()
	notes, err := WriteFormats(dir, []string{"endpoints", "vllm"}, formats.Run{Load: constant})
	if err != nil {
		t.Fatal(err)
	}
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "--also endpoints: ") {
		t.Errorf("%q", notes)
	}
	if there, _ := os.ReadDir(dir); len(there) != 1 {
		t.Errorf("%v is there, want vllm.json alone", there)
	}
	users := arrival.Pattern{Kind: arrival.Users, Users: 3, Requests: 6}
	for name, c := range map[string]struct {
		layouts []string
		points  []arrival.Pattern
		api     prompts.API
		want    string // empty: no fault
	}{
		"one of two loads": {[]string{"endpoints"}, []arrival.Pattern{users, constant}, prompts.Chat,
			"--also endpoints: not written"},
		"both, with words": {[]string{"endpoints", "vllm"}, []arrival.Pattern{users, {Kind: arrival.Maximum}},
			prompts.Chat, ""},
		"no load yet": {[]string{"endpoints"}, nil, prompts.Embeddings, "and no embeddings"},
		"a slip":      {[]string{"endpoint"}, nil, prompts.Chat, `did you mean "endpoints"`},
	} {
		err := CheckFormats(c.layouts, c.points, c.api)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
