package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench/settings"
	"github.com/plumbline-ml/plumbline/serving/arrival"
)

// maxUsers bounds the users of a closed loop.
const maxUsers = 100_000

// closedLoop is the one step of a closed loop, which LoadGen and its settings have no part in.
func (r Request) closedLoop(served []loadgen.Scenario) ([]runStep, error) {
	switch {
	case r.Load.Concurrency == 0:
		return nil, errors.New("--requests and --duration are of --concurrency; how long a scenario of LoadGen takes, its " +
			"settings say: --set min_query_count, --set min_duration")
	case r.Load.Concurrency < 1 || r.Load.Concurrency > maxUsers:
		return nil, fmt.Errorf("--concurrency %d: want the number of users, from 1 to %d", r.Load.Concurrency, maxUsers)
	case r.Load.Requests < 0 || r.Load.Requests > arrival.MostRequests:
		return nil, fmt.Errorf("--requests %d: want a number from 1 to %d", r.Load.Requests, arrival.MostRequests)
	case r.Load.Duration < 0 || r.Load.Duration > arrival.MostTime:
		return nil, fmt.Errorf("--duration %v: want a time above 0, up to %v", r.Load.Duration, arrival.MostTime)
	}
	var other []string
	for _, of := range []struct {
		flag  string
		given bool
	}{
		{"--scenario", len(r.Load.Scenarios) > 0}, {"--mode", r.Load.Mode != "" && r.Load.Mode != ModePerformance},
		{"--set", len(r.Rules.Set) > 0}, {"--user-conf", r.Rules.UserConf != ""},
		{"--audit", r.Rules.Audit != "" || r.Rules.Test.Name != ""},
		{"--loadgen " + LoadGenOfficial, r.Rules.LoadGen == LoadGenOfficial},
		{"--power", r.Power.Meter != "" || r.Power.Logs != ""},
		{"--export", len(r.Output.Exports) > 0}, {"--trace", r.Output.Trace}, {"--abort-early", r.Load.AbortEarly},
	} {
		if of.given {
			other = append(other, of.flag)
		}
	}
	if len(other) > 0 {
		return nil, fmt.Errorf("--concurrency and %s: a closed loop is no scenario of LoadGen, which has no part in it; "+
			"leave one of them out", strings.Join(other, ", "))
	}
	if !slices.Contains(served, loadgen.Server) {
		return nil, errors.New("--concurrency is for models that have the scenario Server")
	}
	return []runStep{{scenario: loadgen.Server, mode: loadgen.PerformanceOnly, users: r.Load.Concurrency}}, nil
}

// loops says why a run cannot be a closed loop.
func (p *Plan) loops(r Request, run Run) error {
	if run.Users == 0 || run.Replay {
		return nil
	}
	if !run.Settings.UseTokenLatencies {
		return fmt.Errorf("--concurrency is for benchmarks of language models, which tell of their tokens: %s does not",
			run.Model)
	}
	for _, o := range r.Model.BackendOptions {
		if key, value, _ := strings.Cut(o, "="); strings.TrimSpace(key) == "concurrency" {
			return fmt.Errorf("--concurrency %d and --backend-opt concurrency=%s: the first is how many users wait for "+
				"answers, the second a cap on the requests that the client has under way; leave the cap out", run.Users, value)
		}
	}
	return nil
}

// ClosedLoop is the load of a closed loop: as long as it was asked for, else a minute and a hundred requests, and under
// smoke settings four requests of each user.
func (p *Plan) ClosedLoop(run Run) arrival.Pattern {
	l := arrival.Pattern{
		Kind: arrival.Users, Users: run.Users, Requests: p.Request.Load.Requests, Duration: p.Request.Load.Duration,
		Seed: run.Settings.SampleIndexRNGSeed,
	}
	if run.Settings.Profile == settings.Smoke && l.Requests == 0 && l.Duration == 0 {
		l.Requests = 4 * run.Users
	}
	return l
}
