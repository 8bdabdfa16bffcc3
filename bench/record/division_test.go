package record

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/internal/division"
)

// remote turns a run into one whose model is on a server.
func remote(r *Run) {
	r.Workload.ModelSHA256, r.Workload.ModelSize = "", 0
	r.Workload.Backend, r.Workload.BackendInfo = "kserve", map[string]string{
		"model": "resnet50-v1", "version": "triton 2.51",
	}
}

// dispatched turns a run into one whose model is on two machines, one of them without a name.
func dispatched(r *Run, l division.Label) {
	remote(r)
	r.FromDivision(l, sdk.WorkloadInfo{ClientWork: []string{"ArgMax is looked for"}, Nodes: []sdk.NodeInfo{
		{Address: "a:8001", Name: "node-a", Peer: "192.0.2.1:8001", RoundTripP50: 212_345, RoundTripP99: 1_234_567,
			BytesPerSecond: 1.25e9},
		{Address: "b:8001", RoundTripP50: 300_000, RoundTripP99: 400_000, BytesPerSecond: 117e6},
	}})
}

func TestDivisionTexts(t *testing.T) {
	elsewhere := []sdk.NodeInfo{{Address: "a:8001"}}
	for name, change := range map[string]func(*Run){
		"network": func(r *Run) { dispatched(r, division.Label{Division: division.Network}) },
		"network-open": func(r *Run) {
			dispatched(r, division.Label{Division: division.Open,
				Reasons: []string{"node b (b:8001) is this machine", "done at the client: ArgMax is looked for"}})
		},
		"elsewhere": func(r *Run) {
			remote(r)
			r.FromDivision(division.Label{Division: division.Open, Reasons: []string{"other machines do the work"}},
				sdk.WorkloadInfo{Nodes: elsewhere})
		},
	} {
		t.Run(name, func(t *testing.T) {
			run := performed(loadgen.Server, func(r *Run, _ *loadgen.Result) { change(r) })
			var b strings.Builder
			if err := WriteHeader(&b, run, "out"); err != nil {
				t.Fatal(err)
			}
			if err := WriteRow(&b, run); err != nil {
				t.Fatal(err)
			}
			testfile.Compare(t, "division-"+name, b.String())
		})
	}
}

func TestADivisionThatIsNotKnownIsNotClaimed(t *testing.T) {
	skipped := record("Offline", "performance")
	skipped.Skip(exitcode.Plugin)
	text, err := NewDocument([]Run{skipped}).JSON()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), `"division":`) || strings.Contains(string(text), `"network":`) {
		t.Errorf("a run that was not made has a division:\n%s", text)
	}
}
