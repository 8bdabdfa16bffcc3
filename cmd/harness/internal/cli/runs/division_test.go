package runs_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/sdk"
)

// node is a machine that no network has.
func node(name string) sdk.NodeInfo {
	return sdk.NodeInfo{
		Address: name + ".example:8001", Name: name, Peer: "203.0.113.7:8001",
		RoundTripP50: 210 * time.Microsecond, RoundTripP99: 400 * time.Microsecond, BytesPerSecond: 1.2e9,
	}
}

func TestNetworkDivision(t *testing.T) {
	s := clitest.New(t)
	s.Fakes["resnet50"].Info.Nodes = []sdk.NodeInfo{node("a"), node("b")}
	s.Want(0, s.Run("run", "resnet50", "--division", "network", "--out", s.Out()),
		"division  network", "node      a (a.example:8001), round trip 0.21 ms, 99th percentile 0.4 ms, 1.2 GB/s",
		"Server        performance  VALID (smoke)", "Offline       performance  VALID (smoke)",
		"Offline       accuracy     PASS")
	var ran []string
	for _, r := range s.Result().Runs {
		ran = append(ran, r.Scenario+" "+r.Division)
		if r.Network == nil || len(r.Network.Nodes) != 2 || r.Network.Nodes[1].RoundTripP99 != 400_000 ||
			len(r.DivisionReasons) != 0 {
			t.Errorf("result.json says %+v of the nodes, for the reasons %q", r.Network, r.DivisionReasons)
		}
	}
	if want := []string{"Server network", "Offline network", "Offline network"}; !slices.Equal(ran, want) {
		t.Errorf("runs %q, want %q", ran, want)
	}
	for _, o := range s.Fakes["resnet50"].Opened() {
		if !o.Network {
			t.Error("the plugin was not told of the network division")
		}
	}
}

func TestNetworkDivisionThatIsOpen(t *testing.T) {
	s := clitest.New(t)
	here := node("b")
	here.Peer = "127.0.0.1:8001"
	s.Fakes["resnet50"].Info.Nodes, s.Fakes["resnet50"].Info.ClientWork = []sdk.NodeInfo{node("a"), here},
		[]string{"ArgMax is looked for"}
	s.Want(0, s.Run("run", "resnet50", "--division", "network", "--scenario", "Offline",
		"--mode", "performance", "--out", s.Out()),
		"division  open", "open division: node b.example:8001 is this machine",
		"open division: done at the client: ArgMax is looked for")
	if r := s.Result().Runs[0]; r.Division != "open" || len(r.DivisionReasons) != 2 ||
		!slices.Equal(r.Network.ClientWork, []string{"ArgMax is looked for"}) {
		t.Errorf("result.json says %s, %q", r.Division, r.DivisionReasons)
	}
}

func TestOtherDivisions(t *testing.T) {
	s := clitest.New(t)
	args := []string{"run", "resnet50", "--scenario", "Offline", "--mode", "performance", "--force", "--out", s.Out()}
	code := s.Run(args...)
	s.Want(0, code)
	if r := s.Result().Runs[0]; r.Division != "closed" || r.Network != nil ||
		strings.Contains(s.Stdout.String(), "division") {
		t.Errorf("a run on this machine: %s division, nodes %v", r.Division, r.Network)
	}
	s.Want(0, s.Run(append(args, "--division", "open")...), "division  open")
	s.Fakes["resnet50"].Info.Nodes = []sdk.NodeInfo{{Address: "203.0.113.7:8001"}}
	s.Want(0, s.Run(args...), "division  open", "node      203.0.113.7:8001",
		"leaves the work to other machines (203.0.113.7:8001)", "--division network")
	s.Fakes["resnet50"].Info.Nodes = []sdk.NodeInfo{{Address: "127.0.0.1:8001"}}
	s.Want(0, s.Run(args...))
	if r := s.Result().Runs[0]; r.Division != "closed" {
		t.Errorf("a server on this machine: %s division, %q", r.Division, r.DivisionReasons)
	}
}

func TestNetworkDivisionRefuses(t *testing.T) {
	s := clitest.New(t)
	network := []string{"run", "resnet50", "--division", "network", "--out", s.Out()}
	s.Want(2, s.Run(append(network, "--scenario", "SingleStream")...), "--scenario SingleStream",
		"Server and Offline alone")
	s.Want(2, s.Run("run", "resnet50", "--division", "net-work", "--out", s.Out()), "--division", `did you mean "network"`)
	s.Want(2, s.Run(network...), "plugin resnet50 does not know it")
}
