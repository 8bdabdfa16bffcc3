package results_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/standing"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/treetest"
)

// TestRank ranks a run of the harness among made-up results of two rounds, in every form.
func TestRank(t *testing.T) {
	s := clitest.New(t)
	s.Want(0, s.Run("run", "resnet50", "--scenario", "Offline", "--out", s.Out()))
	newer, _ := published(t, "v6.1")
	older, system := published(t, "v5.1")
	s.Want(0, s.Run("rank", s.Out(), newer, older), "resnet Offline, closed division", "place 1 of 5, among 4 published",
		"a rehearsal", "settings: smoke", "model: a small one of this program's own", "data: ", "v5.1", "v6.1",
		"> your run", "left out: 2 results of the division open", "not an MLPerf result")
	s.Want(0, s.Run("rank", s.Out(), older, "--division", "all", "--scenario", "offline"), "of 4, among 3 published")
	page, table := filepath.Join(t.TempDir(), "page.html"), filepath.Join(t.TempDir(), "rank.csv")
	s.Want(0, s.Run("rank", s.Out(), newer, older, "--json", "--html", page, "--csv", table))
	var r standing.RankingReport
	if err := json.Unmarshal([]byte(s.Stdout.String()), &r); err != nil || len(r.Rankings) != 1 ||
		len(r.Rankings[0].Entries) != 5 || len(r.Trees) != 2 || r.Rankings[0].Own[0].Result.Unit != "Samples/s" {
		t.Errorf("%v: %s", err, s.Stdout.String())
	}
	for file, want := range map[string]string{
		page: "Your run among published results", table: "benchmark,scenario,place",
	} {
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, want %q", file, err, want)
		}
	}
	s.Want(6, s.Run("rank", s.Out(), newer, "--per", "accelerator"), "left out: 2 results without accelerators")
	// a system of one round among the results of another, and a submission in its own tree
	s.Want(0, s.Run("rank", system, newer, "--benchmark", "resnet50"), "resnet MultiStream", "a result in a tree of v5.1")
	s.Want(6, s.Run("rank", system, older, "--benchmark", "3d-unet-99", "--scenario", "SingleStream"),
		"no run to rank", "by the checker of round v5.1", "DICE is 0.10000, want at least")
}

// TestRankRefuses says in one line what is missing or wrong.
func TestRankRefuses(t *testing.T) {
	s := clitest.New(t)
	tree, _ := published(t, "v6.1")
	s.Want(0, s.Run("run", "resnet50", "--scenario", "Offline", "--mode", "accuracy", "--out", s.Out("accuracy")))
	s.Want(6, s.Run("rank", s.Out("accuracy"), tree), "no run to rank", "runs of kind accuracy")
	s.Want(6, s.Run("rank", s.Out("none"), tree), "none")
	s.Want(6, s.Run("rank", t.TempDir(), tree), "neither result.json nor mlperf_log_detail.txt")
	s.Want(2, s.Run("rank", tree), "want the folder of a run and at least one of published results")
	s.Want(0, s.Run("run", "resnet50", "--scenario", "Server", "--mode", "performance", "--out", s.Out("server")))
	s.Want(6, s.Run("rank", s.Out("server"), tree), "no published result of resnet in Server")
	s.Want(2, s.Run("rank", s.Out("server"), t.TempDir()), "want closed, network or open there")
	s.Want(2, s.Run("rank", s.Out("server"), tree, "--benchmark", "bert-99"), "there are runs of resnet Server")
	s.Want(2, s.Run("rank", s.Out("server"), tree, "--division", "close"), `did you mean "closed"`)
	s.Want(2, s.Run("rank", s.Out("server"), tree, "--per", "gpu"), "want accelerator, node or watt")
	s.Want(2, s.Run("rank", s.Out("server"), tree, "--scenario", "Serve"), `did you mean "Server"`)
	s.Want(2, s.Run("rank", s.Out("server"), tree, "--nodes", "-1"), "--nodes")
}

// TestRankOfAnInvalidRun: it has no place, and the reason is said.
func TestRankOfAnInvalidRun(t *testing.T) {
	s := clitest.New(t)
	tree := t.TempDir()
	treetest.Write(t, tree, "v6.1", treetest.Result{Benchmark: "resnet50", Scenario: "Offline", Value: 1000})
	s.Want(3, s.Run("run", "resnet50", "--scenario", "Offline", "--mode", "performance", "--set", "max_query_count=1",
		"--set", "min_duration=60000", "--set", "max_duration=1", "--out", s.Out()))
	s.Want(0, s.Run("rank", s.Out(), tree), "no place among 1 published result", "the run is INVALID: ", "needed")
}
