package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench/compare"
	"github.com/plumbline-ml/plumbline/bench/record"
)

// twoBackends is a shell whose plugin has a second backend.
func twoBackends(t *testing.T) *shell {
	s := newShell(t)
	s.fakes["resnet50"].Description.Backends = []string{"ort", "process"}
	return s
}

func TestTurns(t *testing.T) {
	for want, got := range map[string][]turn{
		".":                           turns([]string{""}, 1),
		"1 2 3":                       turns([]string{""}, 3),
		"a b":                         turns([]string{"a", "b"}, 1),
		"a/1 b/1 b/2 a/2 a/3 b/3":     turns([]string{"a", "b"}, 3),
		"a/1 b/1 c/1 c/2 b/2 a/2 a/3": turns([]string{"a", "b", "c"}, 3)[:7],
	} {
		var dirs []string
		for _, t := range got {
			dirs = append(dirs, filepath.ToSlash(t.dir))
		}
		if strings.Join(dirs, " ") != want {
			t.Errorf("%v, want %s", dirs, want)
		}
	}
}

func TestBackendsInTurn(t *testing.T) {
	s := twoBackends(t)
	s.want(0, s.run("run", "resnet50", "--backend", "ort,process", "--repeat", "4", "--scenario", "Offline",
		"--out", s.out(), "--quiet",
		"--backend-opt", "threads=2", "--backend-opt", "process:command=a:b", "--fail-if", "result < -99%"),
		"ort, round 1 of 4\n", "process, round 4 of 4\n", "4 runs against 4", "Mann-Whitney", "logs and result.json in ")
	var backends []string
	accuracies := 0
	for _, o := range s.fakes["resnet50"].Opened() {
		if o.Scenario != loadgen.Offline {
			t.Errorf("scenario %v", o.Scenario)
		}
		backends = append(backends, o.Backend)
		if command := o.BackendOptions["command"]; (command == "a:b") != (o.Backend == "process") ||
			o.BackendOptions["threads"] != "2" {
			t.Errorf("%s has options %v", o.Backend, o.BackendOptions)
		}
	}
	// in the first round each one's accuracy is measured too
	want := []string{"ort", "ort", "process", "process", "process", "ort", "ort", "process", "process", "ort"}
	if !slices.Equal(backends, want) {
		t.Errorf("in turn: %v, want %v", backends, want)
	}
	for _, dir := range []string{"ort/1", "ort/4", "process/1", "process/4"} {
		for _, r := range s.result(dir).Runs {
			if r.Mode == "accuracy" {
				accuracies++
			}
		}
	}
	if accuracies != 2 {
		t.Errorf("%d accuracies, want one of each backend", accuracies)
	}
	s.want(0, s.run("compare", s.out("ort"), s.out("process")), "4 runs against 4")
}

func TestBackendsInTurnForPrograms(t *testing.T) {
	s := twoBackends(t)
	args := []string{"run", "resnet50", "--scenario", "Offline", "--mode", "performance", "--json", "--quiet"}
	s.want(3, s.run(append(args, "--backend", "ort,process", "--out", s.out("two"), "--fail-if", "result > -100%")...),
		"failed: result > -100%: resnet50 Offline performance")
	var two []compare.Comparison
	if err := json.Unmarshal([]byte(s.stdout.String()), &two); err != nil || len(two) != 1 {
		t.Errorf("%v in %s", err, s.stdout.String())
	}
	s.want(0, s.run(append(args, "--repeat", "2", "--out", s.out("one"))...))
	var one record.Document
	if err := json.Unmarshal([]byte(s.stdout.String()), &one); err != nil || len(one.Runs) != 2 {
		t.Errorf("%v in %s", err, s.stdout.String())
	}
	for _, dir := range []string{"two/ort", "two/process", "one/1", "one/2"} {
		if _, err := os.Stat(s.out(dir, "result.json")); err != nil {
			t.Error(err)
		}
	}
	t.Chdir(t.TempDir())
	for _, dir := range []string{"out", "out-2"} {
		s.want(0, s.run(append(args, "--repeat", "2")...))
		if _, err := os.Stat(filepath.Join(dir, "2", "result.json")); err != nil {
			t.Error(err)
		}
	}
}

func TestFaultsOfRounds(t *testing.T) {
	s := twoBackends(t)
	run := func(args ...string) int {
		return s.run(append([]string{"run", "resnet50", "--out", s.out()}, args...)...)
	}
	s.want(2, run("--repeat", "0"), "--repeat 0: want 1 or more")
	s.want(2, run("--backend", "ort,ort"), `"ort" is listed twice`)
	s.want(2, run("--backend", "ort,../x"), `"../x" is no backend's name`)
	s.want(2, run("--backend", "ort,"), `"" is no backend's name`)
	s.want(2, run("--backend", "ort,proces"), `proces: `, "process")
	s.want(2, run("--backend", "ort,process", "--fail-if", "p98 > 3ms"), `unknown metric "p98"`)
	s.want(2, run("--repeat", "2", "--fail-if", "p99 > +3%"), "so do runs of several backends")
	if n := len(s.fakes["resnet50"].Opened()); n != 0 {
		t.Errorf("%d workloads were opened", n)
	}
	s.want(0, run("--backend", "ort,process", "--repeat", "2", "--dry-run", "--scenario", "Offline"), "nothing is run")
	if _, err := os.Stat(s.out()); err == nil {
		t.Error("a dry run left a folder")
	}
	one := []string{"--backend", "ort,process", "--scenario", "Offline", "--mode", "performance", "--quiet"}
	s.want(0, run(one...))
	s.want(2, run(one...), "already holds results", "--force")
	s.want(0, run(append(one, "--force")...))
}

func TestAFailureEndsTheRounds(t *testing.T) {
	s := twoBackends(t)
	s.fakes["resnet50"].OpenErr = os.ErrNotExist
	s.want(6, s.run("run", "resnet50", "--repeat", "3", "--scenario", "Offline", "--out", s.out(), "--quiet"))
	if n := len(s.fakes["resnet50"].Opened()); n != 1 {
		t.Errorf("opened %d times, want once", n)
	}
}
