package dlrm

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/datasets/criteo"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// inputLayout is the form of a model's inputs beside dense_x [pairs,13].
type inputLayout uint8

const (
	// bags: offsets [26 * pairs + 1] and indices [all]. Bag k * pairs + i, of table k and pair i, is the indices from its
	// offset to the next: the reference's jagged tensor of all tables.
	bags inputLayout = iota
	// stacked: offsets [26,pairs] and indices [26,pairs], with one index in each bag: the ONNX export of DLRM v1. A row of
	// offsets counts within its row of indices.
	stacked
	// lists: offsets_0 to offsets_25 [pairs] and indices_0 to indices_25 [all of the table]: the other export of DLRM v1.
	lists
)

// clickBinding is how pairs go into a model file and predictions come out of it.
type clickBinding struct {
	Layout  inputLayout   `param:"layout" choices:"bags,stacked,lists"`
	Dense   string        `param:"dense"`   // tensor names
	Offsets string        `param:"offsets"` // of lists, the name before the number, as of indices
	Indices string        `param:"indices"`
	Output  string        `param:"output"`
	Index   backend.DType `param:"index"` // of offsets and indices
}

// bindTensors reads the parameters.
func bindTensors(p *option.Params) (b clickBinding) {
	option.Bind(p, &b,
		option.WordReader("index", map[string]backend.DType{"int64": backend.Int64, "int32": backend.Int32}))
	for name, value := range map[string]string{"offsets": b.Offsets, "indices": b.Indices} {
		if b.Layout == lists && value == "" {
			p.AddFault(name, errors.New("want a name: with layout = lists the number of the table follows it"))
		}
	}
	return b
}

// completeModel completes m with the tensors that the binding uses.
func (b clickBinding) completeModel(m backend.Model) backend.Model {
	m.Inputs = []backend.TensorInfo{{
		Name: b.Dense, DType: backend.Float32, Shape: []int64{-1, criteo.DenseFeatures},
		Chosen: "--param layout=LAYOUT, dense, offsets, indices and index",
	}}
	add := func(name string, shape ...int64) {
		m.Inputs = append(m.Inputs, backend.TensorInfo{Name: name, DType: b.Index, Shape: shape})
	}
	switch b.Layout {
	case bags:
		add(b.Offsets, -1)
		add(b.Indices, -1)
	case stacked:
		add(b.Offsets, criteo.Tables, -1)
		add(b.Indices, criteo.Tables, -1)
	case lists:
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
