package runs_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/compare"
)

// twoBackends is a shell whose plugin has a second backend.
func twoBackends(t *testing.T) *clitest.Shell {
	s := clitest.New(t)
	s.Fakes["resnet50"].Description.Backends = []string{"ort", "process"}
	return s
}

func TestBackendsInTurn(t *testing.T) {
	s := twoBackends(t)
	s.Want(0, s.Run("run", "resnet50", "--backend", "ort,process", "--repeat", "4", "--scenario", "Offline",
		"--out", s.Out(), "--quiet",
		"--backend-opt", "threads=2", "--backend-opt", "process:command=a:b", "--fail-if", "result < -99%"),
		"ort, round 1 of 4\n", "process, round 4 of 4\n", "4 runs against 4", "Mann-Whitney", "logs and result.json in ")
	var backends []string
	accuracies := 0
	for _, o := range s.Fakes["resnet50"].Opened() {
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
		for _, r := range s.Result(dir).Runs {
			if r.Mode == "accuracy" {
				accuracies++
			}
		}
	}
	if accuracies != 2 {
		t.Errorf("%d accuracies, want one of each backend", accuracies)
	}
	s.Want(0, s.Run("compare", s.Out("ort"), s.Out("process")), "4 runs against 4")
}

func TestBackendsInTurnForPrograms(t *testing.T) {
	s := twoBackends(t)
	args := []string{"run", "resnet50", "--scenario", "Offline", "--mode", "performance", "--json", "--quiet"}
	s.Want(3, s.Run(append(args, "--backend", "ort,process", "--out", s.Out("two"), "--fail-if", "result > -100%")...),
		"failed: result > -100%: resnet50 Offline performance")
	var two []compare.Comparison
	if err := json.Unmarshal([]byte(s.Stdout.String()), &two); err != nil || len(two) != 1 {
		t.Errorf("%v in %s", err, s.Stdout.String())
	}
	s.Want(0, s.Run(append(args, "--repeat", "2", "--out", s.Out("one"))...))
	var one record.Document
	if err := json.Unmarshal([]byte(s.Stdout.String()), &one); err != nil || len(one.Runs) != 2 {
		t.Errorf("%v in %s", err, s.Stdout.String())
	}
	for _, dir := range []string{"two/ort", "two/process", "one/1", "one/2"} {
		if _, err := os.Stat(s.Out(dir, "result.json")); err != nil {
			t.Error(err)
		}
	}
	t.Chdir(t.TempDir())
	for _, dir := range []string{"out", "out-2"} {
		s.Want(0, s.Run(append(args, "--repeat", "2")...))
		if _, err := os.Stat(filepath.Join(dir, "2", "result.json")); err != nil {
			t.Error(err)
		}
	}
}

func TestFaultsOfRounds(t *testing.T) {
	s := twoBackends(t)
	run := func(args ...string) int {
		return s.Run(append([]string{"run", "resnet50", "--out", s.Out()}, args...)...)
	}
	s.Want(2, run("--repeat", "0"), "--repeat 0: want 1 or more")
	s.Want(2, run("--backend", "ort,ort"), `"ort" is listed twice`)
	s.Want(2, run("--backend", "ort,../x"), `"../x" is not a backend's name`)
	s.Want(2, run("--backend", "ort,"), `"" is not a backend's name`)
	s.Want(2, run("--backend", "ort,proces"), `proces: `, "process")
	s.Want(2, run("--backend", "ort,process", "--fail-if", "p98 > 3ms"), `unknown metric "p98"`)
	s.Want(2, run("--repeat", "2", "--fail-if", "p99 > +3%"), "or runs of several backends")
	if n := len(s.Fakes["resnet50"].Opened()); n != 0 {
		t.Errorf("%d workloads were opened", n)
	}
	s.Want(0, run("--backend", "ort,process", "--repeat", "2", "--dry-run", "--scenario", "Offline"), "nothing is run")
	if _, err := os.Stat(s.Out()); err == nil {
		t.Error("a dry run left a folder")
	}
	one := []string{"--backend", "ort,process", "--scenario", "Offline", "--mode", "performance", "--quiet"}
	s.Want(0, run(one...))
	s.Want(2, run(one...), "already holds results", "--force")
	s.Want(0, run(append(one, "--force")...))
}

func TestAFailureEndsTheRounds(t *testing.T) {
	s := twoBackends(t)
	s.Fakes["resnet50"].OpenErr = os.ErrNotExist
	s.Want(6, s.Run("run", "resnet50", "--repeat", "3", "--scenario", "Offline", "--out", s.Out(), "--quiet"))
	if n := len(s.Fakes["resnet50"].Opened()); n != 1 {
		t.Errorf("opened %d times, want once", n)
	}
}
