package build

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/report"
)

// The profiles of runs under the rules' durations and counts.
const (
	officialProfile = "official"
	auditProfile    = "audit"
)

// reservation is a reason for which runs may not be submitted.
type reservation struct {
	what, flag, remedy string
	runs               []string // that have it and were not allowed to
}

// marks are why a run may not be submitted.
func (a *adding) marks(run report.Run, log string) []string {
	version, err := loadGenOf(log)
	if err != nil {
		a.faults = append(a.faults, err)
		return nil
	}
	var marks []string
	mark := func(is, allowed bool, r reservation) {
		switch {
		case is && !allowed:
			a.reserve(r, run)
		case is:
			marks = append(marks, r.what)
		}
	}
	mark(rehearsal(version), a.options.AllowRehearsal, reservation{
		what: "a rehearsal, driven by the LoadGen " + version, flag: "--allow-rehearsal",
		remedy: "run again with the official LoadGen",
	})
	mark(run.Mode == bench.ModePerformance && run.Profile != officialProfile && run.Profile != auditProfile,
		a.options.AllowSmoke, reservation{
			what: "settings of the profile " + run.Profile, flag: "--allow-smoke", remedy: "run again with --official",
		})
	mark(embedded(run), a.options.AllowEmbedded, reservation{
		what: "the plugin's embedded model or data", flag: "--allow-embedded",
		remedy: "run again with --model and --dataset",
	})
	return marks
}

// reserve notes a run that is not allowed.
func (a *adding) reserve(r reservation, run report.Run) {
	i := slices.IndexFunc(a.reserved, func(o reservation) bool { return o.what == r.what })
	if i < 0 {
		a.reserved = append(a.reserved, r)
		i = len(a.reserved) - 1
	}
	name := strings.TrimSpace(run.Model+"/"+run.Scenario+" "+run.Test) + " " + run.Mode
	a.reserved[i].runs = append(a.reserved[i].runs, name)
}

// err says which runs may not be submitted, and what to do.
func (r reservation) err() error {
	return fmt.Errorf("%s: %s cannot be submitted; %s, or take them all the same, marked, with %s", r.what,
		strings.Join(r.runs, ", "), r.remedy, r.flag)
}

// embedded says whether a run is of the plugin's own model, or of its own data.
func embedded(run report.Run) bool {
	return run.Workload != nil && (run.Workload.Embedded || run.Options.Dataset == "")
}
