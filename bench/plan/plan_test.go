package plan

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/discover"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/settings"
	"github.com/plumbline-ml/plumbline/internal/testkit/plugintest"
)

// cached provides files of a cache.
type cached map[string]string

func (c cached) Locate(_ sdk.ModelInfo, f sdk.ModelFile) (string, error) {
	if path := c[f.Name]; path != "" {
		return path, nil
	}
	return "", errors.New(f.Name + " is not fetched")
}

func served() discover.Served {
	d := plugintest.Description()
	return discover.Served{Entry: discover.Entry{Name: "resnet50", Path: "/p", Description: d}, Model: d.Models[0]}
}

// with returns the request with a finder of files.
func with(r Request, files Files) Request {
	r.Model.Finder = files
	return r
}

func planned(t *testing.T, r Request) *Plan {
	t.Helper()
	p, err := buildPlan(with(r, cached{"resnet50_v1.onnx": "/cache/resnet50_v1.onnx"}), served())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestModelFile(t *testing.T) {
	own := filepath.Join(t.TempDir(), "own.onnx")
	if err := os.WriteFile(own, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name     string
		request  Request
		file     string // name in the manifest
		path     string // path that the plugin receives
		embedded bool
		profile  settings.Profile
	}{
		{"nothing", Request{}, "embedded-fp32", "", true, settings.Smoke},
		{"official durations", Request{Rules: Rules{Official: true}}, "embedded-fp32", "", true, settings.Official},
		{"precision", Request{Model: Model{Precision: "int8"}}, "embedded-int8", "", true, settings.Smoke},
		{"embedded by name", Request{Model: Model{Files: []string{"embedded-int8"}}}, "embedded-int8",
			"embedded-int8", true, settings.Smoke},
		{"fetched", Request{Model: Model{Files: []string{"resnet50_v1.onnx"}}}, "resnet50_v1.onnx",
			"/cache/resnet50_v1.onnx", false, settings.Official},
		{"a user's own", Request{Model: Model{Files: []string{own}}}, "", own, false, settings.Official},
		{"a user's own for a look", Request{Model: Model{Files: []string{own}}, Rules: Rules{Smoke: true}}, "", own, false,
			settings.Smoke},
	}
	for _, c := range cases {
		p := planned(t, c.request)
		file := ""
		if p.File != nil {
			file = p.File.Name
		}
		if file != c.file || p.Options.ModelFile != c.path || p.Embedded != c.embedded || p.Profile != c.profile {
			t.Errorf("%s: file %q, path %q, embedded %v, %s; want %+v", c.name, file, p.Options.ModelFile,
				p.Embedded, p.Profile, c)
		}
	}
}

// An official file is taken from the cache or from the working directory.
func TestOfficialFileInTheWorkingDirectory(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	ask := Request{Model: Model{Files: []string{"resnet50_v1.onnx"}}}
	if _, err := buildPlan(with(ask, cached{}), served()); exitcode.Of(err) != exitcode.Data ||
		!strings.Contains(err.Error(), "or put it here, or give its path") {
		t.Errorf("nowhere: %v", err)
	}
	if err := os.WriteFile(ask.Model.Files[0], nil, 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := buildPlan(with(ask, cached{}), served())
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, ask.Model.Files[0]); p.Options.ModelFile != want || p.File == nil {
		t.Errorf("took %q as %+v, want %q as the official file", p.Options.ModelFile, p.File, want)
	}
	if p := planned(t, ask); p.Options.ModelFile != "/cache/resnet50_v1.onnx" {
		t.Errorf("took %q, want that of the cache", p.Options.ModelFile)
	}
}

func TestModelWithoutFiles(t *testing.T) {
	s := served()
	s.Model.Files = nil
	p, err := buildPlan(with(Request{}, cached{}), s)
	if err != nil || !p.Embedded {
		t.Errorf("a workload without files: %v, %v", p, err)
	}
}

func TestFaults(t *testing.T) {
	cases := []struct {
		name    string
		request Request
		code    exitcode.Code
		want    string
	}{
		{"model file", Request{Model: Model{Files: []string{"resnet50_v2.onnx"}}}, exitcode.Data,
			`did you mean "resnet50_v1.onnx"`},
		{"model path", Request{Model: Model{Files: []string{"/no/such.onnx"}}}, exitcode.Data, "no such file"},
		{"model is a device", Request{Model: Model{Files: []string{os.DevNull}}}, exitcode.Data, "not a regular file"},
		{"other precision", Request{Model: Model{Files: []string{"embedded-int8"}, Precision: "fp32"}}, exitcode.Usage,
			"embedded-int8 is int8"},
		{"precision", Request{Model: Model{Precision: "fp8"}}, exitcode.Usage, `unknown precision "fp8"`},
		{"backend", Request{Model: Model{Backend: "ortt"}}, exitcode.Usage, `did you mean "ort"`},
		{"backend option", Request{Model: Model{BackendOptions: []string{"threads"}}}, exitcode.Usage, "want key=value"},
		{"option given twice", Request{Model: Model{BackendOptions: []string{"a=1", "a=2"}}}, exitcode.Usage,
			`"a" is given twice`},
		{"option and shortcut", Request{Model: Model{BackendOptions: []string{"threads=1"}, Threads: 2}}, exitcode.Usage,
			"say the same"},
		{"library", Request{Model: Model{ORTLib: "/no/such.so"}}, exitcode.Data, "/no/such.so: no such file"},
		{"negative", Request{Model: Model{Batch: -1}}, exitcode.Usage, "--batch -1"},
		{"param", Request{Model: Model{Params: []string{"dtyp=x"}}}, exitcode.Usage, `did you mean "dtype"`},
		{"scenario", Request{Load: Load{Scenarios: []string{"Servr"}}}, exitcode.Usage, `did you mean "Server"`},
		{"Interactive", Request{Load: Load{Scenarios: []string{"Offline", "interactive"}}}, exitcode.Usage,
			"--scenario: rules v6.1 have no interactive of resnet50 (known: "},
		{"modes", Request{Load: Load{Mode: "performance,accuracy"}}, exitcode.Usage, `did you mean "submission"? It makes`},
		{"modes the other way", Request{Load: Load{Mode: "Accuracy + Performance"}}, exitcode.Usage,
			`did you mean "submission"?`},
		{"both modes", Request{Load: Load{Mode: "both"}}, exitcode.Usage, `did you mean "submission"?`},
		{"all modes", Request{Load: Load{Mode: "all"}}, exitcode.Usage, `did you mean "submission"?`},
		{"mode", Request{Load: Load{Mode: "accurcy"}}, exitcode.Usage, `did you mean "accuracy"`},
		{"mode that does not exist", Request{Load: Load{Mode: "peak"}}, exitcode.Usage,
			"known: performance, accuracy, submission, findpeak"},
		{"search beside other scenarios", Request{Load: Load{Mode: ModeFindPeak, Scenarios: []string{"all"}}}, exitcode.Usage,
			"give --scenario Server or --scenario MultiStream alone"},
		{"search in another scenario", Request{Load: Load{Mode: ModeFindPeak, Scenarios: []string{"Offline"}}},
			exitcode.Usage,
			"no other scenario, found Offline"},
		{"search for streams of a new round", Request{Load: Load{Mode: ModeFindPeak, Scenarios: []string{"MultiStream"}}},
			exitcode.Usage,
			"the rules v6.1 do not have: give --rules v0.5 to v1.1"},
		{"pace", Request{Load: Load{Pace: "precis"}}, exitcode.Usage,
			`--pace: unknown pace "precis"; did you mean "precise"`},
		{"audit settings", Request{Rules: Rules{Audit: "/no/such.config"}}, exitcode.Usage, "/no/such.config"},
		{"rules", Request{Rules: Rules{Round: "v0.1"}}, exitcode.Usage, "--rules"},
		{"data set", Request{Data: Data{Path: "/no/such"}}, exitcode.Data, "no such file or directory"},
		{"both profiles", Request{Rules: Rules{Official: true, Smoke: true}}, exitcode.Usage, "exclude each other"},
		{"setting", Request{Rules: Rules{Set: []string{"min_duration"}}}, exitcode.Usage, "want key=value"},
		{"setting's key", Request{Rules: Rules{Set: []string{"min_duratio=1"}}}, exitcode.Usage,
			`did you mean "min_duration"`},
	}
	for _, c := range cases {
		_, err := buildPlan(with(c.request, cached{}), served())
		if exitcode.Of(err) != c.code || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: code %d, %v; want %d, %q", c.name, exitcode.Of(err), err, c.code, c.want)
		}
	}
}

