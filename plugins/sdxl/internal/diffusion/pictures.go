package diffusion

import (
	"fmt"
	"math"

	"gorgonia.org/tensor"

	"github.com/plumbline-ml/plumbline/internal/half"
)

const channels = 3

// encodePictures converts the output of the decoder, (n, 3, H, W) in numbers of a format, to bytes.
func encodePictures(decoded *tensor.Dense, n int, f half.Format) ([][]byte, error) {
	shape := decoded.Shape()
	if len(shape) != 4 || shape[0] != n || shape[1] != channels {
		return nil, fmt.Errorf("%w: the decoder gave %v, want (%d, 3, height, width)", ErrShape, shape, n)
	}
	all := make([][]byte, n)
	values := floatValues(decoded)
	size := len(values) / n
	for i := range all {
		all[i] = make([]byte, size)
		EncodeLevels(all[i], values[size*i:][:size], f)
	}
	return all, nil
}

// EncodeLevels converts a picture with values from -1 to 1, stored as one plane per colour, to levels from 0 to 255,
// and writes them to dst pixel by pixel. Values outside the range are clipped, and halves are rounded to even. The
// arithmetic uses numbers of format f.
func EncodeLevels(dst []byte, planes []float32, f half.Format) {
	n := len(dst) / channels
	for c := range channels {
		for i, v := range planes[n*c:][:n] {
			share := min(max(f.Round(float32(v/2)+0.5), 0), 1)
			dst[channels*i+c] = byte(math.RoundToEven(float64(f.Round(share * 255))))
		}
	}
}
