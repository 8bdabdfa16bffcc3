package coco2014

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/plumbline-ml/plumbline/internal/bounded"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/internal/npy"
)

// FeatureStatistics contains the mean and covariance of the features of the real pictures.
type FeatureStatistics struct {
	Mean       []float64 // "mu"
	Covariance []float64 // "sigma", in C order: len(Mean) x len(Mean)
}

// maxFeatures limits the number of features; the official statistics have 2,048.
const maxFeatures = 1 << 13

// StatisticsFile is the default path of the real pictures' statistics, relative to the data set's folder.
const StatisticsFile = "val2014.npz"

// ReadStatistics reads a NumPy archive with the arrays mu and sigma, which must be float64 or float32 and have the same
// width. It does not check the values. The error lists every fault and wraps ErrDataset.
func ReadStatistics(path string) (s *FeatureStatistics, err error) {
	f, err := bounded.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDataset, err)
	}
	defer func() { _ = f.Close() }() // it was read
	info, err := f.Stat()
	if err == nil {
		s, err = ParseStatistics(f, info.Size())
	}
	return s, fault.WrapError(ErrDataset, path, err)
}

// ParseStatistics parses the archive of ReadStatistics from the size bytes of r.
func ParseStatistics(r io.ReaderAt, size int64) (*FeatureStatistics, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("it is no archive of NumPy's, or cut short: %w", err)
	}
	mean, shape, err := readMember(z, "mu.npy", maxFeatures)
	covariance, square, err2 := readMember(z, "sigma.npy", maxFeatures*maxFeatures)
	if err = errors.Join(err, err2); err == nil && (len(shape) != 1 || len(square) != 2 || square[0] != shape[0] ||
		square[1] != shape[0] || shape[0] == 0) {
		err = fmt.Errorf("mu of the shape %v and sigma of %v, want (n) and (n, n)", shape, square)
	}
	if err != nil {
		return nil, err
	}
	return &FeatureStatistics{mean, covariance}, nil
}

func readMember(z *zip.Reader, name string, maxValues int64) (numbers []float64, shape []int, err error) {
	f, err := z.Open(name)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	defer func() { _ = f.Close() }() // it was read
	h, data, err := readArray(f, maxValues)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	switch h.DType {
	case "<f8":
		for ; len(data) > 0; data = data[8:] {
			numbers = append(numbers, math.Float64frombits(binary.LittleEndian.Uint64(data)))
		}
	case "<f4":
		for ; len(data) > 0; data = data[4:] {
			numbers = append(numbers, float64(math.Float32frombits(binary.LittleEndian.Uint32(data))))
		}
	default:
		return nil, nil, fmt.Errorf("%s: an array of %v, want <f8 or <f4", name, h)
	}
	return numbers, h.Shape, nil
}

// readArray reads an array of up to maxValues floats in C order. Data after the array is an error.
func readArray(r io.Reader, maxValues int64) (*npy.Header, []byte, error) {
	h, err := npy.ReadHeader(r)
	if err != nil {
		return nil, nil, err
	}
	size := map[string]int{"<f4": 4, "<f8": 8}[h.DType]
	if size == 0 || h.Fortran {
		return nil, nil, fmt.Errorf("an array of %v, want floats in C order", h)
	}
	n := h.DataSize(size)
	if n < 0 || n > maxValues*int64(size) {
		return nil, nil, fmt.Errorf("an array of %v, want at most %d numbers", h, maxValues)
	}
	data, err := io.ReadAll(io.LimitReader(r, n+1))
	if err == nil && int64(len(data)) != n {
		err = fmt.Errorf("an array of %v needs %d bytes, and there are %s", h, n, countProblem(int64(len(data)), n))
	}
	return h, data, err
}

func countProblem(found, want int64) string {
	if found > want {
		return "more"
	}
	return fmt.Sprint(found)
}
