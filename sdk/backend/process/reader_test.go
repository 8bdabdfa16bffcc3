package process

import (
	"context"
	"encoding/binary"
	"math"
	"sync"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// The shapes of an image classifier: a row of the input is 602,112 bytes, one of the output 4,000.
const (
	pixels = 3 * 224 * 224
	scores = 1000
)

// reader is a backend whose model reads one element in each cache line of a row. It answers with their sum and the
// first and last element of the row. It is as fast as a device that only receives its inputs.
type reader struct{}

func readerModel() backend.Model {
	s := &readerSession{}
	return backend.Model{Name: "reader", Bytes: []byte("reader"), Inputs: s.Inputs(), Outputs: s.Outputs()}
}

func (reader) Open(_ context.Context, _ backend.Model, c backend.Config) (backend.Session, error) {
	return &readerSession{concurrency: c.Concurrency}, nil
}

type readerSession struct {
	concurrency int
	outputs     sync.Pool // of *[]byte
}

func (*readerSession) Inputs() []backend.TensorInfo {
	return []backend.TensorInfo{{Name: "images", DType: backend.Float32, Shape: []int64{-1, pixels}}}
}

func (*readerSession) Outputs() []backend.TensorInfo {
	return []backend.TensorInfo{{Name: "scores", DType: backend.Float32, Shape: []int64{-1, scores}}}
}

func (s *readerSession) Limits() backend.Limits { return backend.Limits{Concurrency: s.concurrency} }
func (*readerSession) Close() error             { return nil }

func (s *readerSession) Run(_ context.Context, in, out []backend.Tensor) error {
	if err := backend.CheckTensors("input", s.Inputs(), in); err != nil {
		return err
	}
	rows := int(in[0].Shape[0])
	data, free := s.memory(4 * scores * rows)
	for i := range rows {
		readRow(backend.View[float32](in[0].Data)[i*pixels:][:pixels], data[4*scores*i:])
	}
	out[0] = backend.Tensor{DType: backend.Float32, Shape: []int64{int64(rows), scores}, Data: data, Free: free}
	return nil
}

// readRow writes the answer to one row: sum, first, last.
func readRow(row []float32, to []byte) {
	const line = 64 / 4
	sum := float32(0)
	for i := 0; i < len(row); i += line {
		sum += row[i]
	}
	for i, v := range []float32{sum, row[0], row[len(row)-1]} {
		binary.LittleEndian.PutUint32(to[4*i:], math.Float32bits(v))
	}
}

func (s *readerSession) memory(n int) ([]byte, func()) {
	b, _ := s.outputs.Get().(*[]byte)
	if b == nil || len(*b) < n {
		fresh := make([]byte, n)
		b = &fresh
	}
	return (*b)[:n], func() { s.outputs.Put(b) }
}
