package criteo

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/internal/npy"
)

// reorderedName is the file from which the binary file of the one-hot layout is made. It contains the arrays X_int,
// X_cat and y.
const reorderedName = "day_23_reordered.npz"

// reorderedDTypes returns the dtypes that the arrays may have.
func reorderedDTypes() []string { return []string{"<i4", "<i8", "<f4", "<f8"} }

// reorderedArrays contains the arrays of the file. Arrays that are compressed, as in the published file, are unpacked
// into memory: 14 GB for the whole day.
type reorderedArrays struct {
	denseNumbers, categories *fileArray
	modulus                  int32
	tableHotness             []int
}

func (h *reorderedArrays) hotness() []int { return h.tableHotness }

// readDense reads the dense numbers in the form that the model expects: log(x + 1).
func (h *reorderedArrays) readDense(dst []float32, start, end int) error {
	if h.denseNumbers == nil {
		return errLabelsOnly
	}
	values, err := h.denseNumbers.readFloats(start, end)
	if err != nil {
		return err
	}
	for i, v := range values {
		dst[i] = logPlusOne(float32(v))
	}
	return nil
}

func (h *reorderedArrays) readSparse(dst []int32, table, start, end int) error {
	if h.categories == nil {
		return errLabelsOnly
	}
	values, err := h.categories.readFloats(start, end)
	if err != nil {
		return err
	}
	for pair := range dst {
		v := values[pair*Tables+table]
		if v != math.Trunc(v) || v < math.MinInt32 || v > math.MaxInt32 {
			return fmt.Errorf("index of pair %d is %v, want a whole number of 32 bits", start+pair, v)
		}
		dst[pair] = limitIndex(int32(v), h.modulus)
	}
	return nil
}

func (h *reorderedArrays) tableName(table int) string {
	if table < 0 {
		return reorderedName + ": X_int.npy"
	}
	return fmt.Sprintf("%s: X_cat.npy, table %d", reorderedName, table)
}

// openReordered opens the pairs of the first half of the day.
func (s *PairSet) openReordered(dir string, o PairOptions, faults *fault.FaultList) {
	archive, f, size := s.openArchive(dir, reorderedName, faults)
	if archive == nil {
		return
	}
	h := &reorderedArrays{modulus: o.modulus(), tableHotness: oneHotness()}
	s.source = h
	labels := o.openMember(archive, f, size, "y.npy", 1, faults)
	if !o.LabelsOnly {
		h.denseNumbers = o.openMember(archive, f, size, "X_int.npy", DenseFeatures, faults)
		h.categories = o.openMember(archive, f, size, "X_cat.npy", Tables, faults)
		if s.rows == nil {
			s.rows = s.readCounts(dir, o, faults)
		}
	}
	if labels == nil {
		return
	}
	for _, a := range []*fileArray{h.denseNumbers, h.categories} {
		if a != nil && a.rows != labels.rows {
			faults.Addf(reorderedName, "%d and %d pairs in its arrays, want as many in each", a.rows, labels.rows)
		}
	}
	if faults.Len() == 0 {
		s.readLabels(labels.rows, reorderedName+": y.npy", faults, labels.readFloats)
	}
}

// openMember opens the pairs in use of an array with the given number of columns. If this fails, it adds a fault and
// returns nil.
func (o PairOptions) openMember(archive *zip.Reader, f io.ReaderAt, size int64, name string, columns int,
	faults *fault.FaultList) *fileArray {
	a, problem := o.openRows(archive, f, size, name)
	if problem == "" && a.columns != columns {
		problem = fmt.Sprintf("%d columns, want %d", a.columns, columns)
	}
	if problem != "" {
		faults.Addf(reorderedName+": "+name, "%s", problem)
		return nil
	}
	return a
}

func (o PairOptions) openRows(archive *zip.Reader, f io.ReaderAt, size int64, name string) (*fileArray, string) {
	for _, member := range archive.File {
		switch {
		case member.Name != name:
		case member.Method != zip.Store:
			return o.unpackMember(member)
		default:
			a, problem := openMember(f, size, member, reorderedDTypes()...)
			if problem == "" {
				a.rows = o.pairsInUse(a.rows)
			}
			return a, problem
		}
	}
	return nil, "the file has no such member, want X_int.npy, X_cat.npy and y.npy"
}

// unpackMember reads the pairs in use of a compressed array into memory.
func (o PairOptions) unpackMember(member *zip.File) (a *fileArray, problem string) {
	r, err := member.Open()
	if err != nil {
		return nil, err.Error()
	}
	defer func() { _ = r.Close() }() // only a part was read; its error is known
	h, err := npy.ReadHeader(r)
	if err != nil {
		return nil, err.Error()
	}
	a, problem = arrayFromHeader(h, int64(min(member.UncompressedSize64, math.MaxInt64)), reorderedDTypes()...)
	if problem != "" {
		return nil, problem
	}
	a.rows = o.pairsInUse(a.rows)
	var data bytes.Buffer
	if _, err := io.CopyN(&data, r, int64(a.rows)*int64(a.columns)*int64(dtypeSizes[a.dtype])); err != nil {
		return nil, fmt.Sprintf("it cannot be unpacked: %v", err)
	}
	a.file, a.offset = bytes.NewReader(data.Bytes()), 0
	return a, ""
}
