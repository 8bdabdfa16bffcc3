package onnx

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// ErrNotONNX is in the chain of the error for a file of another kind.
var ErrNotONNX = errors.New("not an ONNX model")

// ErrDamaged is in the chain of the error for a truncated or inconsistent model.
var ErrDamaged = errors.New("damaged ONNX model")

// Model is the signature of a model.
type Model struct {
	IRVersion int64
	Producer  string // "tf2onnx 1.5.2"; may be empty
	Opset     int64  // version of the standard operators
	// Metadata contains the exporter's metadata (metadata_props): the first maxMetadata entries, without entries over
	// maxName bytes. nil: none.
	Metadata map[string]string
	// Inputs contains the inputs of a run: the graph's inputs without those that an initializer fills.
	Inputs, Outputs []Value
	// External lists the files of external data, each once and in order. The names are relative to the model's folder.
	External []string
	// ORTFormat is true if the file has ONNX Runtime's own format. All other fields are then empty.
	ORTFormat bool
}

// Value describes an input or an output.
type Value struct {
	Name string
	Elem int32 // TensorProto.DataType: 1 is float, 7 is int64; 0 if the value is not a dense tensor
	// Ranked is false if the model does not state the number of dimensions.
	Ranked bool
	Dims   []Dim
}

// Dim is one dimension. It has either a size or, if it is free (Size -1), possibly a name. Dimensions with the same
// name are equal.
type Dim struct {
	Size int64
	Name string
}

// Complete reports whether the file states the rank of every tensor.
func (m Model) Complete() bool {
	open := func(v Value) bool { return !v.Ranked && v.Elem != 0 }
	return !m.ORTFormat && !slices.ContainsFunc(m.Inputs, open) && !slices.ContainsFunc(m.Outputs, open)
}

// Fields of onnx.proto, by number and wire type.
const (
	modelIRVersion       = 1<<3 | wireVarint
	modelProducer        = 2<<3 | wireBytes
	modelProducerVersion = 3<<3 | wireBytes
	modelGraph           = 7<<3 | wireBytes
	modelOpset           = 8<<3 | wireBytes
	modelMetadata        = 14<<3 | wireBytes

	opsetDomain  = 1<<3 | wireBytes
	opsetVersion = 2<<3 | wireVarint

	graphInitializer = 5<<3 | wireBytes
	graphInput       = 11<<3 | wireBytes
	graphOutput      = 12<<3 | wireBytes
	graphSparse      = 15<<3 | wireBytes

	sparseValues = 1<<3 | wireBytes
)

// Read reads the signature of the model in r, which has size bytes.
func Read(r io.ReaderAt, size int64) (Model, error) {
	if size == 0 {
		return Model{}, fmt.Errorf("%w: the file is empty", ErrNotONNX)
	}
	kind, err := sniffKind(r, size)
	if err != nil {
		return Model{}, err
	}
	switch kind {
	case "":
	case ortFormat:
		return Model{ORTFormat: true}, nil
	default:
		return Model{}, fmt.Errorf("%w: it looks like %s", ErrNotONNX, kind)
	}
	p := modelParser{filled: map[string]bool{}}
	err = messageCursor{src: &windowedFile{r: r, size: size}, end: size}.eachField(p.readModel)
	return p.finishModel(err)
}

// modelParser collects the fields of a Model.
type modelParser struct {
	m       Model
	version string
	graphs  int
	filled  map[string]bool // names of the inputs that an initializer fills
}

// finishModel completes the model and reports its faults. If parsing failed before a graph was found, the file is of
// another kind.
func (p *modelParser) finishModel(err error) (Model, error) {
	switch {
	case err != nil && !errors.Is(err, errTruncated) && !errors.Is(err, errMalformed):
		return Model{}, err
	case err != nil && (p.graphs > 0 || p.m.IRVersion > 0):
		return Model{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	case err != nil:
		return Model{}, fmt.Errorf("%w: %w", ErrNotONNX, err)
	case p.graphs == 0 && p.m.IRVersion > 0:
		return Model{}, fmt.Errorf("%w: it has no graph", ErrDamaged)
	case p.graphs == 0:
		return Model{}, fmt.Errorf("%w: it has no graph", ErrNotONNX)
	}
	if p.version != "" {
		p.m.Producer += " " + p.version
	}
	p.m.Inputs = slices.DeleteFunc(p.m.Inputs, func(v Value) bool { return p.filled[v.Name] })
	return p.m, nil
}

func (p *modelParser) readModel(f messageField) (err error) {
	switch f.tag {
	case modelIRVersion:
		p.m.IRVersion = int64(f.value)
	case modelProducer:
		p.m.Producer, err = f.textValue()
	case modelProducerVersion:
		p.version, err = f.textValue()
	case modelOpset:
		return f.body.eachField(p.opsetReader())
	case modelMetadata:
		return p.readMetadata(f)
	case modelGraph:
		p.graphs++
		return f.body.eachField(p.readGraph)
	}
	return err
}

// opsetReader returns a visitor that stores the version of the standard operators, whose domain is empty. A domain
// precedes its version.
func (p *modelParser) opsetReader() func(messageField) error {
	domain := ""
	return func(f messageField) (err error) {
		switch f.tag {
		case opsetDomain:
			domain, err = f.textValue()
		case opsetVersion:
			if domain == "" || domain == "ai.onnx" {
				p.m.Opset = int64(f.value)
			}
		}
		return err
	}
}

func (p *modelParser) readGraph(f messageField) error {
	switch f.tag {
	case graphInput:
		return readValue(f, &p.m.Inputs)
	case graphOutput:
		return readValue(f, &p.m.Outputs)
	case graphInitializer:
		return f.body.eachField(p.readInitializer)
	case graphSparse:
		return f.body.eachField(p.readSparse)
	}
	return nil
}

// readSparse reads an initializer of type SparseTensorProto, whose name is that of its values.
func (p *modelParser) readSparse(f messageField) error {
	if f.tag == sparseValues {
		return f.body.eachField(p.readInitializer)
	}
	return nil
}
