package streaming

import (
	"errors"
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/datasets/internal/mapped"
	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/half"
	"github.com/plumbline-ml/plumbline/internal/npy"
)

// EmbeddingTable is an embedding table in a .npy file, [rows width] of float16 or float32. Rows are read on demand
// through the operating system's cache. Until Close, it may be used from several goroutines.
type EmbeddingTable struct {
	Rows, Width int

	path      string
	memory    *mapped.MappedFile
	data      []byte // elements of all rows
	rowBytes  int    // size of a row in bytes
	isFloat32 bool   // elements are float32
}

// OpenTable maps a table. The shape in its header must agree with its length. Errors wrap ErrDataset.
func OpenTable(path string) (*EmbeddingTable, error) {
	t := &EmbeddingTable{path: path}
	if err := t.openFile(); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDataset, path, errors.Join(err, t.Close()))
	}
	return t, nil
}

func (t *EmbeddingTable) openFile() error {
	f, err := bounded.Open(t.path)
	if err != nil {
		return err
	}
	h, err := npy.ReadHeader(f)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	sizes := map[string]int{"<f2": 2, "<f4": 4}
	size := sizes[h.DType]
	if size == 0 || len(h.Shape) != 2 || h.Shape[0] < 1 || h.Shape[1] < 1 || h.Fortran {
		return fmt.Errorf("an array of %v, want [rows width] of <f2 or <f4 in C order", h)
	}
	if t.memory, err = mapped.Open(t.path); err != nil {
		return err
	}
	length := h.DataSize(size)
	if length < 0 || length > math.MaxInt || int64(len(t.memory.Bytes()))-h.Length != length {
		return fmt.Errorf("an array of %v in a file of %d bytes: is it complete?", h, len(t.memory.Bytes()))
	}
	t.Rows, t.Width, t.rowBytes, t.isFloat32 = h.Shape[0], h.Shape[1], size*h.Shape[1], size == 4
	t.data = t.memory.Bytes()[h.Length:]
	return nil
}

// GatherRows copies rows into dst, Width values per row.
func (t *EmbeddingTable) GatherRows(dst []float32, rows ...int32) error {
	for _, r := range rows {
		if int(r) >= t.Rows || r < 0 {
			return fmt.Errorf("%w: %s: row %d, want 0 to %d", ErrDataset, t.path, r, t.Rows-1)
		}
	}
	err := mapped.CatchFaults(func() {
		for i, r := range rows {
			t.decodeRows(dst[i*t.Width:(i+1)*t.Width], t.data[int(r)*t.rowBytes:(int(r)+1)*t.rowBytes])
		}
	})
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrDataset, t.path, err)
	}
	return nil
}

func (t *EmbeddingTable) decodeRows(dst []float32, data []byte) {
	if !t.isFloat32 {
		half.Float16.Decode(dst, data)
		return
	}
	for i := range dst {
		dst[i] = math.Float32frombits(uint32(data[4*i]) | uint32(data[4*i+1])<<8 | uint32(data[4*i+2])<<16 |
			uint32(data[4*i+3])<<24)
	}
}

// Close unmaps the file.
func (t *EmbeddingTable) Close() error {
	if t.memory == nil {
		return nil
	}
	return t.memory.Close()
}
