package assemble

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/record"

	"github.com/plumbline-ml/plumbline/internal/submission/system"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

func kinds(results []Result) []string {
	var all []string
	for _, r := range results {
		all = append(all, r.String())
	}
	return all
}

// TestWhatTheTypeOfSystemDoesNotHave: an edge system's Server run is left out, even where it is INVALID, and so are its
// audits; in the open division it is taken.
func TestWhatTheTypeOfSystemDoesNotHave(t *testing.T) {
	invalid := func(r *record.Run) {
		if r.Performance != nil {
			r.Performance.Valid = false
		}
	}
	out := newOut(t).both("resnet", "Offline").both("resnet", "Server", invalid).audit("resnet", "Server", "TEST01",
		func(r *record.Run) { r.TestVerdict = record.TestFailed })
	w := workspace(t, InitOptions{System: "box"})
	added, err := w.Add([]string{out.dir}, AddOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"resnet/Server: rules v6.1 have none of resnet for systems of type edge"}; !slices.Equal(
		added.Skipped, want) || len(added.Results) != 2 {
		t.Errorf("took %q, left %q, want %q", kinds(added.Results), added.Skipped, want)
	}
	open := workspace(t, InitOptions{System: "box", Division: "open"})
	if _, err := open.Add([]string{out.dir}, AddOptions{}); err == nil || !strings.Contains(err.Error(), "INVALID") ||
		strings.Contains(err.Error(), "TEST01") {
		t.Errorf("the open division has every scenario, and no audits: %v", err)
	}
}

// TestATypeThatIsSaidLater: what was taken before the type was known is left out of the tree.
func TestATypeThatIsSaidLater(t *testing.T) {
	w := workspace(t, InitOptions{System: "box"})
	path := filepath.Join(w.Dir, w.systemFile("box"))
	sheet := text(t, path)
	put(t, path, strings.Replace(sheet, `"system_type": "edge"`, `"system_type": "FILL IN: edge or datacenter"`, 1))
	out := newOut(t).both("resnet", "Offline").both("resnet", "Server").both("resnet", "SingleStream")
	add(t, w, AddOptions{}, out)
	if len(w.Results) != 6 {
		t.Fatalf("without a type everything is taken: %q", kinds(w.Results))
	}
	put(t, path, sheet)
	p := plan(t, w, PlanOptions{})
	if len(p.LeftOut) != 2 ||
		!strings.HasPrefix(p.LeftOut[0], "closed/box/resnet/Server performance: rules v6.1 have none") ||
		slices.ContainsFunc(paths(p), func(name string) bool { return strings.Contains(name, "/Server/") }) {
		t.Errorf("left %q, files %q", p.LeftOut, paths(p))
	}
}

func TestOnlySomeScenarios(t *testing.T) {
	w := workspace(t, InitOptions{System: "box"})
	add(t, w, AddOptions{OnlyScenarios: []string{"offline"}}, newOut(t).both("resnet", "Offline").both("resnet",
		"SingleStream"))
	if got := kinds(w.Results); len(got) != 2 || got[0] != "closed/box/resnet/Offline performance" {
		t.Errorf("took %q", got)
	}
}

// TestWhereRunsLie: an output directory, one of its models, one of its scenarios, and a folder with several.
func TestWhereRunsLie(t *testing.T) {
	all := newOut(t).both("resnet", "Offline").both("bert-99", "Offline")
	several := t.TempDir()
	for _, model := range []string{"resnet", "bert-99"} {
		one := newOut(t).both(model, "Offline")
		if err := os.Rename(one.dir, filepath.Join(several, model)); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(several, "notes", "readme.txt"), "mine")
	for folder, want := range map[string]int{
		all.dir: 4, filepath.Join(all.dir, "bert-99"): 2, several: 4, filepath.Join(several, "resnet"): 2,
	} {
		w := workspace(t, InitOptions{System: "box"})
		added, err := w.Add([]string{folder}, AddOptions{})
		if err != nil || len(added.Results) != want {
			t.Errorf("%s: %v, took %v, want %d runs", folder, err, added, want)
			continue
		}
		if _, err := w.NewPlan(PlanOptions{}); err != nil {
			t.Error(err)
		}
	}
}

