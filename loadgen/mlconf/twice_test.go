package mlconf_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// TestKeysSetTwice checks that the last of equal keys applies, like in LoadGen, and that a note reports it. Different
// keys are not affected.
func TestKeysSetTwice(t *testing.T) {
	for _, c := range []struct {
		text  string
		want  uint64
		notes int
		fault string
	}{
		{"*.Server.min_query_count = 5\n*.Server.min_query_count = 7\n", 7, 1, ""},
		{"*.Server.min_query_count = 7\n*.Server.min_query_count = 7\n", 7, 1, ""},
		{"*.Server.min_query_count = 5\n*.Server.min_query_count = 6\n*.Server.min_query_count = 7\n", 7, 1, ""},
		{"*.*.min_query_count = 5\n*.Server.min_query_count = 7\n", 7, 0, ""},
		{"resnet50.Server.min_query_count = 7\n*.*.min_query_count = 5\n*.*.min_query_count = 4\n", 7, 1, ""},
		{"bert.Server.min_query_count = 5\nbert.Server.min_query_count = 6\n*.*.min_query_count = 7\n", 7, 1, ""},
		{"*.Server.min_query_count = 5\n*.Server.min_query_count = many\n", 0, 0,
			":2: *.Server.min_query_count: want a number"},
		{"*.Server.min_query_count = -5\n*.Server.min_query_count = 7\n", 0, 0, ":1: *.Server.min_query_count: want a whole"},
	} {
		path := filepath.Join(t.TempDir(), "user.conf")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := mlconf.Load(mlconf.Options{Model: "resnet50", Scenario: loadgen.Server, Mode: loadgen.PerformanceOnly,
			Layers: []mlconf.Layer{mlconf.UserConf(path)}})
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%q: %v, want %q", c.text, err, c.fault)
			}
			continue
		}
		_, notes := mlconf.Check("user.conf", c.text, "resnet50", nil, false)
		if err != nil || s.MinQueryCount != c.want || len(notes) != c.notes {
			t.Errorf("%q: %d, %v, %v", c.text, s.MinQueryCount, notes, err)
		}
	}
	const text = "*.Server.min_query_count = 5\n*.Server.min_query_count = 7\n"
	_, notes := mlconf.Check("user.conf", text, "resnet50", nil, false)
	want := "user.conf: line 1: set again below (*.Server.min_query_count): of equal keys the last counts"
	if len(notes) != 1 || notes[0].String() != want {
		t.Errorf("%v, want %s", notes, want)
	}
}
