package serve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// nodeNetwork describes the machines on which a workload's model runs.
type nodeNetwork struct {
	nodes []backend.RemoteNode
	asked bool     // the run belongs to the network division
	work  []string // the sdk's own work at the client
}

// nodesOf returns the machines of which the workload's session or generator is a client, or on which the generator
// decodes.
func (w *openedWorkload) nodesOf() []backend.RemoteNode {
	if r, ok := w.engine.(backend.Remote); ok {
		return r.Nodes()
	}
	var all []backend.RemoteNode
	for _, s := range w.source.sessions {
		if r, ok := s.Session.(backend.Remote); ok {
			all = append(all, r.Nodes()...)
		}
	}
	return all
}

// decodesLocally reports whether a generator runs sessions step by step on this machine.
func (w *openedWorkload) decodesLocally() bool {
	_, generates := w.engine.(backend.Generator)
	return generates && len(w.source.sessions) > 0
}

// findNodes determines the machines on which the workload runs. In the network division it requests their names and
// measures them.
func (w *openedWorkload) findNodes(ctx context.Context, o sdk.Options, info *sdk.WorkloadInfo) error {
	w.network.asked, w.network.nodes = o.Network, w.nodesOf()
	if !o.Network {
		info.Nodes = addressNodes(w.network.nodes)
		return nil
	}
	if len(w.network.nodes) == 0 {
		return sdk.Usage(fmt.Errorf("backend %s runs the model on this machine; the network division wants a client of "+
			"other machines, such as kserve or openai", info.Backend))
	}
	w.network.work = w.clientBatching(o.Scenario)
	info.ClientWork = w.clientWork()
	var err error
	info.Nodes, err = probeAll(ctx, w.network.nodes)
	return err
}

func addressNodes(nodes []backend.RemoteNode) []sdk.NodeInfo {
	var list []sdk.NodeInfo
	for _, n := range nodes {
		list = append(list, sdk.NodeInfo{Address: n.Address()})
	}
	return list
}

// clientBatching returns the sdk's work at the client apart from sending samples one by one. Samples of one query may
// be sent together. Offline's only query is cut into requests in its order.
func (w *openedWorkload) clientBatching(s loadgen.Scenario) []string {
	var work []string
	if w.policy.MaxBatch > 1 && s != loadgen.Offline {
		work = append(work, fmt.Sprintf("batches of up to %d samples are formed of several queries", w.policy.MaxBatch))
	}
	if w.decodesLocally() {
		work = append(work, "answers are generated token by token: batches are formed, states of the model are kept, and "+
			"the most probable token is looked for (ArgMax)")
	}
	return work
}

// undeclaredWork represents the work of a workload that does not declare its work.
const undeclaredWork = "the benchmark does not say what it does to samples and answers"

// clientWork returns all known work at the client.
func (w *openedWorkload) clientWork() []string {
	if !w.network.asked {
		return nil
	}
	work := slices.Clone(w.network.work)
	if b, ok := w.engine.(backend.LocalWorker); ok {
		work = append(work, b.LocalWork()...)
	}
	declared, ok := sdk.As[sdk.ClientWorker](w.workload)
	if !ok {
		return append(work, undeclaredWork)
	}
	var inputs, outputs []backend.TensorInfo
	if s := w.onlySession(); s != nil {
		inputs, outputs = s.Inputs(), s.Outputs()
	}
	return append(work, declared.ClientWork(inputs, outputs, w.policy.MaxBatch)...)
}

// nodeNames requests the names of all nodes concurrently. If two nodes have the same name, it returns an error, because
// a result could not distinguish them.
func nodeNames(ctx context.Context, nodes []backend.RemoteNode) ([]string, error) {
	found := make([]sdk.NodeInfo, len(nodes))
	err := callAll(nodes, func(i int) (err error) {
		found[i].Address = nodes[i].Address()
		found[i].Name, found[i].Peer, err = requestName(ctx, nodes[i])
		return err
	})
	if err == nil {
		err = requireUniqueNames(found)
	}
	if err != nil {
		return nil, err
	}
	names := make([]string, len(found))
	for i, n := range found {
		names[i] = n.Name
	}
	return names, nil
}

// callAll calls f for all nodes concurrently. Its error names the addresses of the nodes that failed.
func callAll(nodes []backend.RemoteNode, f func(i int) error) error {
	faults := make([]error, len(nodes))
	var asking sync.WaitGroup
	for i, n := range nodes {
		asking.Go(func() {
			if err := f(i); err != nil {
				faults[i] = fmt.Errorf("node %s: %w", n.Address(), err)
			}
		})
	}
	asking.Wait()
	return errors.Join(faults...)
}

// requireUniqueNames requires that no two nodes have the same name.
func requireUniqueNames(nodes []sdk.NodeInfo) error {
	var faults []error
	for i, n := range nodes {
		j := slices.IndexFunc(nodes[:i], func(o sdk.NodeInfo) bool { return o.Name == n.Name })
		if j >= 0 && n.Name != "" {
			faults = append(faults, fmt.Errorf("nodes %s and %s both call themselves %q: the network division wants a name of "+
				"its own for each; "+
				"set them at the servers, or name each machine once", nodes[j].Address, n.Address, n.Name))
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return sdk.Usage(errors.Join(faults...))
}
