package record

import (
	"cmp"
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/internal/terminal"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/internal/division"
)

// FromDivision copies the run's division and the known facts about the nodes.
func (r *Run) FromDivision(l division.Label, w sdk.WorkloadInfo) {
	r.Division, r.DivisionReasons = string(l.Division), nonNil(l.Reasons)
	if len(w.Nodes) == 0 {
		return
	}
	r.Network = &Network{ClientWork: nonNil(w.ClientWork)}
	for _, n := range w.Nodes {
		r.Network.Nodes = append(r.Network.Nodes, Node{
			Address: n.Address, Name: n.Name, Peer: n.Peer, RoundTripP50: n.RoundTripP50.Nanoseconds(),
			RoundTripP99: n.RoundTripP99.Nanoseconds(), BytesPerSecond: figure.Number(n.BytesPerSecond),
		})
	}
}

// divisionRows adds the division and the nodes to t, unless the run has the rules of the closed division and runs on
// this machine.
func (r Run) divisionRows(t *table.Table) {
	if r.Division == "" || r.Division == string(division.Closed) {
		return
	}
	t.Row("division", r.Division)
	if r.Network == nil {
		return
	}
	for _, n := range r.Network.Nodes {
		t.Row("node", n.nodeText())
	}
}

// nodeText describes a node: "a (10.0.0.2:8001), round trip 0.21 ms, 99th percentile 0.4 ms, 1.2 GB/s".
func (n Node) nodeText() string {
	if n.RoundTripP50 == 0 {
		return n.Address
	}
	name := cmp.Or(n.Name, "without a name")
	return fmt.Sprintf("%s (%s), round trip %s, 99th percentile %s, %s/s", name, n.Address,
		formatMillis(n.RoundTripP50), formatMillis(n.RoundTripP99), figure.Bytes(int64(n.BytesPerSecond)))
}

func formatMillis(ns int64) string { return figure.Short(float64(ns)/1e6) + " ms" }

// writeDivision writes why the run does not have the requested division.
func (r Run) writeDivision(b *terminal.Writer) {
	for _, reason := range r.DivisionReasons {
		fmt.Fprintf(b, "    %s division: %s\n", r.Division, reason)
	}
}
