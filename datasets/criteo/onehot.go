package criteo

import (
	"archive/zip"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/internal/npy"
)

// File names of the one-hot layout.
const (
	binaryName = "terabyte_processed_test.bin"
	countsName = "day_fea_count.npz"
)

// binaryColumns is the number of columns of the binary file: label, dense numbers, indices.
const binaryColumns = 1 + DenseFeatures + Tables

// oneHot is the binary file of the one-hot layout, which contains the test half of the day.
type oneHot struct {
	rows         *fileArray
	modulus      int32
	tableHotness []int
}

func (h *oneHot) hotness() []int { return h.tableHotness }

// readDense reads the dense numbers in the form that the model expects: log(x + 1) of int32.
func (h *oneHot) readDense(dst []float32, start, end int) error {
	return h.eachPair(start, end, func(pair int, row []int32) {
		for i, v := range row[1 : 1+DenseFeatures] {
			dst[pair*DenseFeatures+i] = logPlusOne(float32(v))
		}
	})
}

func (h *oneHot) readSparse(dst []int32, table, start, end int) error {
	return h.eachPair(start, end, func(pair int, row []int32) {
		dst[pair] = limitIndex(row[1+DenseFeatures+table], h.modulus)
	})
}

// logPlusOne returns log(v + 1), the form of dense numbers that the model expects.
func logPlusOne(v float32) float32 { return float32(math.Log(float64(v + 1))) }

// limitIndex returns index modulo modulus. It returns negative indices unchanged, and all indices if modulus is 0.
func limitIndex(index, modulus int32) int32 {
	if modulus > 0 && index >= 0 {
		return index % modulus
	}
	return index
}

func (o PairOptions) modulus() int32 { return int32(min(o.Modulus, math.MaxInt32)) }

// oneHotness returns the hotness of the one-hot layout: one index per table.
func oneHotness() []int { return slices.Repeat([]int{1}, Tables) }

// eachPair calls do with the row of each pair in [start, end). Pairs are counted from start.
func (h *oneHot) eachPair(start, end int, do func(pair int, row []int32)) error {
	values := make([]int32, (end-start)*binaryColumns)
	if err := h.rows.decodeRows(values, start, end); err != nil {
		return err
	}
	for pair := range end - start {
		do(pair, values[pair*binaryColumns:][:binaryColumns])
	}
	return nil
}

func (h *oneHot) tableName(table int) string {
	if table < 0 {
		return binaryName
	}
	return fmt.Sprintf("%s: table %d", binaryName, table)
}

func (s *PairSet) openOneHot(dir string, o PairOptions, faults *fault.FaultList) {
	f, size, err := s.openFile(filepath.Join(dir, binaryName))
	if err != nil {
		faults.Addf(binaryName, "%v", err)
		return
	}
	const row = 4 * binaryColumns
	if size == 0 || size%row != 0 {
		faults.Addf(binaryName, "%d bytes, want a multiple of %d above 0: 40 int32 of each pair", size, row)
	}
	h := &oneHot{
		rows: &fileArray{file: f, dtype: "<i4", rows: int(size / row), columns: binaryColumns}, modulus: o.modulus(),
		tableHotness: oneHotness(),
	}
	s.source = h
	if s.rows == nil && !o.LabelsOnly {
		s.rows = s.readCounts(dir, o, faults)
	}
	o.Variant = Sample // the file already contains only half of the day
	if faults.Len() == 0 {
		s.readLabels(o.pairsInUse(h.rows.rows), binaryName, faults, h.readLabels)
	}
}

func (h *oneHot) readLabels(start, end int) ([]float64, error) {
	labels := make([]float64, end-start)
	err := h.eachPair(start, end, func(pair int, row []int32) { labels[pair] = float64(row[0]) })
	return labels, err
}

// readCounts reads the number of rows of each table, limited by the modulus.
func (s *PairSet) readCounts(dir string, o PairOptions, faults *fault.FaultList) []int {
	archive, _, _ := s.openArchive(dir, countsName, faults)
	if archive == nil {
		return nil
	}
	rows, err := readCounts(archive)
	if err != nil {
		faults.Addf(countsName, "%v", err)
	}
	for k := range rows {
		if o.Modulus > 0 {
			rows[k] = min(rows[k], o.Modulus)
		}
	}
	return rows
}

// readCounts reads the member counts.npy: 26 whole numbers above 0. The member may be compressed.
func readCounts(archive *zip.Reader) ([]int, error) {
	member, err := archive.Open("counts.npy")
	if err != nil {
		return nil, err
	}
	defer func() { _ = member.Close() }()
	h, err := npy.ReadHeader(member)
	if err != nil {
		return nil, err
	}
	size := dtypeSizes[h.DType]
	if len(h.Shape) != 1 || h.Shape[0] != Tables || size == 0 {
		return nil, fmt.Errorf("counts of %v, want one number of each of %d tables", h, Tables)
	}
	data := make([]byte, Tables*size)
	if _, err := io.ReadFull(member, data); err != nil {
		return nil, fmt.Errorf("counts: %w", err)
	}
	rows := make([]int, Tables)
	for k := range rows {
		v := decodeElement(h.DType, data[k*size:])
		if !(v >= 1 && v <= math.MaxInt32) {
			return nil, fmt.Errorf("count of table %d is %v, want 1 to %d", k, v, math.MaxInt32)
		}
		rows[k] = int(v)
	}
	return rows, nil
}
