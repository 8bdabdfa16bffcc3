package cli_test

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/clitest"
)

// TestFlagsOfPlugins: they stand in the help of commands that start plugins, and mean something there alone.
func TestFlagsOfPlugins(t *testing.T) {
	for command, has := range map[string]bool{
		"run": true, "audit verify": true, "dataset convert": true, "submission run": true, "trust": true, "tune": true,
		"submission check": false, "submission": false, "compare": false, "report": false, "new backend": false,
		"version": false,
	} {
		s := clitest.New(t)
		s.Want(0, s.Run(append(strings.Fields(command), "--help")...))
		if got := strings.Contains(s.Stdout.String(), "--plugin-dir"); got != has {
			t.Errorf("%s --help names --plugin-dir: %v, want %v", command, got, has)
		}
	}
	for _, command := range []string{"submission check DIR", "compare DIR DIR", "report DIR", "version", "submission"} {
		s := clitest.New(t)
		args := append([]string{"--plugin-dir", s.Dir, "--limit", "files=9"}, strings.Fields(command)...)
		s.Want(2, s.Run(args...), "--plugin-dir: harness "+strings.TrimRight(command, " DIR"), "starts no plugin",
			"--limit: ")
	}
	s := clitest.New(t)
	if s.Want(0, s.Run("--help")); !strings.Contains(s.Stdout.String(), "--plugin-dir") {
		t.Error("the root's help does not name the flags that all runs take")
	}
}
