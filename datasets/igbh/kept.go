package igbh

import (
	"context"
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/graph"
)

// loadOrBuildGraph loads the graph of these edges from the cache file path. If that fails, it builds the graph and
// saves it there. An empty path disables the cache. saveErr is the error of saving.
func loadOrBuildGraph(ctx context.Context, nodes NodeCounts, edges StoredEdges, path string) (g *graph.Graph, saveErr,
	err error) {
	if path == "" {
		g, err = NewGraph(ctx, nodes, edges)
		return g, nil, err
	}
	key, err := edgesKey(ctx, edges)
	if err != nil {
		return nil, nil, err
	}
	if g, err = graph.OpenCache(ctx, path, key, nodes.NodeTypes(), GraphRelations()); err == nil {
		return g, nil, nil
	}
	if g, err = NewGraph(ctx, nodes, edges); err != nil {
		return nil, nil, err
	}
	return g, g.WriteCache(ctx, path, key), nil
}

// edgesKey returns a key that identifies the edges: the number and the checksum of each list.
func edgesKey(ctx context.Context, edges StoredEdges) (string, error) {
	var key strings.Builder
	for _, list := range edges {
		file := list.(*edgeFile)
		sum, err := graph.BlockChecksum(ctx, file.file, file.offset, file.length)
		if err != nil {
			return "", fmt.Errorf("%s: %w", file.name, err)
		}
		fmt.Fprintf(&key, "%s %d %08x\n", file.name, file.Len(), sum)
	}
	return key.String(), nil
}
