package mlconf_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

func rules(t *testing.T, name string) *mlconf.Rules {
	t.Helper()
	r, err := mlconf.Round(name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRound(t *testing.T) {
	r := rules(t, "")
	if r.Name != "v6.1" || r.Seeds != (mlconf.Seeds{QSL: 2085463073848966840, SampleIndex: 2747215439041700203,
		Schedule: 16159082839903944936}) {
		t.Errorf("%s %+v", r.Name, r.Seeds)
	}
	if r.Canonical("resnet50") != "resnet" || r.Canonical("other") != "other" || !r.Has("mobilenet") || r.Has("other") {
		t.Error("aliases")
	}
	edge := []string{"SingleStream", "MultiStream", "Offline"}
	if got := r.RequiredScenarios("resnet50", mlconf.Edge); !slices.Equal(got, edge) {
		t.Errorf("required: %v", got)
	}
	if got := r.RequiredScenarios("resnet50", mlconf.Datacenter); got != nil {
		t.Errorf("required: %v, want none", got)
	}
	optional := []string{"Interactive", "Server"}
	if got := r.OptionalScenarios("llama3.1-8b", mlconf.Datacenter); !slices.Equal(got, optional) {
		t.Errorf("optional: %v", got)
	}
	if got := r.Targets("resnet50", ""); !slices.Equal(got, []mlconf.Target{{Metric: "acc", Value: 75.69539999999999}}) {
		t.Errorf("targets: %v", got)
	}
	fid := mlconf.Target{Metric: "FID_SCORE", Value: 23.95007626, Upper: true}
	if got := r.Targets("stable-diffusion-xl", "Server"); !slices.Contains(got, fid) || len(got) != 4 {
		t.Errorf("targets: %v", got)
	}
	f1 := []mlconf.Target{{Metric: "F1_HIERARCHICAL", Value: 0.7799219999999999}}
	if got := r.Targets("qwen3-vl-235b-a22b", "Interactive"); !slices.Equal(got, f1) {
		t.Errorf("targets: %v", got)
	}
	if p := r.DeltaPercent("stable-diffusion-xl", "FID_SCORE"); p != 2 {
		t.Errorf("delta %v", p)
	}
	if r.DeltaPercent("resnet", "acc") != 1 || r.DeltaPercent("bert-99.9", "F1") != 0.1 {
		t.Error("the usual deltas are not 1 and 0.1")
	}
	if r.PerformanceSampleCount("resnet50") != 1024 || r.DatasetSize("resnet50") != 50000 ||
		r.AccuracySampleCount("resnet50", "") != 50000 ||
		r.AccuracySampleCount("qwen3-vl-235b-a22b", "Interactive") != 8000 ||
		r.AccuracySampleCount("gpt-oss-120b", "Server") != 4395 {
		t.Error("counts")
	}
	if r.LatencyLimit("resnet50", "Server") != 15*time.Millisecond || r.LatencyLimit("resnet50", "Offline") != 0 {
		t.Error("latency limits")
	}
	if r.MinQueries("resnet50", "SingleStream") != 1024 || r.MinQueries("resnet50", "Server") != 270336 {
		t.Error("minimum queries")
	}
	if got := r.Audits("resnet50"); !slices.Equal(got, []string{"TEST01", "TEST04"}) {
		t.Errorf("audits %v", got)
	}
}

// TestRoundsAreWhole checks that each embedded round contains the facts that every model must have.
func TestRoundsAreWhole(t *testing.T) {
	for _, name := range mlconf.Rounds() {
		r := rules(t, name)
		least, small := map[string]int{
			"v0.5": 5, "v0.7": 10, "v1.0": 10, "v1.1": 10, "v2.0": 10, "v2.1": 9, "v3.0": 9, "v3.1": 13, "v4.0": 14, "v4.1": 14,
		}[name]
		if !small {
			least = 15
		}
		if len(r.Models()) < least {
			t.Errorf("%s: %d models", name, len(r.Models()))
		}
		for _, m := range r.Models() {
			required, all := 0, 0
			for _, s := range []mlconf.SystemType{mlconf.Datacenter, mlconf.Edge, mlconf.DatacenterEdge} {
				required += len(r.RequiredScenarios(m, s))
				all += len(r.RequiredScenarios(m, s)) + len(r.OptionalScenarios(m, s))
			}
			if all == 0 || required == 0 && name != "v0.5" {
				t.Errorf("%s %s: %d required of %d scenarios", name, m, required, all)
			}
			if len(r.Targets(m, "")) == 0 {
				t.Errorf("%s %s: no targets", name, m)
			}
		}
	}
}

func TestRoundKeepsItsLists(t *testing.T) {
	r := rules(t, "v5.0")
	r.RequiredScenarios("resnet", mlconf.Edge)[0] = "changed"
	r.Audits("resnet")[0] = "changed"
	if r.RequiredScenarios("resnet", mlconf.Edge)[0] != "SingleStream" || r.Audits("resnet")[0] != "TEST01" {
		t.Error("a caller can change the rules")
	}
}

func TestScenariosOfSystemTypes(t *testing.T) {
	rules := rules(t, "v6.1")
	for _, c := range []struct{ model, system, has, oneOf string }{
		{"resnet50", "edge", "SingleStream MultiStream Offline", ""},
		{"resnet", "datacenter", "", ""},
		{"resnet", "edge, datacenter", "SingleStream MultiStream Offline Server", ""},
		{"llama3.1-8b", "datacenter", "Offline Interactive Server", "Server Interactive"},
		{"llama3.1-8b", "edge", "", ""},
	} {
		kind, err := mlconf.ParseSystemType(c.system)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(rules.Scenarios(c.model, kind), " "); got != c.has {
			t.Errorf("%s, %v: %s, want %s", c.model, kind, got, c.has)
		}
		if got := strings.Join(rules.OneOf(c.model, kind), " "); got != c.oneOf {
			t.Errorf("%s, %v: one of %s, want %s", c.model, kind, got, c.oneOf)
		}
	}
	if got := strings.Join(rules.ModelsFor(mlconf.Edge), " "); !strings.HasPrefix(got, "3d-unet-99 ") ||
		strings.Contains(got, "rgat") {
		t.Errorf("models of edge systems: %s", got)
	}
	if _, err := mlconf.ParseSystemType("tiny"); err == nil || !strings.Contains(err.Error(), `"tiny"`) {
		t.Errorf("an unknown type: %v", err)
	}
	if got := mlconf.DatacenterEdge.String(); got != "datacenter,edge" {
		t.Errorf("%s", got)
	}
}

// TestAModelOfOldRoundsHasNoDefaultsOfItsSuccessor checks 3d-unet, which meant BraTS up to v1.1 and means KiTS19 since.
func TestAModelOfOldRoundsHasNoDefaultsOfItsSuccessor(t *testing.T) {
	load := func(rules, model string) mlconf.Settings {
		t.Helper()
		s, err := mlconf.Load(mlconf.Options{Rules: rules, Model: "3d-unet", RulesModel: model, Scenario: loadgen.Offline})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, rules := range mlconf.Rounds() {
		round, err := mlconf.Round(rules)
		if err != nil {
			t.Fatal(err)
		}
		brats, kits := load(rules, "3d-unet-brats-99"), load(rules, "3d-unet-99")
		switch old := round.Has("3d-unet-brats-99"); {
		case old && (brats.PerformanceSampleCountOverride != 16 || brats.SampleConcatenatePermutation ||
			round.Canonical("3d-unet-brats-99.9") != "3d-unet-99.9" || round.Targets("3d-unet-brats-99", "")[0].Value > 0.8445):
			t.Errorf("%s has %d samples in memory, concatenates: %t", rules, brats.PerformanceSampleCountOverride,
				brats.SampleConcatenatePermutation)
		case !old && brats.SampleConcatenatePermutation:
			t.Errorf("%s concatenates samples of BraTS", rules)
		case !old && round.Has("3d-unet-99") && !kits.SampleConcatenatePermutation:
			t.Errorf("%s does not concatenate samples of KiTS19", rules)
		}
	}
	if s := load("", "3d-unet-brats-99"); s.MinQueryCount == 43 {
		t.Error("the newest rules have 43 samples of BraTS")
	}
	if mlconf.Family("3d-unet-99.9") != "3d-unet" || mlconf.Family("yolo-95") != "yolo" ||
		mlconf.Family("rnnt") != "rnnt" {
		t.Error("families of models")
	}
}

// TestRoundOfSeed checks that every round is identified by its seed.
func TestRoundOfSeed(t *testing.T) {
	for _, name := range mlconf.Rounds() {
		r, err := mlconf.Round(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := mlconf.RoundOfSeed(r.Seeds.QSL); got != name {
			t.Errorf("the seed of %s is one of %q", name, got)
		}
	}
	if got := mlconf.RoundOfSeed(12); got != "" {
		t.Errorf("12 is a seed of %s", got)
	}
}
