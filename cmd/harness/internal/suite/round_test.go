package suite

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf/mlconftest"
	"github.com/plumbline-ml/plumbline/sdk"
)

// model is one of a plugin.
func model(name, rulesKey, loadGenKey string, scenarios ...loadgen.Scenario) sdk.ModelInfo {
	return sdk.ModelInfo{Name: name, RulesKey: rulesKey, LoadGenKey: loadGenKey, Scenarios: scenarios}
}

// someModels have what makes a choice hard: a second network of a benchmark, a share of accuracy that has no model of
// its own, a benchmark in two scenarios' models, a name that meant another data set, a stand-in.
func someModels() []sdk.ModelInfo {
	single, multi, server, offline := loadgen.SingleStream, loadgen.MultiStream, loadgen.Server, loadgen.Offline
	agent := model("qwen3.6-27b", "qwen3.6-27b", "qwen3.6-27b", single)
	agent.Files = []sdk.ModelFile{{Embedded: true, Note: "stand-in: scripted server. No model"}}
	thinker := model("deepseek-r1", "deepseek-r1", "deepseek-r1", server, offline)
	thinker.Params = []sdk.ParamInfo{{Name: "temperature"}}
	return []sdk.ModelInfo{
		model("resnet50", "resnet", "resnet50", single, multi, server, offline),
		model("mobilenet", "resnet", "mobilenet", single, multi, server, offline),
		model("3d-unet", "3d-unet-99", "3d-unet", single, offline),
		model("3d-unet-brats", "3d-unet-brats-99", "3d-unet", single, offline),
		model("retinanet", "retinanet", "retinanet", single, multi, server, offline),
		model("ssd-resnet34", "ssd-resnet34", "ssd-resnet34", single, multi, server, offline),
		model("llama2-70b", "llama2-70b-99.9", "llama2-70b", server, offline),
		model("llama2-70b-interactive", "llama2-70b-99.9", "llama2-70b-interactive", server),
		model("bert-99", "bert-99", "bert", single, server, offline),
		model("bert-99.9", "bert-99.9", "bert", single, server, offline), thinker, agent,
	}
}

// chosen writes the models of each benchmark and the scenarios of each model.
func chosen(s Suite) string {
	var b strings.Builder
	for _, m := range s.Benchmarks {
		if m.Left == "" {
			fmt.Fprintf(&b, "%s: %s; ", m.Name, strings.Join(m.Models, " "))
		}
	}
	for _, j := range s.Jobs {
		fmt.Fprintf(&b, "%s", j.Folder)
		for _, f := range j.Flags {
			if f.Name == scenarioFlag {
				fmt.Fprintf(&b, " %s", f.Value)
			}
		}
		b.WriteString("; ")
	}
	return b.String()
}

func TestOfRound(t *testing.T) {
	for name, want := range map[string]string{
		"v0.5": "mobilenet: mobilenet; resnet: resnet50; ssd-resnet34: ssd-resnet34; " +
			"mobilenet SingleStream MultiStream Server Offline; resnet50 SingleStream MultiStream Server Offline; " +
			"ssd-resnet34 SingleStream MultiStream Server Offline; ",
		"v1.1": "3d-unet-99: 3d-unet-brats; 3d-unet-99.9: 3d-unet-brats; bert-99: bert-99; bert-99.9: bert-99.9; " +
			"resnet: resnet50; ssd-resnet34: ssd-resnet34; 3d-unet-brats SingleStream Offline; " +
			"bert-99 SingleStream Offline Server; bert-99.9 Offline Server; " +
			"resnet50 SingleStream Offline Server; ssd-resnet34 SingleStream Offline Server; ",
		"v5.0": "3d-unet-99: 3d-unet; 3d-unet-99.9: 3d-unet; bert-99: bert-99; bert-99.9: bert-99.9; " +
			"llama2-70b-99: llama2-70b; llama2-70b-99.9: llama2-70b; llama2-70b-interactive-99: llama2-70b-interactive; " +
			"llama2-70b-interactive-99.9: llama2-70b-interactive; resnet: resnet50; retinanet: retinanet; " +
			"3d-unet SingleStream Offline; bert-99 SingleStream Offline; bert-99.9 SingleStream Offline; " +
			"llama2-70b Server Offline; llama2-70b-interactive Server; " +
			"resnet50 SingleStream MultiStream Offline Server; retinanet SingleStream MultiStream Offline Server; ",
		"v6.1": "3d-unet-99: 3d-unet; 3d-unet-99.9: 3d-unet; bert-99: bert-99; bert-99.9: bert-99.9; " +
			"deepseek-r1: deepseek-r1; llama2-70b-99.9: llama2-70b llama2-70b-interactive; qwen3.6-27b: qwen3.6-27b; " +
			"resnet: resnet50; 3d-unet SingleStream Offline; bert-99 SingleStream Offline; " +
			"bert-99.9 SingleStream Offline; deepseek-r1 Offline Server; llama2-70b Offline Server; " +
			"llama2-70b-interactive Server; qwen3.6-27b SingleStream; resnet50 SingleStream MultiStream Offline Server; ",
	} {
		rules, err := mlconf.Round(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewRoundSuite(rules, RoundModels{All: someModels()}, nil)
		if got := chosen(s); err != nil || got != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, want)
		}
		if len(s.Benchmarks) != len(rules.Models()) {
			t.Errorf("%s: %d benchmarks of %d", name, len(s.Benchmarks), len(rules.Models()))
		}
	}
}

