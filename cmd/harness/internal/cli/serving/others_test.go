package serving_test

import (
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
)

// TestOtherProgramsBesideAPoint: a point says when other programs used the client's processors, and that the server may
// be one of them.
func TestOtherProgramsBesideAPoint(t *testing.T) {
	s := clitest.New(t)
	t.Chdir(s.Dir)
	s.Root = clitest.BusyMachine()
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true})
	s.Want(0, bench(s, url, "--concurrency", "1,2"), "1 user: programs other than the harness, the server on this "+
		"machine among them, used 100 % of the processors during this run (and so at 1 other point)")
	for _, r := range readSweep(t, "bench-1").Points {
		if r.OtherPrograms == nil || r.OtherPrograms.Share != 1 {
			t.Errorf("%s: %+v", r.Name(), r.OtherPrograms)
		}
	}
}
