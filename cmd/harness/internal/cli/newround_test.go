package cli_test

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf/mlconftest"
)

// TestNewRoundsAreInHelp: the commands that take a round list a new one first.
func TestNewRoundsAreInHelp(t *testing.T) {
	for _, command := range []string{"run", "submission check", "submission pack", "submission prepare",
		"submission report", "submission results", "submission build", "settings", "audit"} {
		t.Run(command, func(t *testing.T) {
			mlconftest.SameInNewRounds(t, func(t *testing.T, round string) string {
				t.Helper()
				s := clitest.New(t)
				s.Want(0, s.Run(append(strings.Fields(command), "--help")...), round)
				return "listed"
			})
		})
	}
}
