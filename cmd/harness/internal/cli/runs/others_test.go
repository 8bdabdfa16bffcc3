package runs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
)

// TestOtherProgramsAreNoted: a run says in its text, its page and its record that other programs used the processors,
// in every scenario; no verdict changes, and a comparison says it of its sides.
func TestOtherProgramsAreNoted(t *testing.T) {
	s := clitest.New(t)
	quiet := s.Out() + "-quiet"
	runs := []string{"run", "resnet50", "--scenario", "all", "--mode", "performance", "--out"}
	s.Want(0, s.Run(append(runs, quiet)...))
	s.Root = clitest.BusyMachine()
	const note = "other programs used 100 % of the processors during this run"
	s.Want(0, s.Run(append(runs, s.Out())...), "note: "+note)
	all := s.Result().Runs
	if len(all) != 4 {
		t.Fatalf("%d runs", len(all))
	}
	for _, r := range all {
		if r.OtherPrograms == nil || r.OtherPrograms.Share != 1 || r.Verdict != "VALID (smoke)" {
			t.Errorf("%s: %s, %+v", r.Scenario, r.Verdict, r.OtherPrograms)
		}
	}
	s.Want(0, s.Run("compare", quiet, s.Out()), "1 of the 1 run of "+s.Out()+": "+note)
	s.Want(0, s.Run("report", s.Out(), "--html", filepath.Join(s.Dir, "r.html")))
	page, err := os.ReadFile(filepath.Join(s.Dir, "r.html"))
	if err != nil {
		t.Fatal(err)
	}
	s.Want(0, s.Run("report", s.Out()), note)
	if text := string(page); !strings.Contains(text, note) {
		t.Error("the page has no note")
	}
	s.Root = clitest.Machine()
	if s.Want(0, s.Run(append(runs, s.Out(), "--force")...)); s.Result().Runs[0].OtherPrograms != nil {
		t.Error("a machine that does not tell is said to be idle")
	}
}
