package igbh

import (
	"context"

	"github.com/plumbline-ml/plumbline/datasets/graph"
)

// StoredEdges contains the edges of a data set, indexed by Affiliated to Written.
type StoredEdges [storedCount]graph.EdgeList

// NewGraph builds the graph that the reference loads: every stored relation and its reverse. Citations are an
// exception. They become one relation that contains both directions of each citation, no stored self-citations, and one
// self-loop per paper.
func NewGraph(ctx context.Context, nodes NodeCounts, edges StoredEdges) (*graph.Graph, error) {
	g := &graph.Graph{Types: nodes.NodeTypes(), Relations: GraphRelations()}
	for _, r := range loadedRelations() {
		plan := graph.RelationPlan{Name: r.Name, Sources: nodes[r.Source], Destinations: nodes[r.Destination]}
		if r.stored == Cites {
			plan.Loops = true
			plan.Streams = []graph.EdgeStream{{Edges: edges[Cites], NoLoops: true}, {Edges: edges[Cites], NoLoops: true,
				Reverse: true}}
		} else {
			plan.Streams = []graph.EdgeStream{{Edges: edges[r.stored], Reverse: r.reverse}}
		}
		csc, err := plan.BuildCSC(ctx)
		if err != nil {
			return nil, err
		}
		g.CSC = append(g.CSC, csc)
	}
	return g, nil
}
