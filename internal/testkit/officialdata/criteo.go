package officialdata

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

const (
	numbers = 13
	tables  = 26
)

// twentySamples is the number of pairs in the first 20 samples, as the rules group them.
const twentySamples = 5500

// hotness is the number of indices of a pair in each table of the multi-hot data set.
var hotness = [tables]int{3, 2, 1, 2, 6, 1, 1, 1, 1, 7, 3, 8, 1, 6, 9, 5, 1, 1, 1, 12, 100, 27, 10, 3, 1, 1}

// clicks are pairs whose scores have three levels. The first number contributes one level, and the index into a table
// another.
type clicks struct {
	levels []int
	labels []int32
}

// newClicks draws pairs; the first used of them are scored. In these, most pairs of a higher level are clicks. In the
// others it is the opposite.
func newClicks(used, pairs int) clicks {
	var c clicks
	for i := range pairs {
		level := i % 3
		click := i/3%10 < 1+4*level
		if i >= used {
			click = !click
		}
		c.levels, c.labels = append(c.levels, level), append(c.labels, 0)
		if click {
			c.labels[i] = 1
		}
	}
	return c
}

// auc returns the AUC of the levels for the first pairs, in percent.
func (c clicks) auc(pairs int) float64 {
	var counts [2][3]float64 // by label and level
	for i := range pairs {
		counts[c.labels[i]][c.levels[i]]++
	}
	var won, all float64
	for low, none := range counts[0] {
		for high, some := range counts[1] {
			all += none * some
			switch {
			case high > low:
				won += none * some
			case high == low:
				won += none * some / 2
			}
		}
	}
	return 100 * won / all
}

// number returns the first number of a pair.
func (c clicks) number(i int) int32 { return int32(min(c.levels[i], 1)) }

// index returns the index of a pair into tinymodel's table.
func (c clicks) index(i int) int32 { return int32(c.levels[i] / 2) }

// CriteoMultiHot writes the day in the form of DLRM v2: day_23_dense.npy, day_23_sparse_multi_hot.npz and
// day_23_labels.npy. It also writes smaller data sets with _debug and _sample in their names. It returns the AUC of
// tinymodel's DLRM on the first half of the day and on the debug set.
func CriteoMultiHot(dir string) (full, debug float64, err error) {
	const pairs, few = 2*twentySamples - 1, 900
	day := newClicks(pairs-pairs/2, pairs)
	if err := day.writeMultiHot(dir, ""); err != nil {
		return 0, 0, err
	}
	sample := newClicks(few, few)
	err = errors.Join(sample.writeMultiHot(dir, "_debug"), sample.writeMultiHot(dir, "_sample"))
	return day.auc(pairs - pairs/2), sample.auc(few), err
}

func (c clicks) writeMultiHot(dir, variant string) error {
	pairs := len(c.labels)
	dense := make([]float32, pairs*numbers)
	arrays := map[string][]byte{}
	for i := range pairs {
		dense[i*numbers] = float32(c.number(i))
	}
	for k, hot := range hotness {
		indices := make([]int32, pairs*hot)
		for i := range indices {
			indices[i] = int32(i % 3)
			if k == tinymodel.DLRMTable {
				indices[i] = c.index(i)
			}
		}
		arrays[fmt.Sprint(k)] = array(indices, pairs, hot)
	}
	sparse, err := archive(arrays, zip.Store)
	if err != nil {
		return err
	}
	for name, file := range map[string][]byte{
		"day_23_dense" + variant + ".npy": array(dense, pairs, numbers), "day_23_sparse_multi_hot" + variant + ".npz": sparse,
		"day_23_labels" + variant + ".npy": array(c.labels, pairs, 1),
	} {
		if err := write(filepath.Join(dir, name), file); err != nil {
			return err
		}
	}
	return nil
}

// row returns a pair of the one-hot day: label, numbers, and indices beyond the ends of tables, which represent their
// remainders.
func (c clicks) row(i int) []int32 {
	row := make([]int32, 1+numbers+tables)
	row[0], row[1] = c.labels[i], c.number(i)
	for k := range tables {
		row[1+numbers+k] = int32(i % 3)
	}
	row[1+numbers+tinymodel.DLRMTable] = 40_000_000 + c.index(i)
	return row
}

// CriteoTerabyte writes the test half of the day in the form of DLRM v1: terabyte_processed_test.bin and
// day_fea_count.npz. It returns the AUC of tinymodel's DLRM.
func CriteoTerabyte(dir string) (auc float64, err error) {
	const pairs = twentySamples
	c := newClicks(pairs, pairs)
	var file bytes.Buffer
	for i := range pairs {
		if err := binary.Write(&file, binary.LittleEndian, c.row(i)); err != nil {
			return 0, err
		}
	}
	if err := write(filepath.Join(dir, "terabyte_processed_test.bin"), file.Bytes()); err != nil {
		return 0, err
	}
	return c.auc(pairs), writeCounts(dir)
}

// CriteoReordered writes the day before its conversion to the form of CriteoTerabyte: day_23_reordered.npz, compressed,
// and day_fea_count.npz. It returns the AUC of tinymodel's DLRM on the first half.
func CriteoReordered(dir string) (auc float64, err error) {
	const pairs = 2 * twentySamples
	c := newClicks(pairs/2, pairs)
	var dense, sparse []int32
	for i := range pairs {
		row := c.row(i)
		dense, sparse = append(dense, row[1:1+numbers]...), append(sparse, row[1+numbers:]...)
	}
	file, err := archive(map[string][]byte{
		"X_int": array(dense, pairs, numbers), "X_cat": array(sparse, pairs, tables), "y": array(c.labels, pairs),
	}, zip.Deflate)
	if err != nil {
		return 0, err
	}
	if err := write(filepath.Join(dir, "day_23_reordered.npz"), file); err != nil {
		return 0, err
	}
	return c.auc(pairs / 2), writeCounts(dir)
}

// writeCounts writes the numbers of rows of the tables.
func writeCounts(dir string) error {
	file, err := archive(map[string][]byte{
		"counts": array(slices.Repeat([]int64{45_000_000}, tables), tables),
	}, zip.Deflate)
	if err != nil {
		return err
	}
	return write(filepath.Join(dir, "day_fea_count.npz"), file)
}
