package criteo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/parallel"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
)

// ErrDataset is wrapped by every error of this package. It means that a data set is missing or invalid.
var ErrDataset = errors.New("click data set")

// FaultError contains all faults of a data set, or of the pairs read; errors.As finds it.
type FaultError = fault.DatasetError

// Number of dense features of a pair, and number of embedding tables.
const (
	DenseFeatures = 13
	Tables        = 26
)

// SizeVariant is a size of the data set, as it appears in the middle of file names.
type SizeVariant string

// The variants. As in the reference, only the first half of Full is used. The others are used completely.
const (
	Full   SizeVariant = ""
	Sample SizeVariant = "_sample"
	Debug  SizeVariant = "_debug"
)

// PairOptions contains the expected properties of a data set. Except for Rows, the zero value is for the benchmarks'
// data sets.
type PairOptions struct {
	Variant SizeVariant `param:"variant"` // variant of the multi-hot layout
	Count   int         // use only the first Count pairs; 0: all
	// Rows is the number of rows of each embedding table; indices must be smaller. Nil: only negative indices are errors.
	Rows []int `param:"rows"`
	// Modulus limits the rows of tables in the one-hot layout: indices are taken modulo Modulus. 0: indices are unchanged.
	Modulus int `param:"modulus" min:"0" max:"int32"`
	// LabelsOnly skips the checks of dense numbers and indices. Scoring a finished run needs only the labels.
	LabelsOnly bool
}

// PairSet is a data set whose files have passed their checks. It may be used from many goroutines.
type PairSet struct {
	source  pairSource
	rows    []int
	labels  []uint8
	closers []io.Closer
}

// pairSource reads the pairs of one layout. Ranges of pairs are [start, end), and values are stored pair by pair.
type pairSource interface {
	hotness() []int
	readDense(dst []float32, start, end int) error
	readSparse(dst []int32, table, start, end int) error
	tableName(table int) string // name of a table, or of the dense numbers for -1, for messages
}

