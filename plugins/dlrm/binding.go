package dlrm

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/datasets/criteo"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// inputLayout is the form of a model's inputs in addition to dense_x [pairs,13].
type inputLayout uint8

const (
	// bagsLayout is the reference's jagged tensor of all tables: offsets [26 * pairs + 1] and indices [all]. Bag k * pairs
	// + i contains the indices of table k and pair i, from its offset to the next one.
	bagsLayout inputLayout = iota
	// stackedLayout is the ONNX export of DLRM v1: offsets [26,pairs] and indices [26,pairs], with one index in each bag.
	// Offsets in a row refer to the same row of indices.
	stackedLayout
	// listsLayout is the other export of DLRM v1: offsets_0 to offsets_25 [pairs] and indices_0 to indices_25 [all of the
	// table].
	listsLayout
)

// clickBinding maps pairs to a model's inputs and its output to predictions.
type clickBinding struct {
	Layout    inputLayout   `param:"layout" choices:"bags,stacked,lists"`
	Dense     string        `param:"dense"`   // tensor names
	Offsets   string        `param:"offsets"` // for listsLayout, the name without its number; also for Indices
	Indices   string        `param:"indices"`
	Output    string        `param:"output"`
	IndexType backend.DType `param:"index"` // type of offsets and indices
}

// bindTensors reads the binding from the parameters.
func bindTensors(p *option.Params) (b clickBinding) {
	option.Bind(p, &b,
		option.WordReader("index", map[string]backend.DType{"int64": backend.Int64, "int32": backend.Int32}))
	for name, value := range map[string]string{"offsets": b.Offsets, "indices": b.Indices} {
		if b.Layout == listsLayout && value == "" {
			p.AddFault(name, errors.New("want a name: with layout = lists the number of the table follows it"))
		}
	}
	return b
}

// completeModel returns m with the tensors that the binding uses.
func (b clickBinding) completeModel(m backend.Model) backend.Model {
	m.Inputs = []backend.TensorInfo{{
		Name: b.Dense, DType: backend.Float32, Shape: []int64{-1, criteo.DenseFeatures},
		Chosen: "--param layout=LAYOUT, dense, offsets, indices and index",
	}}
	add := func(name string, shape ...int64) {
		m.Inputs = append(m.Inputs, backend.TensorInfo{Name: name, DType: b.IndexType, Shape: shape})
	}
	switch b.Layout {
	case bagsLayout:
		add(b.Offsets, -1)
		add(b.Indices, -1)
	case stackedLayout:
		add(b.Offsets, criteo.Tables, -1)
		add(b.Indices, criteo.Tables, -1)
	case listsLayout:
		for _, name := range []string{b.Offsets, b.Indices} {
			for k := range criteo.Tables {
				add(fmt.Sprintf("%s_%d", name, k), -1)
			}
		}
	}
	m.Outputs = []backend.TensorInfo{
		{Name: b.Output, DType: backend.Float32, Chosen: "--param output=NAME (empty: the first)"},
	}
	return m
}
