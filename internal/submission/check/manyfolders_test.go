package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/check"
)

// TestRunFiledForManySystems: where every system has a copy of one run each is told of: with a warning where all
// descriptions are of one machine.
func TestRunFiledForManySystems(t *testing.T) {
	const systems = 40
	for _, alike := range []bool{true, false} {
		files := soundFiles()
		for i := range systems {
			name := fmt.Sprintf("box%d", i)
			for file, text := range soundFiles() {
				folder, within, ok := strings.Cut(file, "/box/")
				switch {
				case ok && strings.HasPrefix(file, sound):
					files[folder+"/"+name+"/"+within] = text
				case file == "closed/Lab/systems/box.json":
					if !alike {
						text = strings.Replace(text, `"cooling": "N/A"`, fmt.Sprintf(`"cooling": "fan %d"`, i), 1)
					}
					files["closed/Lab/systems/"+name+".json"] = text
				}
			}
		}
		root := t.TempDir()
		for name, text := range files {
			put(t, root, name, text)
		}
		found := 0
		want := map[bool]check.Severity{true: check.Warn, false: check.Reject}[alike]
		for _, f := range run(t, root).Findings {
			if f.Rule == "duplicates" && f.Severity == want && strings.HasPrefix(f.What, "the run is filed for another") {
				found++
			}
		}
		if found < systems {
			t.Errorf("machines alike: %v: %d findings, want one for each of %d systems", alike, found, systems)
		}
	}
}
