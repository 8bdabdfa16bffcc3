package resnet50

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// errOutput is wrapped by every error about a model's output.
var errOutput = errors.New("the model's output is not one answer per picture")

// appendAnswers appends a payload per picture: its class minus the offset, or its five best classes, as little-endian
// float32. The official benchmark writes this form.
func (b classifierBinding) appendAnswers(out backend.Tensor, n int, p *sdk.Payloads) error {
	row, err := b.rowBytes(out, n)
	if err != nil {
		return err
	}
	if out.DType == backend.Float16 {
		scores, err := pictures.ReadFloats(out)
		if err != nil {
			return fmt.Errorf("%w: %w", errOutput, err)
		}
		out.DType, out.Data, row = backend.Float32, backend.Bytes(scores), 2*row
	}
	best := max(1, b.Best)
	var classes [5]int64
	var payload [4 * len(classes)]byte
	for i := range n {
		if err := b.findBestClasses(classes[:best], out.DType, out.Data[i*row:(i+1)*row]); err != nil {
			return fmt.Errorf("%w: picture %d of the batch: %w", errOutput, i, err)
		}
		for k, class := range classes[:best] {
			binary.LittleEndian.PutUint32(payload[4*k:], math.Float32bits(float32(class-b.Offset)))
		}
		p.Append(payload[:4*best])
	}
	return nil
}

// findBestClasses writes the best classes of a row in the model's numbering, best first: a single class, or the classes
// with the highest scores.
func (b classifierBinding) findBestClasses(best []int64, d backend.DType, row []byte) error {
	switch d {
	case backend.Int64:
		best[0] = int64(binary.LittleEndian.Uint64(row))
	case backend.Int32:
		best[0] = int64(int32(binary.LittleEndian.Uint32(row)))
	default:
		return findTopScores(best, row)
	}
	return nil
}

// findTopScores writes the indices of the largest float32 values in a row. Of equal values, the first comes first.
func findTopScores(best []int64, row []byte) error {
	if len(row)/4 < len(best) {
		return fmt.Errorf("%d scores, want at least %d", len(row)/4, len(best))
	}
	scores := make([]float64, 0, len(best)+1)
	for i := 0; i < len(row); i += 4 {
		v := float64(math.Float32frombits(binary.LittleEndian.Uint32(row[i:])))
		if v != v {
			return fmt.Errorf("score %d is not a number", i/4)
		}
		at := len(scores)
		for at > 0 && v > scores[at-1] {
			at--
		}
		if at == len(best) {
			continue
		}
		scores = slices.Insert(scores, at, v)
		copy(best[at+1:], best[at:])
		best[at], scores = int64(i/4), scores[:min(len(scores), len(best))]
	}
	return nil
}

// rowBytes returns the size of the output for one of n pictures.
func (b classifierBinding) rowBytes(out backend.Tensor, n int) (int, error) {
	least := out.DType.Size()
	switch {
	case b.Scores != (out.DType == backend.Float32 || out.DType == backend.Float16) ||
		!b.Scores && out.DType != backend.Int64 && out.DType != backend.Int32:
		want := "int64 or int32"
		if b.Scores {
			want = "float32 or float16"
		}
		return 0, fmt.Errorf("%w: %q is %v, want %s; parameter answer chooses between class numbers and scores", errOutput,
			out.Name, out.DType, want)
	case n == 0 || len(out.Data)%n != 0 || len(out.Data)/n < least || !b.Scores && len(out.Data)/n != least:
		return 0, fmt.Errorf("%w: %q has shape %s (%d bytes) for a batch of %d", errOutput, out.Name,
			backend.ShapeString(out.Shape), len(out.Data), n)
	}
	row := len(out.Data) / n
	if row%least != 0 {
		return 0, fmt.Errorf("%w: %q has %d bytes per picture, want a multiple of %d", errOutput, out.Name, row, least)
	}
	return row, nil
}
