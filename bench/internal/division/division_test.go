package division

import (
	"errors"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
)

// here is a machine with one interface whose resolver knows two hosts.
func here() LocalAddresses {
	return LocalAddresses{
		Own: []net.IP{net.IPv4(10, 0, 0, 1), net.ParseIP("fe80::1")},
		Lookup: func(host string) ([]net.IP, error) {
			switch host {
			case "me.example":
				return []net.IP{net.IPv4(10, 0, 0, 1)}, nil
			case "other.example":
				return []net.IP{net.IPv4(10, 0, 0, 2), net.ParseIP("fd00::2")}, nil
			}
			return nil, errors.New("no such host")
		},
	}
}

func TestHereIs(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1:8001": true, "127.8.9.1:80": true, "[::1]:8001": true, "localhost:8001": true, "LOCALHOST:1": true,
		"0.0.0.0:8001": true, "10.0.0.1:8001": true, "[fe80::1%eth0]:8001": true, "me.example:80": true,
		"http://127.0.0.1:8000/v1": true, "http://me.example/v1": true, "unix:///run/x.sock": true,
		"10.0.0.2:8001": false, "other.example:80": false, "[fd00::2]:8001": false, "https://other.example/v1": false,
		"unknown.example:80": false,
	} {
		if got := here().Contains(sdk.NodeInfo{Address: address}); got != want {
			t.Errorf("%s is this machine: %v, want %v", address, got, want)
		}
	}
	// The address that answered counts, regardless of the name.
	if here().Contains(sdk.NodeInfo{Address: "me.example:80", Peer: "10.0.0.2:80"}) ||
		!here().Contains(sdk.NodeInfo{Address: "other.example:80", Peer: "10.0.0.1:80"}) {
		t.Error("a node is told by its name and not by the address that answered")
	}
	if (LocalAddresses{}).Contains(sdk.NodeInfo{Address: "other.example:80"}) {
		t.Error("without a resolver an unknown host is this machine")
	}
}

func TestJudge(t *testing.T) {
	away := sdk.NodeInfo{Address: "other.example:8001", Name: "a", Peer: "10.0.0.2:8001"}
	nameless, local := away, away
	nameless.Name = ""
	local.Address, local.Peer = "me.example:8001", "10.0.0.1:8001"
	cases := []struct {
		name  string
		asked Division
		nodes []sdk.NodeInfo
		work  []string
		want  Division
		about []string
	}{
		{"a run on this machine", Closed, nil, nil, Closed, nil},
		{"a server on this machine", Closed, []sdk.NodeInfo{local}, nil, Closed, nil},
		{"servers elsewhere, unasked", Closed, []sdk.NodeInfo{local, away}, nil, Open, []string{"(other.example:8001)"}},
		{"open", Open, []sdk.NodeInfo{local}, []string{"x"}, Open, nil},
		{"all rules hold", Network, []sdk.NodeInfo{away, {Address: "x:1", Name: "b", Peer: "10.0.0.3:1"}}, nil, Network, nil},
		{"a node is here", Network, []sdk.NodeInfo{away, local}, nil, Open, []string{"me.example:8001 is this machine"}},
		{"no name", Network, []sdk.NodeInfo{nameless}, nil, Open, []string{"has no name"}},
		{"work", Network, []sdk.NodeInfo{away}, []string{"ArgMax", "padding"}, Open,
			[]string{"client: ArgMax", "client: padding"}},
		{"all reasons", Network, []sdk.NodeInfo{{Address: "localhost:1"}}, []string{"ArgMax"}, Open,
			[]string{"is this machine", "has no name", "ArgMax"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := Judge(Case{
				Requested: c.asked, Workload: sdk.WorkloadInfo{Backend: "kserve", Nodes: c.nodes, ClientWork: c.work}, Here: here(),
			})
			if got.Division != c.want || len(got.Reasons) != len(c.about) {
				t.Fatalf("%v %q, want %v with %d reasons", got.Division, got.Reasons, c.want, len(c.about))
			}
			for i, part := range c.about {
				if !strings.Contains(got.Reasons[i], part) {
					t.Errorf("reason %q, want it to be about %q", got.Reasons[i], part)
				}
			}
		})
	}
}

func TestAWorkloadSaysThatItIsOpen(t *testing.T) {
	w := sdk.WorkloadInfo{
		Nodes: []sdk.NodeInfo{{Address: "other.example:8001", Name: "a"}}, OpenReasons: []string{"its features are untimed"},
	}
	for asked, want := range map[Division]int{Closed: 2, Network: 1, Open: 0} {
		got := Judge(Case{Requested: asked, Workload: w, Here: here()})
		if got.Division != Open || len(got.Reasons) != want ||
			want > 0 && got.Reasons[want-1] != "its features are untimed" {
			t.Errorf("%v: %v %q, want open with %d reasons, the workload's the last", asked, got.Division, got.Reasons, want)
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]Division{"": Closed, "closed": Closed, "network": Network, "open": Open} {
		if got, err := Parse(text); got != want || err != nil {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if _, err := Parse("net-work"); err == nil || !strings.Contains(err.Error(), `did you mean "network"`) {
		t.Errorf("a mistyped division: %v", err)
	}
}

func TestScenarios(t *testing.T) {
	all := loadgen.Scenarios()
	if got := Closed.Scenarios(all); !slices.Equal(got, all) {
		t.Errorf("closed: %v", got)
	}
	if got := Network.Scenarios(all); !slices.Equal(got, []loadgen.Scenario{loadgen.Server, loadgen.Offline}) {
		t.Errorf("network: %v", got)
	}
}

func TestLocal(t *testing.T) {
	h, err := ReadLocalAddresses()
	if err != nil {
		t.Fatal(err)
	}
	for _, ip := range h.Own {
		if !h.Contains(sdk.NodeInfo{Peer: net.JoinHostPort(ip.String(), "1")}) {
			t.Errorf("%v is not this machine's", ip)
		}
	}
}
