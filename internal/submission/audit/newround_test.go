package audit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf/mlconftest"
)

// TestNewRoundsHaveAudits configures every test for every model.
func TestNewRoundsHaveAudits(t *testing.T) {
	mlconftest.SameInNewRounds(t, func(t *testing.T, round string) string {
		t.Helper()
		rules, err := mlconf.Round(round)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, model := range append(rules.Models(), "other") {
			for _, test := range append(tree.AuditTests(), "TEST04-A", "TEST04-B") {
				c, err := ConfigOf(rules, test, model)
				fmt.Fprintln(&b, model, test, c.ConfigText(), c.Threshold, c.MinTokens, c.MaxTokens, err)
			}
		}
		return b.String()
	})
}
