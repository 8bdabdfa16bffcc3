package resnet50

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// errOutput is in the chain of every error about what a model gave.
var errOutput = errors.New("the model's output is not one answer per picture")

// answers appends one payload per picture: its class after the offset as one little-endian float32, the form in which
// the official benchmark writes it.
func (b binding) answers(out backend.Tensor, n int, p *sdk.Payloads) error {
	row, err := b.rowBytes(out, n)
	if err != nil {
		return err
	}
	for i := range n {
		class, err := classOf(out.DType, out.Data[i*row:(i+1)*row])
		if err != nil {
			return fmt.Errorf("%w: picture %d of the batch: %w", errOutput, i, err)
		}
		var payload [4]byte
		binary.LittleEndian.PutUint32(payload[:], math.Float32bits(float32(class-b.offset)))
		p.Append(payload[:])
	}
	return nil
}

// rowBytes is how many bytes of the output belong to each of n pictures.
func (b binding) rowBytes(out backend.Tensor, n int) (int, error) {
	least := out.DType.Size()
	switch {
	case b.scores != (out.DType == backend.Float32) ||
		!b.scores && out.DType != backend.Int64 && out.DType != backend.Int32:
		want := "int64 or int32"
		if b.scores {
			want = "float32"
		}
		return 0, fmt.Errorf("%w: %q is %v, want %s; parameter answer chooses between class numbers and scores", errOutput,
			out.Name, out.DType, want)
	case n == 0 || len(out.Data)%n != 0 || len(out.Data)/n < least || !b.scores && len(out.Data)/n != least:
		return 0, fmt.Errorf("%w: %q has shape %s (%d bytes) for a batch of %d", errOutput, out.Name,
			backend.ShapeString(out.Shape), len(out.Data), n)
	}
	row := len(out.Data) / n
	if row%least != 0 {
		return 0, fmt.Errorf("%w: %q has %d bytes per picture, want a multiple of %d", errOutput, out.Name, row, least)
	}
	return row, nil
}

// classOf is the model's own number of the class that one picture's output names: by itself, or by the
// greatest of its scores.
func classOf(d backend.DType, row []byte) (int64, error) {
	switch d {
	case backend.Int64:
		return int64(binary.LittleEndian.Uint64(row)), nil
	case backend.Int32:
		return int64(int32(binary.LittleEndian.Uint32(row))), nil
	}
	return argmax(row)
}

// argmax returns the index of the greatest of the row's float32 values, the first of equal ones.
func argmax(row []byte) (int64, error) {
	best, at := math.Inf(-1), 0
	for i := 0; i < len(row); i += 4 {
		v := float64(math.Float32frombits(binary.LittleEndian.Uint32(row[i:])))
		if v != v {
			return 0, fmt.Errorf("score %d is not a number", i/4)
		}
		if v > best {
			best, at = v, i/4
		}
	}
	return int64(at), nil
}