// TestInteractive checks that the error for a scenario of submissions names the model that runs it as Server.
func TestInteractive(t *testing.T) {
	for model, want := range map[string]string{
		"llama2-70b":             "another model: name llama2-70b-interactive, with --scenario Server",
		"llama3.1-8b":            "another model: name llama3.1-8b-interactive, with --scenario Server",
		"qwen3-vl-235b-a22b":     "another model: name qwen3-vl-235b-a22b-interactive, with --scenario Server",
		"llama2-70b-interactive": "llama2-70b-interactive runs Interactive as Server: give --scenario Server, or leave it",
		"whisper":                "have no Interactive of whisper (known: ",
	} {
		of := served()
		of.Model.Name, of.Model.LoadGenKey = model, model
		of.Model.RulesKey = map[string]string{"llama2-70b": "llama2-70b-99.9"}[model]
		if of.Model.RulesKey == "" {
			of.Model.RulesKey = strings.TrimSuffix(model, "-interactive")
		}
		_, err := buildPlan(with(Request{Load: Load{Scenarios: []string{"Interactive"}}}, cached{}), of)
		if exitcode.Of(err) != exitcode.Usage || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", model, err, want)
		}
	}
}

func TestAFaultOfAllScenariosIsSaidOnce(t *testing.T) {
	_, err := buildPlan(with(Request{Rules: Rules{Set: []string{"min_duration=soon"}}}, cached{}), served())
	if err == nil || strings.Count(err.Error(), "soon") != 1 {
		t.Errorf("got %v", err)
	}
}

