package tinymodel

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
)

// DLRMTable is the table with two rows that affect the recommendation models. Index 1 increases the score of a click,
// and so does the first number of a pair.
const DLRMTable = 5

const (
	numbers = 13
	tables  = 26
)

// DLRMv2 returns a model with the tensors of an export of DLRM v2: concatenated offsets and indices of all tables.
func DLRMv2() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	dense := g.AddInput("dense_x", onnxfile.Float, -1, numbers)
	offsets := g.AddInput("offsets", onnxfile.Int32, -1)
	indices := g.AddInput("indices", onnxfile.Int32, -1)
	pairs := g.AddNode("Gather", []string{g.AddNode("Shape", []string{dense}), g.AddInts([]int64{0}, 1)})
	at := func(table int64) string { return g.AddNode("Mul", []string{pairs, g.AddInts([]int64{table}, 1)}) }
	starts := g.AddNode("Slice", []string{offsets, at(DLRMTable), at(DLRMTable + 1)})
	click(g, dense, g.AddNode("Gather", []string{indices, starts}), "pred")
	g.AddOutput("pred", onnxfile.Float, -1)
	return g
}

// DLRMv1 returns a model with the tensors of tb00_40M.onnx: a row of offsets and a row of indices for each table. Its
// table is in a file next to it.
func DLRMv1() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	dense := g.AddInput("dense_x", onnxfile.Float, -1, numbers)
	offsets := g.AddInput("offsets", onnxfile.Int64, tables, -1)
	indices := g.AddInput("indices", onnxfile.Int64, tables, -1)
	bags := g.AddNode("GatherElements", []string{indices, offsets}, onnxfile.Int("axis", 1))
	click(g, dense, g.AddNode("Gather", []string{bags, g.AddInts([]int64{DLRMTable})}), "pred")
	g.AddOutput("pred", onnxfile.Float, -1)
	return g
}

// DLRMv1Lists returns a model with the tensors of the other export of DLRM v1: separate inputs for each table.
func DLRMv1Lists() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	dense := g.AddInput("dense_x", onnxfile.Float, -1, numbers)
	for k := range tables {
		g.AddInput(fmt.Sprintf("offsets_%d", k), onnxfile.Int64, -1)
	}
	for k := range tables {
		g.AddInput(fmt.Sprintf("indices_%d", k), onnxfile.Int64, -1)
	}
	bags := g.AddNode("Gather", []string{fmt.Sprintf("indices_%d", DLRMTable), fmt.Sprintf("offsets_%d", DLRMTable)})
	click(g, dense, bags, "pred")
	g.AddOutput("pred", onnxfile.Float, -1)
	return g
}

// click adds the predictions for numbers [pairs,13] and indices [pairs] into the table.
func click(g *onnxfile.Graph, dense, indices, output string) {
	weights := g.AddNode("Gather", []string{g.AddExternal("tables.bin", []float32{0, 1}, 2), indices})
	first := g.AddNode("Gather", []string{dense, g.AddInts([]int64{0})}, onnxfile.Int("axis", 1))
	g.AddNamedNode([]string{output}, "Sigmoid", []string{g.AddNode("Add", []string{weights, first})})
}
