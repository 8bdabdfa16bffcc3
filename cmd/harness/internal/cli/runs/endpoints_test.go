package runs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/plugintest"
)

// videos is a plugin whose model has wan's entries for the form of the endpoints harness.
func videos() map[string]*plugintest.Fake {
	f := plugintest.Classifier()
	f.Description.Name, f.Description.Models = "wan", f.Description.Models[:1]
	m := &f.Description.Models[0]
	m.Name, m.LoadGenKey, m.RulesKey = "wan-2.2-t2v-a14b", "wan-2.2-t2v-a14b", "wan-2.2-t2v-a14b"
	m.Metrics = []sdk.MetricInfo{{Name: "vbench_score", Unit: "%", Target: 69.7752}, {Name: "videos", Unit: "%"}}
	m.Params = []sdk.ParamInfo{{Name: "form", Default: "endpoints"}}
	m.Endpoints = sdk.EndpointsForm{Params: map[string]string{"form": "endpoints"}, MaxTokens: 1}
	m.Smoke = []sdk.SmokeSetting{
		{Scenario: loadgen.SingleStream, Key: "min_query_count", Value: "100"},
		{Scenario: loadgen.SingleStream, Key: "target_latency", Value: "0.00005"},
		{Scenario: loadgen.Offline, Key: "min_query_count", Value: "100"},
	}
	f.Info.Model = m.Name
	f.Score.Metrics = []sdk.Metric{{Name: "vbench_score", Unit: "%", Value: 70.5}, {Name: "videos", Unit: "%", Value: 100}}
	f.Score.OfficialText = "{'vbench_score': 70.5}"
	return map[string]*plugintest.Fake{"wan": f}
}

// figures are numbers, with the blanks and the bars of histograms before them.
var figures = regexp.MustCompile(`[ #]*-?\d[\d.]*(e[+-]?\d+)?`)

// formFiles are the texts of all files below the folders of the form, by their paths.
func formFiles(t *testing.T, out string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(filepath.ToSlash(path), "/endpoints/") {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(out, path)
		files[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestRunOfTheLibraryWritesTheForm: a benchmark whose official form is the endpoints harness's has its files by
// bench.Run as by harness run: the same ones, with the same words. No two runs take the same time, so that figures are
// compared where they say what was asked and what it was worth.
func TestRunOfTheLibraryWritesTheForm(t *testing.T) {
	for form, scenarios := range map[string][]string{
		"form=endpoints": {"SingleStream", "Offline"}, "form=loadgen": {"Offline"},
	} {
		t.Run(form, func(t *testing.T) {
			s := clitest.NewWith(t, videos())
			args := []string{"run", "wan-2.2-t2v-a14b", "--smoke", "--mode", "submission", "--quiet", "--out", s.Out(),
				"--param", form, "--scenario", strings.Join(scenarios, ",")}
			s.Want(0, s.Run(args...))
			own := filepath.Join(t.TempDir(), "out")
			_, err := bench.Run(t.Context(), bench.Request{
				Plugins: bench.Plugins{Dirs: []string{s.Plugins}, Launcher: plugintest.New(s.Fakes)},
				Rules:   bench.Rules{Smoke: true},
				Model:   bench.Model{Name: "wan-2.2-t2v-a14b", Params: []string{form}},
				Output:  bench.Output{Dir: own, Harness: shell.Version()},
				Load:    bench.Load{Scenarios: scenarios, Mode: bench.ModeSubmission},
			})
			if err != nil {
				t.Fatal(err)
			}
			got, want := formFiles(t, own), formFiles(t, s.Out())
			if n := len(want); form == "form=loadgen" && n != 0 || form != "form=loadgen" && n != 7*len(scenarios) {
				t.Errorf("harness run has written %d files", n)
			}
			for name := range got {
				if _, there := want[name]; !there {
					t.Errorf("harness run writes no %s", name)
				}
			}
			for _, scenario := range scenarios {
				name := "wan-2.2-t2v-a14b/" + scenario + "/endpoints/accuracy/accuracy_results.json"
				if form == "form=endpoints" && !strings.Contains(got[name], `"score": 0.705`) {
					t.Errorf("%s:\n%s", name, got[name])
				}
			}
			for name, text := range want {
				other, there := got[name]
				exact := slices.Contains([]string{"config.yaml", "sample_idx_map.json"}, filepath.Base(name))
				if !exact {
					text, other = figures.ReplaceAllString(text, "N"), figures.ReplaceAllString(other, "N")
				}
				if !there || text != other {
					t.Errorf("%s is not as harness run writes it, there: %t\n%.2000s\nwant\n%.2000s", name, there, other, text)
				}
			}
		})
	}
}
