package evidence

import (
	"strings"
	"testing"
)

// FuzzCommand: a path is put in place of each mark, and no other brace is let through.
func FuzzCommand(f *testing.F) {
	f.Add("score {accuracy_log} {{x}}")
	f.Add("{'a': {accuracy_log}")
	f.Fuzz(func(t *testing.T, command string) {
		got, err := FillCommand(command, "PATH")
		if err == nil && strings.Contains(got, accuracyPlace) && !strings.Contains(command, "{{") {
			t.Errorf("%q: %q", command, got)
		}
	})
}
