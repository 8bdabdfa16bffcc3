package rgat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/graph"
	"github.com/plumbline-ml/plumbline/plugins/rgat/internal/sampling"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// graphInput fills one input of the model.
type graphInput struct {
	kind          inputKind
	index         int       // index of a node type or a relation in the graph
	featureBuffer []float32 // buffer for features
}

// inputKind is the content of an input.
type inputKind int

const (
	featuresInput     inputKind = iota // x_TYPE: [nodes, width]
	sourcesInput                       // src_RELATION: [edges]
	destinationsInput                  // dst_RELATION: [edges]
	seedsInput                         // seeds: [papers]
)

// parseInputs determines the content of each of a model's inputs from its name. The error lists all inputs with unknown
// names.
func parseInputs(infos []backend.TensorInfo, g *graph.Graph, width int) ([]graphInput, error) {
	var all []graphInput
	var faults []error
	for _, info := range infos {
		in, err := parseInput(info, g, width)
		all, faults = append(all, in), append(faults, err)
	}
	if !slices.ContainsFunc(all, func(in graphInput) bool { return in.kind == seedsInput }) {
		faults = append(faults, fmt.Errorf("%w: input \"seeds\" is missing", backend.ErrTensors))
	}
	return all, errors.Join(faults...)
}

func parseInput(info backend.TensorInfo, g *graph.Graph, width int) (graphInput, error) {
	in, want := graphInput{}, backend.TensorInfo{Name: info.Name, DType: backend.Int64, Shape: []int64{-1}}
	name := ""
	switch {
	case info.Name == "seeds":
		in.kind = seedsInput
	case strings.HasPrefix(info.Name, "x_"):
		name = info.Name[len("x_"):]
		in.index, want.DType, want.Shape = g.TypeIndex(name), backend.Float32, []int64{-1, int64(width)}
	case strings.HasPrefix(info.Name, "src_"), strings.HasPrefix(info.Name, "dst_"):
		name = info.Name[len("src_"):]
		if in.kind = sourcesInput; info.Name[0] == 'd' {
			in.kind = destinationsInput
		}
		in.index = g.RelationIndex(name)
	default:
		in.index = -1
	}
	if in.index < 0 {
		return in, fmt.Errorf("%w: input %q, want x_TYPE, src_RELATION, dst_RELATION and seeds, of the types and "+
			"relations of "+
			"IGBH (x_paper, src_paper__cites__paper)", backend.ErrTensors, info.Name)
	}
	_, err := backend.Bind("input", []backend.TensorInfo{want}, []backend.TensorInfo{info})
	return in, err
}

// fillTensor sets t to the input for a batch.
func (in *graphInput) fillTensor(ctx context.Context, t *backend.Tensor, b *sampling.NeighborBatch,
	store graph.FeatureStore) error {
	switch in.kind {
	case sourcesInput:
		setPositions(t, b.Sources[in.index])
	case destinationsInput:
		setPositions(t, b.Destinations[in.index])
	case seedsInput:
		setPositions(t, b.Seeds)
	case featuresInput:
		return in.gatherFeatures(ctx, t, b.Nodes[in.index], store)
	}
	return nil
}

// gatherFeatures sets t to the features of nodes. Without nodes, t has one row of zeros to which no edge refers,
// because ONNX Runtime's ReduceSum loses a dimension of a tensor without rows.
func (in *graphInput) gatherFeatures(ctx context.Context, t *backend.Tensor, nodes []uint32,
	store graph.FeatureStore,
) error {
	rows, width := max(len(nodes), 1), store.Width()
	in.featureBuffer = slices.Grow(in.featureBuffer[:0], rows*width)[:rows*width]
	t.Shape, t.Data = append(t.Shape[:0], int64(rows), int64(width)), backend.Bytes(in.featureBuffer)
	if len(nodes) == 0 {
		clear(in.featureBuffer)
		return nil
	}
	return store.Gather(ctx, in.featureBuffer, in.index, nodes)
}

func setPositions(t *backend.Tensor, positions []int64) {
	t.Shape, t.Data = append(t.Shape[:0], int64(len(positions))), backend.Bytes(positions)
}
