package pictures

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// FeatureSet collects the features of pictures, 8 KB for each picture with 2,048 features. The zero value is empty. It
// is not safe for concurrent use.
type FeatureSet struct {
	width  int
	values []float32 // a row for each picture
}

// Add copies and adds the features of a picture. All pictures must have the same number of features, without NaN and
// infinite values. A picture with an error does not count.
func (f *FeatureSet) Add(features []float32) error {
	if len(features) == 0 || f.width != 0 && len(features) != f.width {
		return fmt.Errorf("%w: %d of picture %d, want %d", ErrFeatures, len(features), f.Len(), max(f.width, 1))
	}
	for i, v := range features {
		if v64 := float64(v); math.IsNaN(v64) || math.IsInf(v64, 0) {
			return fmt.Errorf("%w: number %d of picture %d is %v", ErrFeatures, i, f.Len(), v)
		}
	}
	f.width = len(features)
	f.values = append(f.values, features...)
	return nil
}

// Len returns the number of pictures.
func (f *FeatureSet) Len() int {
	if f.width == 0 {
		return 0
	}
	return len(f.values) / f.width
}

// Statistics returns the mean and the covariance, divided by n-1 like numpy.cov. It requires two or more pictures.
func (f *FeatureSet) Statistics() (*Statistics, error) {
	if f.Len() < 2 {
		return nil, fmt.Errorf("%w: %d pictures, want at least 2 for a covariance", ErrFeatures, f.Len())
	}
	mean := make([]float64, f.width)
	for i, v := range f.values {
		mean[i%f.width] += float64(v)
	}
	for i := range mean {
		mean[i] /= float64(f.Len())
	}
	return &Statistics{mean: mean, covariance: f.sumCovariance(mean)}, nil
}

// Block sizes of matrix products: a block of rows fits a cache, and panels leave out most of the symmetric half.
const (
	blockRows  = 256
	panelWidth = 128
)

// sumCovariance sums the products of the pictures' deviations from the mean, block by block. It computes only the lower
// triangle.
func (f *FeatureSet) sumCovariance(mean []float64) *mat.SymDense {
	d := f.width
	sum := blas64.General{Rows: d, Cols: d, Stride: d, Data: make([]float64, d*d)}
	block := blas64.General{Cols: d, Stride: d, Data: make([]float64, min(blockRows, f.Len())*d)}
	scale := 1 / float64(f.Len()-1)
	for rows := range slices.Chunk(f.values, blockRows*d) {
		block.Rows = len(rows) / d
		for i, v := range rows {
			block.Data[i] = float64(v) - mean[i%d]
		}
		for from := 0; from < d; from += panelWidth {
			to := min(from+panelWidth, d)
			blas64.Gemm(blas.Trans, blas.NoTrans, scale, submatrix(block, 0, block.Rows, from, to), submatrix(block, 0,
				block.Rows, 0, to),
				1, submatrix(sum, from, to, 0, to))
		}
	}
	return symmetricOfLower(sum)
}

// submatrix returns rows row to rowEnd-1 and columns col to colEnd-1 of m.
func submatrix(m blas64.General, row, rowEnd, col, colEnd int) blas64.General {
	return blas64.General{Rows: rowEnd - row, Cols: colEnd - col, Stride: m.Stride, Data: m.Data[row*m.Stride+col:]}
}

// symmetricOfLower returns the symmetric matrix with the lower triangle of m. It reuses the memory of m.
func symmetricOfLower(m blas64.General) *mat.SymDense {
	for i := range m.Rows {
		for j := range i {
			m.Data[j*m.Stride+i] = m.Data[i*m.Stride+j]
		}
	}
	return mat.NewSymDense(m.Rows, m.Data)
}
