package runs

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestTurns(t *testing.T) {
	for want, got := range map[string][]sessionTurn{
		".":                           listTurns([]string{""}, 1),
		"1 2 3":                       listTurns([]string{""}, 3),
		"a b":                         listTurns([]string{"a", "b"}, 1),
		"a/1 b/1 b/2 a/2 a/3 b/3":     listTurns([]string{"a", "b"}, 3),
		"a/1 b/1 c/1 c/2 b/2 a/2 a/3": listTurns([]string{"a", "b", "c"}, 3)[:7],
	} {
		var dirs []string
		for _, t := range got {
			dirs = append(dirs, filepath.ToSlash(t.dir))
		}
		if strings.Join(dirs, " ") != want {
			t.Errorf("%v, want %s", dirs, want)
		}
	}
}
