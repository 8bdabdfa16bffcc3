package coco2014

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/bounded"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/datasets/internal/torchfile"
)

// LatentNoise is the noise from which every picture is generated.
type LatentNoise struct {
	Shape  [4]int    // 1, channels, height, width
	Values []float32 // in C order
}

// maxLatents limits the number of values of a latent; the official one has 65,536.
const maxLatents = 1 << 26

// FindLatents returns the path of the latents in dir: latents/latents.npy, or latents.pt if the former does not exist.
func FindLatents(dir string) string {
	path := filepath.Join(dir, "latents", "latents.npy")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if torch := strings.TrimSuffix(path, ".npy") + ".pt"; fault.PathExists(torch) {
			return torch
		}
	}
	return path
}

// ReadLatents reads a NumPy array, or a torch.save tensor from a *.pt file without executing any code. The array must
// be finite float32 values of the shape (1, channels, height, width). Errors wrap ErrDataset.
func ReadLatents(path string) (*LatentNoise, error) {
	shape, data, err := readTensor(path)
	if err != nil {
		return nil, fault.WrapError(ErrDataset, path, err)
	}
	l, err := newLatents(shape, data)
	return l, fault.WrapError(ErrDataset, path, err)
}

func readTensor(path string) (shape []int, data []byte, err error) {
	if filepath.Ext(path) == ".pt" {
		t, err := torchfile.ReadTensor(path, torchfile.Float, maxLatents)
		if err != nil {
			return nil, nil, fmt.Errorf("%w; latents.npy, the same numbers in NumPy's form, is read, too", err)
		}
		sides := make([]int, len(t.Shape))
		for i, side := range t.Shape {
			sides[i] = int(side)
		}
		return sides, t.Data, nil
	}
	f, err := bounded.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	h, data, err := readArray(f, maxLatents)
	if err != nil {
		return nil, nil, err
	}
	if h.DType != "<f4" {
		return nil, nil, fmt.Errorf("an array of %v, want <f4", h)
	}
	return h.Shape, data, nil
}

func newLatents(shape []int, data []byte) (*LatentNoise, error) {
	if len(shape) != 4 || shape[0] != 1 || len(data) == 0 {
		return nil, fmt.Errorf("the shape %v, want one latent for all samples: (1, channels, height, width)", shape)
	}
	l := &LatentNoise{Shape: [4]int(shape), Values: make([]float32, len(data)/4)}
	for i := range l.Values {
		v := math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		if wide := float64(v); math.IsNaN(wide) || math.IsInf(wide, 0) {
			return nil, fmt.Errorf("number %d is %v", i, v)
		}
		l.Values[i] = v
	}
	return l, nil
}