// TestOfEachRound: in every round, a new one too, each benchmark is run or said why not, and the round is a flag.
func TestOfEachRound(t *testing.T) {
	of := func(t *testing.T, name string) string {
		t.Helper()
		rules, err := mlconf.Round(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewRoundSuite(rules, RoundModels{All: someModels()}, []Flag{{"note", "x"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range s.Benchmarks {
			if (b.Left == "") != (len(b.Models) > 0) {
				t.Errorf("%s: %s has models %v, and is left out: %q", name, b.Name, b.Models, b.Left)
			}
		}
		for _, j := range s.Jobs {
			if j.Flags[0] != (Flag{"rules", rules.Name}) || j.Flags[1] != (Flag{"note", "x"}) {
				t.Errorf("%s: %v has the flags %v", name, j, j.Flags)
			}
		}
		return chosen(s)
	}
	for _, name := range mlconf.Rounds() {
		of(t, name)
	}
	mlconftest.SameInNewRounds(t, of)
}

func TestOfRoundWithFlags(t *testing.T) {
	rules, err := mlconf.Round("v6.1")
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewRoundSuite(rules, RoundModels{All: someModels()}, []Flag{{"scenario", "multistream"}, {"scenario",
		"Interactive"}})
	want := "llama2-70b-99.9: llama2-70b-interactive; resnet: resnet50; llama2-70b-interactive Server; " +
		"resnet50 MultiStream; "
	if got := chosen(s); err != nil || got != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	find := func(s Suite, name string) string {
		for _, b := range s.Benchmarks {
			if b.Name == name {
				return fmt.Sprintf("%q %q", b.StandIn, b.Left)
			}
		}
		return "none"
	}
	if got := find(s, "bert-99"); got !=
		`"" "not in MultiStream, Interactive, the round has it in SingleStream, Offline"` {
		t.Error(got)
	}
	if got := find(s, "rgat"); got != `"" "not in this build, no plugin here has it"` {
		t.Error(got)
	}
	s, err = NewRoundSuite(rules, RoundModels{All: someModels()}, []Flag{{"param", "temperature=1"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := find(s, "qwen3.6-27b"); got != `"stand-in: scripted server" ""` {
		t.Error(got)
	}
	for _, j := range s.Jobs {
		if has := strings.Contains(fmt.Sprint(j.Flags), "temperature=1"); has != (j.Model == "deepseek-r1") {
			t.Errorf("%v has the flags %v", j, j.Flags)
		}
	}
	s, err = NewRoundSuite(rules, RoundModels{All: someModels()}, []Flag{{"backend", "openai"}})
	if got := find(s, "qwen3.6-27b"); err != nil || got != `"" ""` {
		t.Error(err, got)
	}
	models := RoundModels{All: someModels(), Missing: "left out by --plugin mine"}
	s, err = NewRoundSuite(rules, models, nil)
	if got := find(s, "rgat"); err != nil || got != `"" "left out by --plugin mine"` {
		t.Error(err, got)
	}
	for _, wrong := range []Flag{{"scenario", "Severe"}, {"param", "nothing=1"}} {
		if _, err := NewRoundSuite(rules, RoundModels{All: someModels()}, []Flag{wrong}); err == nil {
			t.Errorf("%v is accepted", wrong)
		}
	}
}
