package mlconf_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf/mlconftest"
)

// TestANewRoundIsItsFile requires the same facts of rounds that are copies of the newest one's file under another name.
func TestANewRoundIsItsFile(t *testing.T) {
	mlconftest.SameInNewRounds(t, func(t *testing.T, round string) string {
		t.Helper()
		if newest := rules(t, ""); newest.Name != round {
			t.Errorf("the newest round is %s, want %s", newest.Name, round)
		}
		return facts(t, rules(t, round))
	})
	if !slices.Equal(mlconf.Rounds()[:2], []string{"v6.1", "v6.0"}) {
		t.Errorf("the rounds of the test are still there: %v", mlconf.Rounds())
	}
}

// facts returns all facts of the rules.
func facts(t *testing.T, r *mlconf.Rules) string {
	t.Helper()
	var b strings.Builder
	line := func(values ...any) { fmt.Fprintf(&b, "%+v\n", values) }
	layout, known := r.Layout()
	line(r.Seeds, r.LoadGenMajor(), layout, known, r.HasNameplate(), r.LogsInteractive(),
		r.AuditFeatures())
	for _, model := range append(r.Models(), "resnet50", "other") {
		files, has := r.AccuracyFiles(model)
		line(model, r.Canonical(model), r.Has(model), r.DeltaPercent(model, "acc"), r.PerformanceSampleCount(model),
			r.DatasetSize(model), r.Audits(model), r.OfflineSamples(model), r.UsesTokens(model), files, has)
		for _, kind := range []mlconf.SystemType{mlconf.Datacenter, mlconf.Edge, mlconf.DatacenterEdge} {
			line(model, kind, r.RequiredScenarios(model, kind), r.OptionalScenarios(model, kind), r.OneOf(model, kind))
		}
		for _, scenario := range []string{"SingleStream", "MultiStream", "Offline", "Server", "Interactive", "None"} {
			limits, limited := r.TokenLimits(model, scenario)
			metric, ok := r.Metric(model, scenario)
			line(model, scenario, r.Targets(model, scenario), r.AccuracySampleCount(model, scenario), r.Runs(scenario),
				r.LatencyLimit(model, scenario), r.MinQueries(model, scenario), limits, limited, metric, ok)
			settings, err := mlconf.Load(mlconf.Options{Model: r.LoadGenModel(model, scenario), Rules: r.Name})
			line(settings, err)
		}
	}
	return b.String()
}

// TestRoundsHaveVersions checks that rounds are ordered by their numbers.
func TestRoundsHaveVersions(t *testing.T) {
	var last [2]int
	for i, name := range slices.Backward(mlconf.Rounds()) {
		var v [2]int
		if _, err := fmt.Sscanf(name, "v%d.%d", &v[0], &v[1]); err != nil || slices.Compare(v[:], last[:]) <= 0 {
			t.Errorf("round %d is %q, after %v: %v", i, name, last, err)
		}
		last = v
	}
}

// TestNewRoundsAreDocumented requires all entries of the rounds' files in the table for authors of new rounds.
func TestNewRoundsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, round := range mlconf.Rounds() {
		text, err := os.ReadFile("internal/roundfiles/rules/" + round + ".json")
		var file map[string]json.RawMessage
		if err := errors.Join(err, json.Unmarshal(text, &file)); err != nil {
			t.Fatal(err)
		}
		for _, of := range []string{"features", "sections"} {
			var inner map[string]json.RawMessage
			if err := json.Unmarshal(file[of], &inner); file[of] != nil && err != nil {
				t.Fatal(err)
			}
			for key := range inner {
				file[of+"."+key] = nil
			}
			delete(file, of)
		}
		for key := range file {
			if !strings.Contains(string(page), "| "+key) && !strings.Contains(string(page), ", "+key+" |") {
				t.Errorf("%s has %q, which the table \"A new round\" of CONTRIBUTING.md does not", round, key)
			}
		}
	}
}