func TestSettingsOfSomeScenarios(t *testing.T) {
	p := planned(t, Request{Rules: Rules{Set: []string{"target_qps=7"}}, Load: Load{Mode: ModePerformance}})
	if p.Runs[2].Settings.ServerTargetQPS != 7 || p.Runs[3].Settings.OfflineExpectedQPS != 7 {
		t.Error("target_qps does not reach Server and Offline")
	}
	_, err := buildPlan(with(Request{
		Rules: Rules{Set: []string{"target_qps=7"}},
		Load:  Load{Scenarios: []string{"SingleStream"}, Mode: ModePerformance},
	}, cached{}), served())
	if exitcode.Of(err) != exitcode.Usage || !strings.Contains(err.Error(), "means nothing in [SingleStream]") {
		t.Errorf("a setting that no run has: %v", err)
	}
}

func TestModelWithoutScenarios(t *testing.T) {
	s := served()
	s.Model.Scenarios = nil
	if _, err := buildPlan(with(Request{}, cached{}), s); exitcode.Of(err) != exitcode.Plugin {
		t.Errorf("a model without scenarios: %v", err)
	}
}

func TestRunDirectories(t *testing.T) {
	p := planned(t, Request{Load: Load{Scenarios: []string{"Server"}, Mode: ModeSubmission}})
	var got []string
	for _, r := range p.Runs {
		got = append(got, r.Dir+" "+r.ModeName()+" "+r.scenarioDir())
	}
	want := []string{"resnet50/Server/performance/run_1 performance resnet50/Server",
		"resnet50/Server/accuracy accuracy resnet50/Server"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if p.Runs[1].Settings.Mode != loadgen.AccuracyOnly {
		t.Errorf("the accuracy run's settings have mode %v", p.Runs[1].Settings.Mode)
	}
	if p.Rules != "v6.1" {
		t.Errorf("rules %q, want the newest round", p.Rules)
	}
}

// TestScenariosOfASystemType checks that scenarios that the round does not have for the type are omitted, unless they
// are named or the division is open.
func TestScenariosOfASystemType(t *testing.T) {
	for _, c := range []struct {
		request Request
		runs    int
		left    string
	}{
		{Request{Rules: Rules{SystemType: mlconf.Edge}}, 6,
			"Server: rules v6.1 have none of resnet for systems of type edge"},
		{Request{Rules: Rules{SystemType: mlconf.DatacenterEdge}}, 8, ""},
		{Request{Rules: Rules{SystemType: mlconf.Edge, Division: "open"}}, 8, ""},
		{Request{Rules: Rules{SystemType: mlconf.Edge}, Load: Load{Scenarios: []string{"Server"}}}, 2, ""},
		{Request{Rules: Rules{SystemType: mlconf.Edge}, Load: Load{Scenarios: []string{"all"}}}, 8, ""},
		{Request{Rules: Rules{SystemType: mlconf.Datacenter, Round: "v5.0"}}, 4,
			"SingleStream: rules v5.0 have none of resnet for systems of type datacenter; " +
				"MultiStream: rules v5.0 have none of resnet for systems of type datacenter"},
		{Request{}, 8, ""},
	} {
		c.request.Load.Mode = ModeSubmission
		p := planned(t, c.request)
		if len(p.Runs) != c.runs || strings.Join(p.Left, "; ") != c.left {
			t.Errorf("%+v: %d runs, left %q; want %d, %q", c.request, len(p.Runs), p.Left, c.runs, c.left)
		}
	}
	_, err := buildPlan(with(Request{Rules: Rules{SystemType: mlconf.Datacenter}, Load: Load{Mode: ModeSubmission}},
		cached{}),
		served())
	if exitcode.Of(err) != exitcode.Usage ||
		!strings.Contains(err.Error(), "have no resnet for systems of type datacenter") {
		t.Errorf("a model that is not for the type: %v", err)
	}
	s := served()
	s.Model.Scenarios = s.Model.Scenarios[:1]
	p, err := buildPlan(with(Request{Rules: Rules{SystemType: mlconf.Edge}, Load: Load{Mode: ModeSubmission}}, cached{}),
		s)
	if err != nil || len(p.Left) != 2 || !strings.HasPrefix(p.Left[1], "Offline: rules v6.1 ask for it of resnet") {
		t.Errorf("%v, left %q; want what the plugin does not run to be told", err, p.Left)
	}
}

func TestFindPeak(t *testing.T) {
	for _, scenarios := range [][]string{nil, {"server"}} {
		p := planned(t, Request{Load: Load{Mode: ModeFindPeak, Scenarios: scenarios, Pace: PacePrecise}})
		r := p.Runs[0]
		if len(p.Runs) != 1 || r.Mode != loadgen.FindPeakPerformance || r.Settings.Mode != r.Mode || p.Pace != PacePrecise ||
			r.Dir != "resnet50/Server/performance/findpeak" || r.ModeName() != ModeFindPeak {
			t.Errorf("%v: %+v", scenarios, p.Runs)
		}
	}
}

func TestFindStreams(t *testing.T) {
	for _, rules := range []string{"v0.5", "v0.7"} {
		p := planned(t, Request{Load: Load{Mode: ModeFindPeak, Scenarios: []string{"multistream"}},
			Rules: Rules{Round: rules}})
		r := p.Runs[0]
		if len(p.Runs) != 1 || !r.Streams || r.Mode != loadgen.PerformanceOnly ||
			r.Settings.MultiStreamArrivalInterval == 0 ||
			r.Dir != "resnet50/MultiStream/performance/findpeak" || r.ModeName() != ModeFindPeak {
			t.Errorf("%s: %+v", rules, p.Runs)
		}
	}
	p := planned(t, Request{Load: Load{Mode: ModePerformance, Scenarios: []string{"MultiStream"}},
		Rules: Rules{Round: "v0.5"}})
	if p.Runs[0].Streams || p.Runs[0].ModeName() != ModePerformance {
		t.Errorf("a run without a search: %+v", p.Runs)
	}
}

func TestAccuracyOnceWithoutOffline(t *testing.T) {
	s := served()
	s.Model.Scenarios = []loadgen.Scenario{loadgen.SingleStream, loadgen.Server}
	p, err := buildPlan(with(Request{Load: Load{Mode: ModeAccuracy}}, cached{}), s)
	if err != nil || len(p.Runs) != 1 || p.Runs[0].Scenario != loadgen.Server {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestLabel checks that a label is a single line, because it appears in tables and headings.
func TestLabel(t *testing.T) {
	for label, want := range map[string]string{
		"": "", "before the patch, größer <b>": "", strings.Repeat("x", 100): "",
		"two\nlines": "--label two\\nlines: it has a line break", "\x1b[31m": "control character",
		"\u202eneman": "control character", "\xff": "control character",
		strings.Repeat("x", 10_000): "10000 bytes, want at most 100",
	} {
		r := Request{}
		r.Output.Identity.Label = label
		p, err := buildPlan(r, served())
		switch {
		case want == "" && (err != nil || p.Request.Output.Identity.Label != label):
			t.Errorf("%q: %v", label, err)
		case want != "" && (exitcode.Of(err) != exitcode.Usage || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %q", label, err, want)
		}
	}
}
