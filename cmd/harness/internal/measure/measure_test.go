package measure

import (
	"os"
	"strings"
	"testing"
)

// TestEveryMeasureIsDocumented in docs/live.md, once under each name.
func TestEveryMeasureIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/live.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range Table() {
		name := m.Prometheus()
		if seen[name] {
			t.Errorf("%s is there twice", name)
		}
		seen[name] = true
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("docs/live.md does not say what %s is", name)
		}
		for _, label := range m.LabelNames() {
			if !strings.Contains(string(text), "`"+label+"`") {
				t.Errorf("docs/live.md does not say what the label %s of %s is", label, name)
			}
		}
	}
}
