package onnxfile

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// DType is the element type of a tensor, by ONNX's number.
type DType int

// The element types of official models.
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

// Graph is a model that is being built. Its zero value is empty.
type Graph struct {
	Inputs, Outputs []Tensor
	Metadata        map[string]string // metadata_props

	nodes, constants []Message
	external         map[string][]byte // files next to the model's file
	names            int
}

// AddInput adds an input and returns its name.
func (g *Graph) AddInput(name string, t DType, shape ...int64) string {
	g.Inputs = append(g.Inputs, Tensor{name, t, shape})
	return name
}

// AddOutput makes the value with that name an output.
func (g *Graph) AddOutput(name string, t DType, shape ...int64) {
	g.Outputs = append(g.Outputs, Tensor{name, t, shape})
}

// newName returns a new name.
func (g *Graph) newName() string {
	g.names++
	return fmt.Sprintf("value_%d", g.names)
}

// AddFloats adds a constant in C order and returns its name. Without a shape it is a scalar.
func (g *Graph) AddFloats(values []float32, shape ...int64) string {
	return addConstant(g, Float, values, shape)
}

// AddInts adds an int64 constant in C order and returns its name. Without a shape it is a scalar.
func (g *Graph) AddInts(values []int64, shape ...int64) string {
	return addConstant(g, Int64, values, shape)
}

// AddExternal adds a constant whose values are in a file next to the model's, like those of large models.
func (g *Graph) AddExternal(file string, values []float32, shape ...int64) string {
	data := encode(values)
	var m Message
	for _, n := range shape {
		m = m.Int(1, n)
	}
	name, offset := g.newName(), len(g.external[file])
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

// AddBools adds a constant of truth values in C order and returns its name. Without a shape it is a scalar.
func (g *Graph) AddBools(values []bool, shape ...int64) string {
	return addConstant(g, Bool, values, shape)
}

// Random draws numbers in [-scale, scale) for a shape.
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

// addConstant encodes a TensorProto.
func addConstant[T float32 | int64 | bool](g *Graph, t DType, values []T, shape []int64) string {
	var m Message
	for _, n := range shape {
		m = m.Int(1, n)
	}
	name := g.newName()
	g.constants = append(g.constants, m.Int(2, int64(t)).Text(8, name).Bytes(9, encode(values)))
	return name
}

// encode returns the bytes of numbers.
func encode[T float32 | int64 | bool](values []T) []byte {
	data, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		panic(err) // cannot happen for these types
	}
	return data
}

// AddNode adds an operator with one output, and returns the output's name.
func (g *Graph) AddNode(op string, inputs []string, attributes ...Attribute) string {
	out := g.newName()
	g.AddNamedNode([]string{out}, op, inputs, attributes...)
	return out
}

// AddNamedNode adds an operator with the given names of outputs.
func (g *Graph) AddNamedNode(outputs []string, op string, inputs []string, attributes ...Attribute) {
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

// Int returns an attribute with one whole number.
func Int(name string, v int64) Attribute {
	return Attribute(Message(nil).Text(1, name).Int(3, v).Int(20, 2))
}

// IntList returns an attribute with whole numbers.
func IntList(name string, values ...int64) Attribute {
	m := Message(nil).Text(1, name)
	for _, v := range values {
		m = m.Int(8, v)
	}
	return Attribute(m.Int(20, 7))
}

// Subgraph returns an attribute with a graph, such as the body of a Loop.
func Subgraph(name string, body *Graph) Attribute {
	return Attribute(Message(nil).Text(1, name).Bytes(6, body.encode()).Int(20, 5))
}

// Versions that every ONNX Runtime of recent years reads.
const (
	irVersion = 8
	opset     = 13
)

// Bytes returns the model's file.
func (g *Graph) Bytes() []byte {
	operators := Message(nil).Text(1, "").Int(2, opset)
	m := Message(nil).Int(1, irVersion).Bytes(7, g.encode()).Bytes(8, operators)
	for _, key := range slices.Sorted(maps.Keys(g.Metadata)) {
		m = m.Bytes(14, Message(nil).Text(1, key).Text(2, g.Metadata[key]))
	}
	return m
}

// encode returns a GraphProto.
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

// encode returns a ValueInfoProto.
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

// Write writes the model's file and its external files, and creates the folders above.
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