func TestRemove(t *testing.T) {
	w := workspace(t, InitOptions{System: "box"})
	add(t, w, AddOptions{}, newOut(t).both("resnet", "Offline").audit("resnet", "Offline", "TEST01").
		audit("resnet", "Offline", "TEST04").both("resnet", "SingleStream").both("bert-99", "Offline"))
	for _, step := range []struct {
		names []string
		left  int
		fault string
	}{
		{[]string{"resnet/Offline/TEST01"}, 7, ""},
		{[]string{"bert-99", "Server"}, 7, `"Server": no run is called so`},
		{[]string{"box/bert-99/"}, 5, ""},
		{[]string{"SingleStream", "TEST04"}, 2, ""},
		{[]string{"closed"}, 0, ""},
	} {
		_, err := w.Remove(step.names)
		if err != nil && (step.fault == "" || !strings.Contains(err.Error(), step.fault)) || err == nil && step.fault != "" {
			t.Errorf("%q: %v, want %q", step.names, err, step.fault)
		}
		again, err := OpenWorkspace(w.Dir)
		if err != nil || len(again.Results) != step.left {
			t.Errorf("%q: %v, %q are left, want %d", step.names, err, kinds(again.Results), step.left)
		}
	}
}

// TestDivisionsAndSystems: one workspace has several of both; each system's runs are of its division, unless add says
// another, and the tree has all.
func TestDivisionsAndSystems(t *testing.T) {
	w := workspace(t, InitOptions{System: "box"})
	known := map[string]string{}
	for _, f := range append(system.Fields(), system.NetworkFields()...) {
		if f.Name != "submitter" && f.Name != "division" && f.Name != "system_type" {
			known[f.Name] = "1"
		}
	}
	o := InitOptions{System: "rack", SystemType: "datacenter", Division: "network"}
	if _, err := InitWorkspace(w.Dir, o, known); err != nil {
		t.Fatal(err)
	}
	o.Division = "open"
	if _, err := InitWorkspace(w.Dir, o, known); err == nil || !strings.Contains(err.Error(), "found network") {
		t.Errorf("another division of a system: %v", err)
	}
	network := func(r *record.Run) { r.Division = "network" }
	add(t, w, AddOptions{System: "box"}, newOut(t).both("bert-99", "Offline"))
	free := AddOptions{System: "box", Division: "open", Benchmark: "tinybert"}
	add(t, w, free, newOut(t).both("bert-99", "SingleStream"))
	add(t, w, AddOptions{System: "rack"}, newOut(t).both("3d-unet-99", "Offline", network))
	w, err := OpenWorkspace(w.Dir)
	if err != nil {
		t.Fatal(err)
	}
	p := plan(t, w, PlanOptions{})
	for _, want := range []string{
		"closed/Lab/systems/box.json", "open/Lab/systems/box.json", "network/Lab/systems/rack.json",
		"closed/Lab/src/README.md", "open/Lab/src/README.md", "network/Lab/documentation/calibration.md",
		"open/Lab/model_mapping.json", "open/Lab/results/box/tinybert/SingleStream/user.conf",
		"network/Lab/results/rack/3d-unet-99/Offline/user.conf", "closed/Lab/results/box/bert-99/Offline/user.conf",
	} {
		if !slices.Contains(paths(p), want) {
			t.Errorf("no %s in %q", want, paths(p))
		}
	}
	for _, f := range p.Files {
		division, _, _ := strings.Cut(f.Path, "/")
		if strings.Contains(f.Path, "/systems/") && !strings.Contains(string(f.Text), `"division": "`+division+`"`) {
			t.Errorf("%s: %s", f.Path, f.Text)
		}
		if f.Path == "closed/Lab/src/README.md" && strings.Contains(string(f.Text), "3d-unet") {
			t.Errorf("the programs of another division: %s", f.Text)
		}
	}
	if len(p.Divisions) != 3 {
		t.Errorf("divisions %q", p.Divisions)
	}
	if _, err := w.Goal(""); err == nil || !strings.Contains(err.Error(), "--system-type") {
		t.Errorf("systems that are not alike: %v", err)
	}
	if g, err := w.Goal("rack"); err != nil || g.SystemType != "datacenter" || g.Division != "network" {
		t.Errorf("%+v, %v", g, err)
	}
}

