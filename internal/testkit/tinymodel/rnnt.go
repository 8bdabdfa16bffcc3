package tinymodel

import (
	"strings"

	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
)

// Symbols of the RNN-T models: 28 labels, and the blank, which is also the start.
const (
	rnntLabels = " abcdefghijklmnopqrstuvwxyz'"
	rnntBlank  = len(rnntLabels)
	rnntLayers = 2
	rnntHidden = 3
)

// RNNTEncoder returns a model with the tensors of the RNN-T encoder as exported from the reference's checkpoint. It
// passes every second frame.
func RNNTEncoder() *onnxfile.Graph {
	const width = 240
	g := &onnxfile.Graph{}
	frames := g.AddInput("input", onnxfile.Float, -1, -1, width)
	lengths := g.AddInput("feature_length", onnxfile.Int64, -1)
	all := g.AddInts([]int64{1 << 40}, 1)
	half := g.AddNode("Slice", []string{frames, g.AddInts([]int64{0}, 1), all, g.AddInts([]int64{0}, 1),
		g.AddInts([]int64{2}, 1)})
	g.AddNamedNode([]string{"x_padded"}, "Transpose", []string{half}, onnxfile.IntList("perm", 1, 0, 2))
	rounded := g.AddNode("Div", []string{g.AddNode("Add", []string{lengths, g.AddInts([]int64{1})}),
		g.AddInts([]int64{2})})
	g.AddNamedNode([]string{"x_lens"}, "Cast", []string{rounded}, onnxfile.Int("to", int64(onnxfile.Int32)))
	g.AddOutput("x_padded", onnxfile.Float, -1, -1, width)
	g.AddOutput("x_lens", onnxfile.Int32, -1)
	return g
}

// RNNTPrediction returns a model with the tensors of the prediction network. Its output identifies the symbol in its
// input.
func RNNTPrediction(symbols int) *onnxfile.Graph {
	g := &onnxfile.Graph{}
	symbol := g.AddInput("symbol", onnxfile.Int64, -1, 1)
	table := make([]float32, symbols*(rnntBlank+1))
	for i := range symbols {
		table[i*(rnntBlank+1)+i] = 1
	}
	g.AddNamedNode([]string{"g"}, "Gather", []string{g.AddFloats(table, int64(symbols), int64(rnntBlank+1)), symbol})
	g.AddOutput("g", onnxfile.Float, -1, 1, int64(rnntBlank+1))
	for _, i := range []string{"1", "2"} {
		state := g.AddInput("hidden_in_"+i, onnxfile.Float, rnntLayers, -1, rnntHidden)
		g.AddNamedNode([]string{"hidden_out_" + i}, "Identity", []string{state})
		g.AddOutput("hidden_out_"+i, onnxfile.Float, rnntLayers, -1, rnntHidden)
	}
	return g
}

// RNNTStart is the number of rows of an embedding that includes the start.
const RNNTStart = rnntBlank + 1

// RNNTJoint returns a model with the tensors of the joint network. It spells a word of different letters in the first
// frame of every clip.
func RNNTJoint(word string) *onnxfile.Graph {
	const width = 240
	g := &onnxfile.Graph{}
	g.AddInput("0", onnxfile.Float, -1, 1, width)
	said := g.AddInput("1", onnxfile.Float, -1, 1, int64(rnntBlank+1))
	next := make([]float32, (rnntBlank+1)*(rnntBlank+1))
	last := rnntBlank
	for _, letter := range word {
		i := strings.IndexRune(rnntLabels, letter)
		next[last*(rnntBlank+1)+i] = 1
		last = i
	}
	next[last*(rnntBlank+1)+rnntBlank] = 1
	scores := g.AddNode("MatMul", []string{said, g.AddFloats(next, int64(rnntBlank+1), int64(rnntBlank+1))})
	g.AddNamedNode([]string{"result"}, "Unsqueeze", []string{scores, g.AddInts([]int64{1}, 1)})
	g.AddOutput("result", onnxfile.Float, -1, 1, 1, int64(rnntBlank+1))
	return g
}
