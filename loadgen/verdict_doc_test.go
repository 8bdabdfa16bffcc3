package loadgen

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestVerdictDoc requires every rule in docs/verdict.md.
func TestVerdictDoc(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "verdict.md"))
	if err != nil {
		t.Skipf("this checkout has no docs: %v", err)
	}
	for _, r := range Rules() {
		rule := r.Name
		if !strings.Contains(string(text), "| `"+rule+"`") && !strings.Contains(string(text), ", `"+rule+"` |") {
			t.Errorf("docs/verdict.md does not list the rule %s", rule)
		}
	}
	for _, official := range []string{textLatency, singleStream{}.durationText(), textStreams, "TTFT constrain not met",
		"TPOT constrain not met"} {
		if flat := strings.Join(strings.Fields(string(text)), " "); !strings.Contains(flat, official) {
			t.Errorf("docs/verdict.md does not quote %q", official)
		}
	}
}
