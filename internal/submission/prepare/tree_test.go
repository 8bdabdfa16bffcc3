package prepare_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/prepare"
	"github.com/plumbline-ml/plumbline/internal/testkit/treeops"
)

// lab is a small tree of one edge system: scenario folders by name, each with a log of the scenario given.
func lab(t *testing.T, division, benchmark, systemType string, logs map[string]string) (root string) {
	t.Helper()
	root = filepath.Join(t.TempDir(), "tree")
	put(t, root, division+"/Lab/systems/box.json", `{"system_type": "`+systemType+`"}`)
	for folder, scenario := range logs {
		put(t, root, division+"/Lab/results/box/"+benchmark+"/"+folder+"/performance/run_1/mlperf_log_detail.txt",
			`:::MLLOG {"key": "effective_scenario", "value": "`+scenario+`", "time_ms": 0.1, "namespace": "mlperf::logging", `+
				`"event_type": "POINT_IN_TIME", "metadata": {"is_error": false, "is_warning": false, "file": "x", "line_no": 1, `+
				`"pid": 1, "tid": 1}}`+"\n")
	}
	return root
}

func put(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func text(t *testing.T, root, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// folders are those of a benchmark, with the scenario of each one's log.
func folders(t *testing.T, root, benchmark string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, "*", "Lab", "results", "box", benchmark, "*"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, dir := range found {
		log := text(t, dir, "performance/run_1/mlperf_log_detail.txt")
		_, scenario, _ := strings.Cut(log, `"value": "`)
		scenario, _, _ = strings.Cut(scenario, `"`)
		all = append(all, filepath.Base(dir)+"<-"+scenario)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func TestTreeInfers(t *testing.T) {
	const ss, ms, of = "SingleStream", "MultiStream", "Offline"
	for name, c := range map[string]struct {
		division, benchmark, system string
		logs                        map[string]string
		want                        string
		missing                     int
	}{
		"two of one": {"closed", "resnet50", "edge", map[string]string{ss: ss},
			"MultiStream<-SingleStream Offline<-SingleStream SingleStream<-SingleStream", 0},
		"the better source": {"closed", "resnet50", "edge", map[string]string{ss: ss, ms: ms},
			"MultiStream<-MultiStream Offline<-MultiStream SingleStream<-SingleStream", 0},
		"an inferred source does not count": {"closed", "resnet50", "edge", map[string]string{ss: ss, ms: ss},
			"MultiStream<-SingleStream Offline<-SingleStream SingleStream<-SingleStream", 0},
		"lower case gets the rules' names": {"network", "resnet50", "edge",
			map[string]string{"singlestream": ss, "offline": of},
			"MultiStream<-SingleStream Offline<-Offline SingleStream<-SingleStream", 0},
		"never twice": {"closed", "resnet50", "edge", map[string]string{ss: ss, ms: ms, of: of},
			"MultiStream<-MultiStream Offline<-Offline SingleStream<-SingleStream", 0},
		"not in the datacenter": {"closed", "3d-unet-99", "datacenter", map[string]string{ss: ss},
			"SingleStream<-SingleStream", 1},
		"both types need Server": {"closed", "resnet50", "datacenter,edge", map[string]string{ss: ss},
			"MultiStream<-SingleStream Offline<-SingleStream SingleStream<-SingleStream", 1},
		"not in the open division": {"open", "resnet50", "edge", map[string]string{ss: ss},
			"SingleStream<-SingleStream", 0},
		"tokens are not inferred": {"closed", "llama3.1-8b-edge", "edge", map[string]string{ss: ss},
			"SingleStream<-SingleStream", 1},
	} {
		t.Run(name, func(t *testing.T) {
			root := lab(t, c.division, c.benchmark, c.system, c.logs)
			out := filepath.Join(t.TempDir(), "new")
			plan, err := prepare.CompleteTree(t.Context(), root, out, prepare.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := folders(t, out, c.benchmark); got != c.want || len(plan.Missing) != c.missing {
				t.Errorf("%s, missing %q; want %s and %d", got, plan.Missing, c.want, c.missing)
			}
			again, err := prepare.CompleteTree(t.Context(), out, out+"2", prepare.Options{})
			if err != nil || len(again.Steps) != 0 || folders(t, out+"2", c.benchmark) != c.want {
				t.Errorf("a second time: %+v, %v", again.Steps, err)
			}
		})
	}
}

func TestTreeCopiesTheLowAccuracy(t *testing.T) {
	root := lab(t, "closed", "bert-99.9", "edge", map[string]string{"SingleStream": "SingleStream"})
	put(t, root, "closed/Lab/src/bert-99.9/x.py", "x")
	out := filepath.Join(t.TempDir(), "new")
	plan, err := prepare.CompleteTree(t.Context(), root, out, prepare.Options{Submitter: "Lab"})
	if err != nil || len(plan.Steps) != 3 {
		t.Fatalf("%+v, %v", plan, err)
	}
	if got := folders(t, out, "bert-99"); got != "Offline<-SingleStream SingleStream<-SingleStream" {
		t.Errorf("bert-99: %s", got)
	}
	if text(t, out, "closed/Lab/src/bert-99/x.py") != "x" {
		t.Error("the programs are missing")
	}
}

// TestInterruptedTree ends a copy at each moment in which it could end: nothing is left of it.
func TestInterruptedTree(t *testing.T) {
	root := lab(t, "closed", "bert-99.9", "edge", map[string]string{"SingleStream": "SingleStream"})
	ends := 0
	for ; ; ends++ {
		dir := t.TempDir()
		_, err := prepare.CompleteTree(treeops.ContextEndingAfter(ends), root, filepath.Join(dir, "new"), prepare.Options{})
		if err == nil {
			break
		}
		if entries, _ := os.ReadDir(dir); !errors.Is(err, context.Canceled) || len(entries) > 0 {
			t.Fatalf("moment %d: %v, %v is left", ends, err, entries)
		}
	}
	if ends < 5 {
		t.Errorf("it can end at %d moments alone", ends)
	}
}

// Before v6.0 measurements and audits lie elsewhere.
func TestTreeOfV51(t *testing.T) {
	root := lab(t, "closed", "resnet50", "edge", map[string]string{"singlestream": "SingleStream"})
	for _, dir := range []string{"measurements", "compliance"} {
		put(t, root, "closed/Lab/"+dir+"/box/resnet50/singlestream/file", "x")
	}
	out := filepath.Join(t.TempDir(), "new")
	if _, err := prepare.CompleteTree(t.Context(), root, out, prepare.Options{Round: "v5.1"}); err != nil {
		t.Fatal(err)
	}
	for _, scenario := range []string{"SingleStream", "MultiStream", "Offline"} {
		for _, dir := range []string{"measurements", "compliance"} {
			if text(t, out, "closed/Lab/"+dir+"/box/resnet50/"+scenario+"/file") != "x" {
				t.Errorf("%s of %s", dir, scenario)
			}
		}
	}
}

func TestTreeReportsAllFaults(t *testing.T) {
	root := lab(t, "closed", "resnet50", "edge", map[string]string{"Offline": "Offline", "offline": "Offline"})
	put(t, root, "closed/Lab/results/nameless/resnet50/Offline/x", "x")
	put(t, root, "closed/Lab/results/odd/resnet50/Offline/x", "x")
	put(t, root, "closed/Lab/systems/odd.json", `{"system_type": "server"}`)
	put(t, root, "closed/Lab/systems/half.json", `{"system_type": "edge"`)
	put(t, root, "closed/Lab/results/half/resnet50/Offline/x", "x")
	put(t, root, "closed/Lab/systems/logless.json", `{"system_type": "edge"}`)
	put(t, root, "closed/Lab/results/logless/resnet50/Offline/x", "x")
	if err := os.Symlink("x", filepath.Join(root, "closed", "link")); err != nil {
		t.Skip(err)
	}
	out := filepath.Join(t.TempDir(), "new")
	_, err := prepare.CompleteTree(t.Context(), root, out, prepare.Options{})
	for _, want := range []string{"of one scenario", "nameless.json", `"server", want edge`, "half.json",
		"mlperf_log_detail.txt", "symbolic link"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(out), "*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestTreeRefusesPlaces(t *testing.T) {
	root := lab(t, "closed", "resnet50", "edge", map[string]string{"SingleStream": "SingleStream"})
	for out, want := range map[string]string{
		root: "is there already", filepath.Join(root, "new"): "is in the tree",
	} {
		_, err := prepare.CompleteTree(t.Context(), root, out, prepare.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", out, err)
		}
	}
	for o, want := range map[prepare.Options]string{{Submitter: "Lap"}: "Lab", {Round: "v9"}: "v9"} {
		out := filepath.Join(t.TempDir(), "new")
		if _, err := prepare.CompleteTree(t.Context(), root, out, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := prepare.CompleteTree(t.Context(), t.TempDir(), filepath.Join(t.TempDir(), "x"),
		prepare.Options{}); err == nil {
		t.Error("an empty folder was prepared")
	}
}
