package onnxfile

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// DType is a tensor's element type, by ONNX's number.
type DType int

// The element types that official models have.
const (
	Float   DType = 1
	Uint8   DType = 2
	Int32   DType = 6
	Int64   DType = 7
	Bool    DType = 9
	Float16 DType = 10
)

// Tensor is an input or output of a model. A size of -1 is free.
type Tensor struct {
	Name  string
	DType DType
	Shape []int64
}

// Graph is a model in the making. Its zero value is empty.
type Graph struct {
	Inputs, Outputs []Tensor

	nodes, constants []Message
	external         map[string][]byte // files beside the model's
	names            int
}

// Input adds an input and returns its name.
func (g *Graph) Input(name string, t DType, shape ...int64) string {
	g.Inputs = append(g.Inputs, Tensor{name, t, shape})
	return name
}

// Output makes the value of that name an output.
func (g *Graph) Output(name string, t DType, shape ...int64) {
	g.Outputs = append(g.Outputs, Tensor{name, t, shape})
}

// name is a new one.
func (g *Graph) name() string {
	g.names++
	return fmt.Sprintf("value_%d", g.names)
}

// Floats adds a constant, in C order, and returns its name. Without sizes it is a scalar.
func (g *Graph) Floats(values []float32, shape ...int64) string {
	return constant(g, Float, values, shape)
}

// Ints adds a constant of int64, in C order, and returns its name. Without sizes it is a scalar.
func (g *Graph) Ints(values []int64, shape ...int64) string { return constant(g, Int64, values, shape) }

// External adds a constant whose values lie in a file beside the model's, as those of large models do.
func (g *Graph) External(file string, values []float32, shape ...int64) string {
	data := encode(values)
	var m Message
	for _, n := range shape {
		m = m.Int(1, n)
	}
	name, offset := g.name(), len(g.external[file])
	m = m.Int(2, int64(Float)).Text(8, name)
	for _, entry := range [][2]string{{"location", file}, {"offset", fmt.Sprint(offset)},
		{"length", fmt.Sprint(len(data))}} {
		m = m.Bytes(13, Message(nil).Text(1, entry[0]).Text(2, entry[1]))
	}
	if g.external == nil {
		g.external = map[string][]byte{}
	}
	g.external[file] = append(g.external[file], data...)
	g.constants = append(g.constants, m.Int(14, 1))
	return name
}

// Bools adds a constant of truth values, in C order, and returns its name. Without sizes it is a scalar.
func (g *Graph) Bools(values []bool, shape ...int64) string { return constant(g, Bool, values, shape) }

// Random draws as many numbers as the shape has, from [-scale, scale).
func Random(seed uint64, scale float32, shape ...int64) []float32 {
	size := int64(1)
	for _, n := range shape {
		size *= n
	}
	random, values := rand.New(rand.NewPCG(seed, 0)), make([]float32, size)
	for i := range values {
		values[i] = scale * (2*random.Float32() - 1)
	}
	return values
}

// constant encodes a TensorProto.
func constant[T float32 | int64 | bool](g *Graph, t DType, values []T, shape []int64) string {
	var m Message
	for _, n := range shape {
		m = m.Int(1, n)
	}
	name := g.name()
	g.constants = append(g.constants, m.Int(2, int64(t)).Text(8, name).Bytes(9, encode(values)))
	return name
}

// encode are the bytes of numbers.
func encode[T float32 | int64 | bool](values []T) []byte {
	data, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		panic(err) // of no such slice
	}
	return data
}

// Node adds an operator with one output, and returns the output's name.
func (g *Graph) Node(op string, inputs []string, attributes ...Attribute) string {
	out := g.name()
	g.Name([]string{out}, op, inputs, attributes...)
	return out
}

// Name adds an operator whose outputs have the names.
func (g *Graph) Name(outputs []string, op string, inputs []string, attributes ...Attribute) {
	var m Message
	for _, name := range inputs {
		m = m.Text(1, name)
	}
	for _, name := range outputs {
		m = m.Text(2, name)
	}
	m = m.Text(4, op)
	for _, a := range attributes {
		m = m.Bytes(5, a)
	}
	g.nodes = append(g.nodes, m)
}

// Attribute is an encoded AttributeProto.
type Attribute Message

// Int is an attribute of one whole number.
func Int(name string, v int64) Attribute {
	return Attribute(Message(nil).Text(1, name).Int(3, v).Int(20, 2))
}

// IntList is an attribute of whole numbers.
func IntList(name string, values ...int64) Attribute {
	m := Message(nil).Text(1, name)
	for _, v := range values {
		m = m.Int(8, v)
	}
	return Attribute(m.Int(20, 7))
}

// Subgraph is an attribute of a graph: the body of a Loop.
func Subgraph(name string, body *Graph) Attribute {
	return Attribute(Message(nil).Text(1, name).Bytes(6, body.encode()).Int(20, 5))
}

// The versions that every ONNX Runtime of the last years reads.
const (
	irVersion = 8
	opset     = 13
)

// Bytes is the model's file.
func (g *Graph) Bytes() []byte {
	operators := Message(nil).Text(1, "").Int(2, opset)
	return Message(nil).Int(1, irVersion).Bytes(7, g.encode()).Bytes(8, operators)
}

// encode is a GraphProto.
func (g *Graph) encode() Message {
	var graph Message
	for _, n := range g.nodes {
		graph = graph.Bytes(1, n)
	}
	graph = graph.Text(2, "graph")
	for _, c := range g.constants {
		graph = graph.Bytes(5, c)
	}
	for _, t := range g.Inputs {
		graph = graph.Bytes(11, t.encode())
	}
	for _, t := range g.Outputs {
		graph = graph.Bytes(12, t.encode())
	}
	return graph
}

// encode is a ValueInfoProto.
func (t Tensor) encode() Message {
	var shape Message
	for _, n := range t.Shape {
		var size Message
		if n >= 0 {
			size = size.Int(1, n)
		}
		shape = shape.Bytes(1, size)
	}
	kind := Message(nil).Int(1, int64(t.DType)).Bytes(2, shape)
	return Message(nil).Text(1, t.Name).Bytes(2, Message(nil).Bytes(1, kind))
}

// Write writes the model's file, those beside it, and the folders above it.
func (g *Graph) Write(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	for name, data := range g.external {
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), name), data, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(path, g.Bytes(), 0o644)
}
