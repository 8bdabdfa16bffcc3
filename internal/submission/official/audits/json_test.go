package audits

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAccuracyLogsAreStreamed: they are read as JSON is defined, and not as Python takes it: words for numbers end the
// reading, and long numbers do not.
func TestAccuracyLogsAreStreamed(t *testing.T) {
	long := strings.Repeat("9", 5000)
	for number, dies := range map[string]bool{"1": false, "NaN": true, "-Infinity": true, long: false} {
		file := filepath.Join(t.TempDir(), "accuracy.json")
		text := `[{"seq_id": ` + number + `, "qsl_idx": 0, "data": "00"}]`
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		entries := 0
		err := eachEntry(file, func(encodedFields) error { entries++; return nil })
		if (err != nil) != dies || !dies && entries != 1 {
			t.Errorf("%.20s: %d entries, %v", number, entries, err)
		}
	}
}
