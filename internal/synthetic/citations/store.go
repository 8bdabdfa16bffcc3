package citations

import (
	"context"
	"fmt"

	"github.com/plumbline-ml/plumbline/datasets/graph"
)

// featureStore contains the features of all nodes in memory.
type featureStore struct {
	types  []graph.NodeType
	values [][]float32
}

// Store draws the features of all nodes.
func (s *Set) Store() graph.FeatureStore {
	all := featureStore{types: s.Counts().NodeTypes()}
	for t, n := range s.Counts() {
		values := make([]float32, n*Width)
		s.Features(values, t, 0)
		all.values = append(all.values, values)
	}
	return all
}

func (s featureStore) Types() []graph.NodeType { return s.types }

func (featureStore) Width() int { return Width }

func (s featureStore) Gather(_ context.Context, dst []float32, nodeType int, nodes []uint32) error {
	if nodeType < 0 || nodeType >= len(s.values) || len(dst) != len(nodes)*Width {
		return fmt.Errorf("citations: %d nodes of type %d into room for %d values", len(nodes), nodeType, len(dst))
	}
	values := s.values[nodeType]
	for i, v := range nodes {
		if int(v) >= len(values)/Width {
			return fmt.Errorf("citations: node %d of type %d, of %d", v, nodeType, len(values)/Width)
		}
		copy(dst[i*Width:][:Width], values[int(v)*Width:])
	}
	return nil
}