// TestASystemInTwoDivisions: the fields of networks are in the network division's description alone.
func TestASystemInTwoDivisions(t *testing.T) {
	w := workspace(t, InitOptions{System: "rack", SystemType: "datacenter", Division: "network"})
	add(t, w, AddOptions{}, newOut(t).both("3d-unet-99", "Offline", func(r *record.Run) { r.Division = "network" }))
	add(t, w, AddOptions{Division: "closed"}, newOut(t).both("whisper", "Offline"))
	has := map[string]bool{}
	for _, f := range plan(t, w, PlanOptions{}).Files {
		if division, name, _ := strings.Cut(f.Path, "/"); name == "Lab/systems/rack.json" {
			has[division] = strings.Contains(string(f.Text), "network_protocol") &&
				strings.Contains(string(f.Text), `"is_network": "true"`)
		}
	}
	if len(has) != 2 || !has["network"] || has["closed"] {
		t.Errorf("the fields of networks: %v", has)
	}
}

// TestFieldsOfNetworksAreAskedFor: those that this machine, which is LoadGen's, does not know.
func TestFieldsOfNetworksAreAskedFor(t *testing.T) {
	machine := map[string]string{
		"nic_loadgen": "Ethernet", "number_nic_loadgen": "1", "net_software_stack_loadgen": "TCP/IP of Linux",
	}
	done, err := InitWorkspace(filepath.Join(t.TempDir(), "w"), InitOptions{Division: "network"}, machine)
	if err != nil {
		t.Fatal(err)
	}
	var open []string
	for _, f := range system.NetworkFields() {
		if slices.ContainsFunc(done.OpenFields, func(u Unfilled) bool { return u.Field == f.Name }) {
			open = append(open, f.Name)
		}
	}
	if len(open) != 9 || slices.Contains(open, "nic_loadgen") {
		t.Errorf("open are %q, want the nine that are not LoadGen's", open)
	}
}

