package criteo

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
)

// File names of the multi-hot layout. The name of a variant is inserted before the suffix.
const (
	denseName  = "day_23_dense.npy"
	sparseName = "day_23_sparse_multi_hot.npz"
	labelsName = "day_23_labels.npy"
)

func (o PairOptions) variantName(file string) string {
	stem, suffix, _ := strings.Cut(file, ".")
	return stem + string(o.Variant) + "." + suffix
}

// hasFiles reports whether dir contains a file of the multi-hot layout.
func (o PairOptions) hasFiles(dir string) bool {
	return slices.ContainsFunc([]string{denseName, sparseName, labelsName}, func(name string) bool {
		return fault.PathExists(filepath.Join(dir, o.variantName(name)))
	})
}

// otherVariants returns the part of the error message that names other variants with files in dir, or "".
func (o PairOptions) otherVariants(dir string) string {
	var found []string
	for _, v := range []SizeVariant{Full, Sample, Debug} {
		if v != o.Variant && (PairOptions{Variant: v}).hasFiles(dir) {
			found = append(found, "variant="+cmp.Or(strings.TrimPrefix(string(v), "_"), "full"))
		}
	}
	if len(found) == 0 {
		return ""
	}
	return ", but files of " + strings.Join(found, " and ") + ", which that parameter chooses"
}

// multiHot contains the arrays of the multi-hot layout. One file contains all tables.
type multiHot struct {
	numbers      *fileArray
	tables       [Tables]*fileArray
	tableHotness []int
	names        [2]string // of the dense and the sparse file, for messages
}

var errLabelsOnly = errors.New("the data set was opened for its labels alone")

func (m *multiHot) hotness() []int { return m.tableHotness }

func (m *multiHot) readDense(dst []float32, start, end int) error {
	if m.numbers == nil {
		return errLabelsOnly
	}
	return m.numbers.decodeRows(dst, start, end)
}

func (m *multiHot) readSparse(dst []int32, table, start, end int) error {
	if m.tables[table] == nil {
		return errLabelsOnly
	}
	return m.tables[table].decodeRows(dst, start, end)
}

func (m *multiHot) tableName(table int) string {
	if table < 0 {
		return m.names[0]
	}
	return fmt.Sprintf("%s: %d.npy", m.names[1], table)
}

func (s *PairSet) openMultiHot(dir string, o PairOptions, faults *fault.FaultList) {
	labels := s.openArray(dir, o.variantName(labelsName), faults, "<i4", "<i8", "|u1", "|i1", "|b1", "<f4", "<f8")
	if labels != nil && labels.columns != 1 {
		faults.Addf(o.variantName(labelsName), "%d columns, want 1", labels.columns)
	}
	m := &multiHot{names: [2]string{o.variantName(denseName), o.variantName(sparseName)}, tableHotness: make([]int,
		Tables)}
	s.source = m
	if !o.LabelsOnly {
		m.numbers = s.openArray(dir, m.names[0], faults, "<f4")
		if m.numbers != nil && m.numbers.columns != DenseFeatures {
			faults.Addf(m.names[0], "%d columns, want %d", m.numbers.columns, DenseFeatures)
		}
		if archive, f, size := s.openArchive(dir, m.names[1], faults); archive != nil {
			m.openTables(archive, f, size, faults)
		}
	}
	if labels == nil {
		return
	}
	m.checkRows(labels.rows, o, faults)
	if faults.Len() == 0 {
		s.readLabels(o.pairsInUse(labels.rows), o.variantName(labelsName), faults, labels.readFloats)
	}
}

// pairsInUse returns the number of pairs that the benchmark uses. Of the whole day it uses the first half, rounded up.
func (o PairOptions) pairsInUse(pairs int) int {
	if o.Variant == Full {
		pairs -= pairs / 2
	}
	if o.Count > 0 {
		pairs = min(pairs, o.Count)
	}
	return pairs
}

func (s *PairSet) openArray(dir, name string, faults *fault.FaultList, dtypes ...string) *fileArray {
	f, size, err := s.openFile(filepath.Join(dir, name))
	if err != nil {
		faults.Addf(name, "%v", err)
		return nil
	}
	a, problem := newArray(f, 0, size, dtypes...)
	if problem != "" {
		faults.Addf(name, "%s", problem)
	}
	return a
}

// openArchive opens an npz file of size bytes. If this fails, it adds a fault and archive is nil.
func (s *PairSet) openArchive(dir, name string, faults *fault.FaultList) (archive *zip.Reader, f io.ReaderAt,
	size int64) {
	f, size, err := s.openFile(filepath.Join(dir, name))
	if err != nil {
		faults.Addf(name, "%v", err)
		return nil, nil, 0
	}
	if archive, err = zip.NewReader(f, size); err != nil {
		faults.Addf(name, "%v: it is no npz file, or truncated", err)
		return nil, nil, 0
	}
	return archive, f, size
}

// openTables opens the arrays of all tables in an npz file.
func (m *multiHot) openTables(archive *zip.Reader, f io.ReaderAt, size int64, faults *fault.FaultList) {
	members := map[string]*zip.File{}
	for _, member := range archive.File {
		members[member.Name] = member
	}
	for k := range m.tables {
		a, problem := openMember(f, size, members[fmt.Sprintf("%d.npy", k)], "<i4")
		if problem != "" {
			faults.Addf(m.tableName(k), "%s", problem)
			continue
		}
		m.tables[k], m.tableHotness[k] = a, a.columns
	}
}

// openMember opens the array in a member of an archive. The member must be stored without compression, because rows are
// read at random positions.
func openMember(f io.ReaderAt, size int64, member *zip.File, dtypes ...string) (*fileArray, string) {
	if member == nil {
		return nil, "the file has no such member, want 0.npy to 25.npy"
	}
	if member.Method != zip.Store {
		return nil, fmt.Sprintf("the member is compressed (method %d), want it stored: write the file with numpy.savez",
			member.Method)
	}
	offset, err := member.DataOffset()
	if err != nil {
		return nil, err.Error()
	}
	if offset < 0 || offset > size || member.UncompressedSize64 > uint64(size-offset) {
		return nil, fmt.Sprintf("%d bytes from byte %d on, of a file of %d: it is truncated",
			member.UncompressedSize64, offset, size)
	}
	return newArray(f, offset, int64(member.UncompressedSize64), dtypes...)
}

// checkRows requires each array to contain as many pairs as there are labels.
func (m *multiHot) checkRows(want int, o PairOptions, faults *fault.FaultList) {
	if want == 0 {
		faults.Addf(o.variantName(labelsName), "no pairs, want at least 1")
	}
	if m.numbers != nil && m.numbers.rows != want {
		faults.Addf(m.names[0], "%d pairs, want %d as there are labels", m.numbers.rows, want)
	}
	for k, a := range m.tables {
		if a != nil && a.rows != want {
			faults.Addf(m.tableName(k), "%d pairs, want %d as there are labels", a.rows, want)
		}
	}
}
