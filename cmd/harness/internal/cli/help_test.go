package cli

import (
	"strings"
	"testing"
)

// TestFlagsOfPlugins: they stand in the help of commands that start plugins, and mean something there alone.
func TestFlagsOfPlugins(t *testing.T) {
	for command, has := range map[string]bool{
		"run": true, "audit verify": true, "dataset convert": true, "submission run": true, "trust": true, "tune": true,
		"submission check": false, "submission": false, "compare": false, "report": false, "new backend": false,
		"version": false,
	} {
		s := newShell(t)
		s.want(0, s.run(append(strings.Fields(command), "--help")...))
		if got := strings.Contains(s.stdout.String(), "--plugin-dir"); got != has {
			t.Errorf("%s --help names --plugin-dir: %v, want %v", command, got, has)
		}
	}
	for _, command := range []string{"submission check DIR", "compare DIR DIR", "report DIR", "version", "submission"} {
		s := newShell(t)
		args := append([]string{"--plugin-dir", s.dir, "--limit", "files=9"}, strings.Fields(command)...)
		s.want(2, s.run(args...), "--plugin-dir: harness "+strings.TrimRight(command, " DIR"), "starts no plugin",
			"--limit: ")
	}
	s := newShell(t)
	if s.want(0, s.run("--help")); !strings.Contains(s.stdout.String(), "--plugin-dir") {
		t.Error("the root's help does not name the flags that all runs take")
	}
}
