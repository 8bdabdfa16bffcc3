package runs_test

import (
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/plugintest"
)

// TestPluginsAreAskedOnce: however many runs a command plans, a plugin that serves none of them starts once.
func TestPluginsAreAskedOnce(t *testing.T) {
	for name, args := range map[string][]string{
		"rounds": {"run", "resnet50", "--scenario", "Offline", "--repeat", "3", "--dry-run"},
		"audits": {"audit", "all", "resnet50", "--scenario", "SingleStream,Offline"},
		"submission": {"submission", "run", "resnet50", "--rehearsal", "--smoke", "--scenario", "SingleStream,Offline",
			"--dry-run"},
	} {
		t.Run(name, func(t *testing.T) {
			other := plugintest.Classifier()
			other.Description.Models = other.Description.Models[:1]
			other.Description.Name, other.Description.Models[0].Name = "other", "other"
			s := clitest.NewWith(t, map[string]*plugintest.Fake{"resnet50": plugintest.Classifier(), "other": other})
			s.Run("submission", "init", "--workspace", s.Dir+"/ws", "--submitter", "Toylab", "--system", "toy")
			before := other.Launches()
			args = append(args, "--out", s.Out())
			if name == "submission" {
				args = append(args, "--workspace", s.Dir+"/ws")
			}
			if code := s.Run(args...); code == 2 { // verdicts of audits depend on the time that runs take
				t.Fatal(s.Stderr.String())
			}
			if n := other.Launches() - before; n != 1 {
				t.Errorf("the other plugin was started %d times, want once", n)
			}
		})
	}
}