// TestWhatIsToBeFilledInIsThere: every file that is named has the field, with what to write.
func TestWhatIsToBeFilledInIsThere(t *testing.T) {
	done, err := InitWorkspace(filepath.Join(t.TempDir(), "w"), InitOptions{SystemType: "edge"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := done.Workspace
	add(t, w, AddOptions{}, newOut(t).both("bert-99", "Offline"))
	open, err := w.OpenFields()
	if err != nil || len(open) == 0 {
		t.Fatalf("%v, %v", open, err)
	}
	for _, u := range open {
		if file := text(t, filepath.Join(w.Dir, u.File)); !strings.Contains(file, u.Field) ||
			!strings.Contains(file, system.FillIn) {
			t.Errorf("%v: %s", u, file)
		}
	}
}

func TestWhatThePlanSaysOfSources(t *testing.T) {
	w := workspace(t, InitOptions{System: "box"})
	official := func(r *record.Run) {
		r.Harness = record.Harness{Version: "v1.2.3", Commit: "0123abcd", Modified: true, Build: "go1 linux, tags official"}
		r.LoadGen = &record.LoadGen{Name: "official", Version: "6.0.17", SHA256: "beef", Unmodified: true}
	}
	add(t, w, AddOptions{}, newOut(t).both("bert-99", "Offline", official))
	p := plan(t, w, PlanOptions{})
	i := slices.IndexFunc(p.Files, func(f File) bool { return f.Path == "closed/Lab/src/README.md" })
	for _, want := range []string{
		"v1.2.3 0123abcd with changes, go1 linux, tags official",
		"official 6.0.17, sha256 of its sources beef, unmodified: true",
		"In a checkout of 0123abcd:\n\n    make build\n    make official-loadgen LOADGEN=DIR",
	} {
		if !strings.Contains(string(p.Files[i].Text), want) {
			t.Errorf("no %q in %s", want, p.Files[i].Text)
		}
	}
	if got := strings.Join(p.OptionalMissing, "\n"); len(p.OptionalMissing) != 2 ||
		!strings.Contains(got, "src is empty") ||
		!strings.Contains(got, "calibration.md") {
		t.Errorf("lacking: %s", got)
	}
	put(t, filepath.Join(w.Dir, SourceDir, "main.py"), "pass\n")
	put(t, filepath.Join(w.Dir, CalibrationFile), "none\n")
	if p := plan(t, w, PlanOptions{}); len(p.OptionalMissing) > 0 {
		t.Errorf("lacking: %q", p.OptionalMissing)
	}
	unknown := workspace(t, InitOptions{})
	add(t, unknown, AddOptions{}, newOut(t).both("bert-99", "Offline"))
	if got := strings.Join(plan(t, unknown, PlanOptions{}).OptionalMissing, ""); !strings.Contains(got,
		"the commit of the") {
		t.Errorf("lacking: %s", got)
	}
}

// TestTextsAboutPower: what the guidelines want beside a measurement of power.
func TestTextsAboutPower(t *testing.T) {
	w := workspace(t, InitOptions{System: "box"})
	out := newOut(t).both("bert-99", "Offline").both("resnet", "Offline")
	for _, name := range tree.PowerFiles() {
		out.write("bert-99/Offline/performance/power/"+name, "{}\n")
	}
	add(t, w, AddOptions{}, out)
	if got := plan(t, w, PlanOptions{}).OptionalMissing; !strings.Contains(strings.Join(got, "\n"),
		"box_power_settings.md") ||
		!strings.Contains(strings.Join(got, "\n"), "box_analyzer_table.md") {
		t.Errorf("lacking: %q", got)
	}
	put(t, filepath.Join(w.Dir, SystemsDir, "box_power_settings.md"), "balanced\n")
	put(t, filepath.Join(w.Dir, SystemsDir, "box_analyzer_table.txt"), "WT310\n")
	var got []string
	p := plan(t, w, PlanOptions{})
	for _, name := range paths(p) {
		if strings.Contains(name, "power_settings") || strings.Contains(name, "analyzer") {
			got = append(got, name)
		}
	}
	want := []string{"closed/Lab/results/box/bert-99/Offline/analyzer_table.txt",
		"closed/Lab/results/box/bert-99/Offline/power_settings.md"}
	if !slices.Equal(got, want) || strings.Contains(strings.Join(p.OptionalMissing, ""), "power") {
		t.Errorf("files %q, lacking %q", got, p.OptionalMissing)
	}
}

// TestTwoBuildsOfOneTree: the second waits for the first, and then finds its tree.
func TestTwoBuildsOfOneTree(t *testing.T) {
	to := filepath.Join(t.TempDir(), "tree")
	plans := make([]*Plan, 4)
	for i := range plans {
		w := workspace(t, InitOptions{System: "box"})
		add(t, w, AddOptions{}, newOut(t).both("bert-99", "Offline"))
		plans[i] = plan(t, w, PlanOptions{})
	}
	errs := make(chan error)
	for _, p := range plans {
		go func() {
			_, err := p.Write(t.Context(), to, false)
			errs <- err
		}()
	}
	made := 0
	for range plans {
		if err := <-errs; err == nil {
			made++
		} else if !strings.Contains(err.Error(), ErrExists.Error()) {
			t.Error(err)
		}
	}
	if made != 1 {
		t.Errorf("%d builds made the tree, want one", made)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(to), ".*")); len(left) != 1 {
		t.Errorf("left behind: %q, want the lock alone", left)
	}
}