// Open detects the layout of dir, checks that all files exist and agree in dtype, shape and length, and reads the
// labels. The error is a [*FaultError] that lists every fault; it wraps ErrDataset. The caller must close the set.
func Open(dir string, o PairOptions) (*PairSet, error) {
	if err := fault.RequireFolder(ErrDataset, dir); err != nil {
		return nil, err
	}
	var faults fault.FaultList
	s := &PairSet{rows: o.Rows}
	o.checkOptions(&faults)
	switch {
	case fault.PathExists(filepath.Join(dir, binaryName)):
		s.openOneHot(dir, o, &faults)
	case fault.PathExists(filepath.Join(dir, reorderedName)):
		s.openReordered(dir, o, &faults)
	case o.hasFiles(dir):
		s.openMultiHot(dir, o, &faults)
	default:
		return nil, fmt.Errorf("%w %s: it holds neither %s, %s and %s nor %s nor %s%s: %w", ErrDataset, dir,
			o.variantName(denseName), o.variantName(sparseName), o.variantName(labelsName), binaryName, reorderedName,
			o.otherVariants(dir), fs.ErrNotExist)
	}
	if err := faults.Err(ErrDataset, dir); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (o PairOptions) checkOptions(faults *fault.FaultList) {
	if o.Rows != nil && len(o.Rows) != Tables {
		faults.Addf("options", "rows of %d tables, want %d", len(o.Rows), Tables)
	}
	if o.Modulus < 0 {
		faults.Addf("options", "modulus %d, want at least 0", o.Modulus)
	}
}

// openFile opens a file. Close closes it.
func (s *PairSet) openFile(path string) (*os.File, int64, error) {
	f, err := bounded.Open(path)
	if err != nil {
		return nil, 0, err
	}
	s.closers = append(s.closers, f)
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// Close closes the set's files.
func (s *PairSet) Close() error {
	all := make([]error, len(s.closers))
	for i, closer := range s.closers {
		all[i] = closer.Close()
	}
	s.closers = nil
	return errors.Join(all...)
}

// Len returns the number of pairs in use.
func (s *PairSet) Len() int { return len(s.labels) }

// Labels returns the label of each pair, 0 or 1. The caller must not change it.
func (s *PairSet) Labels() []uint8 { return s.labels }

// Hotness returns the number of indices per pair in each table. The caller must not change it.
func (s *PairSet) Hotness() []int { return s.source.hotness() }

// TableRows returns the number of rows of each embedding table, from the data set or PairOptions.Rows; nil if neither
// contains it. The caller must not change it.
func (s *PairSet) TableRows() []int { return s.rows }

// ReadDense reads the dense numbers of pairs [start, end) into dst, DenseFeatures per pair. If numbers are not finite,
// it returns an error that lists them.
func (s *PairSet) ReadDense(dst []float32, start, end int) error {
	if err := s.checkRange(len(dst), DenseFeatures, start, end); err != nil {
		return err
	}
	if err := s.source.readDense(dst, start, end); err != nil {
		return fmt.Errorf("%w: %s, pairs %d to %d: %w", ErrDataset, s.source.tableName(-1), start, end, err)
	}
	var faults fault.FaultList
	for i, v := range dst {
		if v-v != 0 {
			faults.Addf(fmt.Sprintf("pair %d", start+i/DenseFeatures), "number %d is %v, want a finite one", i%DenseFeatures, v)
		}
	}
	return faults.Err(ErrDataset, s.source.tableName(-1))
}

// ReadSparse reads the indices of pairs [start, end) in one table into dst, Hotness()[table] per pair. If indices are
// outside the table, it returns an error that lists them.
func (s *PairSet) ReadSparse(dst []int32, table, start, end int) error {
	if table < 0 || table >= Tables {
		return fmt.Errorf("%w: table %d, want 0 to %d", ErrDataset, table, Tables-1)
	}
	hot := s.source.hotness()[table]
	if err := s.checkRange(len(dst), hot, start, end); err != nil {
		return err
	}
	if err := s.source.readSparse(dst, table, start, end); err != nil {
		return fmt.Errorf("%w: %s, pairs %d to %d: %w", ErrDataset, s.source.tableName(table), start, end, err)
	}
	return s.checkIndices(dst, table, start, hot)
}

func (s *PairSet) checkIndices(indices []int32, table, start, hot int) error {
	limit := int64(1) << 31
	if s.rows != nil {
		limit = int64(s.rows[table])
	}
	var faults fault.FaultList
	for i, index := range indices {
		if index < 0 || int64(index) >= limit {
			faults.Addf(fmt.Sprintf("pair %d", start+i/hot), "index %d is %d, want 0 to %d", i%hot, index, limit-1)
		}
	}
	return faults.Err(ErrDataset, s.source.tableName(table))
}

func (s *PairSet) checkRange(length, perPair, start, end int) error {
	if start < 0 || end < start || end > s.Len() || length != (end-start)*perPair {
		return fmt.Errorf("%w: pairs %d to %d into room for %d values, want pairs within 0 to %d and room for %d of each",
			ErrDataset, start, end, length, s.Len(), perPair)
	}
	return nil
}

// blockPairs is the number of pairs in a block when a whole file is read.
const blockPairs = 1 << 16

// readLabels sets the labels of n pairs. It calls read for blocks [start, end) on all processors; read returns the
// block's labels. Labels other than 0 and 1 are faults.
func (s *PairSet) readLabels(n int, where string, faults *fault.FaultList, read func(start, end int) ([]float64,
	error)) {
	s.labels = make([]uint8, n)
	eachBlock(context.Background(), n, func(start, end int) {
		values, err := read(start, end)
		if err != nil {
			faults.Addf(where, "labels of pairs %d to %d: %v", start, end, err)
		}
		s.setLabels(start, values, where, faults)
	})
}

// eachBlock calls do with each block [start, end) of n pairs, on all processors, until ctx ends.
func eachBlock(ctx context.Context, n int, do func(start, end int)) {
	parallel.Each(ctx, (n+blockPairs-1)/blockPairs, func(i int) { do(i*blockPairs, min((i+1)*blockPairs, n)) })
}

func (s *PairSet) setLabels(start int, values []float64, where string, faults *fault.FaultList) {
	for i, v := range values {
		if v != 0 && v != 1 {
			faults.Addf(where, "label of pair %d is %v, want 0 or 1", start+i, v)
			continue
		}
		s.labels[start+i] = uint8(v)
	}
}
