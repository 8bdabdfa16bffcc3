package pictures

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Statistics contains the mean and covariance of the features of a set of pictures.
type Statistics struct {
	mean       []float64
	covariance *mat.SymDense
}

// Width returns the number of features per picture.
func (s *Statistics) Width() int { return len(s.mean) }

// maxAsymmetry is the maximum difference between a covariance and its transpose, as a share of its largest value.
const maxAsymmetry = 1e-6

// NewStatistics returns statistics with the given mean and covariance. The covariance is in C order, len(mean) x
// len(mean). The caller must not change either slice afterwards. It returns an ErrStatistics that lists all faults:
// unequal widths, NaN or infinite numbers, asymmetry.
func NewStatistics(mean, covariance []float64) (*Statistics, error) {
	d := len(mean)
	if d == 0 || len(covariance) != d*d {
		return nil, fmt.Errorf("%w: a mean of %d and a covariance of %d numbers, want n and n times n", ErrStatistics, d,
			len(covariance))
	}
	largest, apart := 0.0, 0.0
	for i := range d {
		for j := range i + 1 {
			a, b := covariance[i*d+j], covariance[j*d+i]
			largest, apart = max(largest, math.Abs(a), math.Abs(b)), max(apart, math.Abs(a-b))
		}
	}
	var faults []error
	if !allFinite(mean) {
		faults = append(faults, errors.New("the mean holds NaN or an infinite number"))
	}
	if !allFinite(covariance) {
		faults = append(faults, errors.New("the covariance holds NaN or an infinite number"))
	} else if apart > maxAsymmetry*largest {
		faults = append(faults, fmt.Errorf("the covariance is not symmetric: two numbers differ by %v", apart))
	}
	if len(faults) > 0 {
		return nil, fmt.Errorf("%w: %w", ErrStatistics, errors.Join(faults...))
	}
	return &Statistics{mean: mean, covariance: mat.NewSymDense(d, covariance)}, nil
}

func allFinite(v []float64) bool {
	return !slices.ContainsFunc(v, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

// Distance returns FID_SCORE: |m1-m2|^2 + tr S1 + tr S2 - 2 tr sqrt(S1 S2), which is at least 0 except for rounding. If
// a covariance is singular, for example with fewer pictures than features, the result is the limit for regular
// covariances. The official script computes scipy's matrix root, which differs by a relative error of about 1e-9.
// Unequal widths yield an ErrStatistics.
func Distance(real, generated *Statistics) (float64, error) {
	if real.Width() != generated.Width() {
		return 0, fmt.Errorf("%w: those of the real pictures have %d features, those of the generated ones %d: are they of "+
			"the same network?", ErrStatistics, real.Width(), generated.Width())
	}
	sum := mat.Trace(real.covariance) + mat.Trace(generated.covariance)
	for i, m := range real.mean {
		sum += float64((m - generated.mean[i]) * (m - generated.mean[i]))
	}
	root, err := traceOfRoot(real.covariance, generated.covariance)
	return sum - 2*root, err
}

// traceOfRoot returns the trace of the root of a b. With a = F F', a b has the eigenvalues of F' b F, and the trace is
// the sum of their roots.
func traceOfRoot(a, b *mat.SymDense) (float64, error) {
	var c mat.Cholesky
	if !c.Factorize(a) {
		if a, b = b, a; !c.Factorize(a) {
			return traceOfSingular(a, b)
		}
	}
	var f mat.TriDense
	c.LTo(&f)
	return sumOfRoots(congruence(f.RawTriangular(), b))
}

// congruence returns F' b F for a lower triangular F. It computes panels that leave out most zeros of F and the upper
// triangle of the result.
func congruence(f blas64.Triangular, b *mat.SymDense) *mat.SymDense {
	d := f.N
	square := func() blas64.General { return blas64.General{Rows: d, Cols: d, Stride: d, Data: make([]float64, d*d)} }
	whole := blas64.General{Rows: d, Cols: d, Stride: f.Stride, Data: f.Data}
	raw := b.RawSymmetric() // both triangles are set
	symmetric := blas64.General{Rows: d, Cols: d, Stride: raw.Stride, Data: raw.Data}
	right, out := square(), square()
	for from := 0; from < d; from += panelWidth {
		to := min(from+panelWidth, d)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, submatrix(symmetric, 0, d, from, d), submatrix(whole, from, d, from, to),
			0, submatrix(right, 0, d, from, to))
	}
	for from := 0; from < d; from += panelWidth {
		to := min(from+panelWidth, d)
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, submatrix(whole, from, d, from, to), submatrix(right, from, d, 0, to),
			0, submatrix(out, from, to, 0, to))
	}
	return symmetricOfLower(out)
}

// traceOfSingular does the work of traceOfRoot if a has no Cholesky factor. F then consists of the eigenvectors of a
// times the roots of its eigenvalues. Negative eigenvalues, caused by rounding, count as 0.
func traceOfSingular(a, b *mat.SymDense) (float64, error) {
	var e mat.EigenSym
	if !e.Factorize(a, true) {
		return 0, fmt.Errorf("%w: the eigenvalues of a covariance do not converge", ErrStatistics)
	}
	var vectors, right, out mat.Dense
	e.VectorsTo(&vectors)
	for j, v := range e.Values(nil) {
		root := math.Sqrt(max(v, 0))
		for i := range vectors.RawMatrix().Rows {
			vectors.Set(i, j, vectors.At(i, j)*root)
		}
	}
	right.Mul(b, &vectors)
	out.Mul(vectors.T(), &right)
	return sumOfRoots(symmetricOfLower(out.RawMatrix()))
}

func sumOfRoots(m *mat.SymDense) (float64, error) {
	var e mat.EigenSym
	if !e.Factorize(m, false) {
		return 0, fmt.Errorf("%w: the eigenvalues of the covariances' product do not converge", ErrStatistics)
	}
	sum := 0.0
	for _, v := range e.Values(nil) {
		sum += math.Sqrt(max(v, 0))
	}
	return sum, nil
}
