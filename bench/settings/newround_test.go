package settings

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf/mlconftest"
)

// TestNewRoundsHaveSettings loads the settings of runs that deviate from the rules in one value.
func TestNewRoundsHaveSettings(t *testing.T) {
	mlconftest.SameInNewRounds(t, func(t *testing.T, round string) string {
		t.Helper()
		var b strings.Builder
		for _, profile := range []Profile{Smoke, Official} {
			for _, scenario := range loadgen.Scenarios() {
				r := request(profile)
				r.Rules, r.Scenario = round, scenario
				r.UserConf = userConf(t, "*.*.min_query_count = 7\n")
				s := load(t, r)
				fmt.Fprintf(&b, "%s %s %+v %q\n", profile, scenario, s.TestSettings, s.Deviations)
				for _, row := range s.Rows() {
					fmt.Fprintf(&b, "%+v\n", strings.ReplaceAll(fmt.Sprintf("%+v", row), r.UserConf, "user.conf"))
				}
			}
		}
		return b.String()
	})
}
