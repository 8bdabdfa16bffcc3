package criteo

import (
	"archive/zip"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// checkFaults opens a data set and compares the lines of the error.
func checkFaults(t *testing.T, dir string, o PairOptions, want ...string) {
	t.Helper()
	_, err := Open(dir, o)
	var all *FaultError
	if !errors.As(err, &all) || !errors.Is(err, ErrDataset) {
		t.Fatalf("error %v, want a FaultError", err)
	}
	for i, f := range all.Faults {
		if i < len(want) && !strings.Contains(f.String(), want[i]) {
			t.Errorf("fault %v, want %s", f, want[i])
		}
	}
	if len(all.Faults) != len(want) {
		t.Errorf("%d faults, want %d: %v", len(all.Faults), len(want), err)
	}
}

func TestEveryFaultOfFiles(t *testing.T) {
	one := matrix("<i4", 4, 1, ints(0, 0, 0, 0))
	members := map[string][]byte{}
	for k := range Tables {
		members[fmt.Sprintf("%d.npy", k)] = one
	}
	members["0.npy"] = matrix("<i8", 2, 1, make([]byte, 16))
	members["1.npy"] = matrix("<i4", 3, 1, make([]byte, 12))
	members["2.npy"] = matrix("<i4", 4, 2, make([]byte, 12))
	members["3.npy"] = []byte("no array")
	delete(members, "4.npy")
	dir := folder(t, map[string][]byte{
		denseName:  matrix("<f4", 4, 12, make([]byte, 4*4*12)),
		sparseName: archive(t, zip.Store, members),
		labelsName: matrix("<i4", 4, 1, ints(0, 1, 2, -1)),
	})
	checkFaults(t, dir, PairOptions{Rows: []int{1}},
		"options: rows of 1 tables, want 26", "day_23_dense.npy: 12 columns, want 13",
		"0.npy: an array of <i8 [2 1], want one of [<i4]",
		"2.npy: an array of <i4 [4 2] needs 32 bytes, and there are 12", "3.npy: NumPy file",
		"4.npy: the file has no such member",
		"1.npy: 3 pairs, want 4")
	missing := []string{"day_23_labels.npy: ", "day_23_dense.npy: "}
	for k := range Tables {
		if k != 4 {
			missing = append(missing, fmt.Sprintf("%d.npy: the member is compressed (method 8), want it stored", k))
		} else {
			missing = append(missing, "4.npy: the file has no such member")
		}
	}
	checkFaults(t, folder(t, map[string][]byte{sparseName: archive(t, zip.Deflate, members)}), PairOptions{}, missing...)
}

func TestOtherFaultsOfFiles(t *testing.T) {
	labels := matrix("<i4", 4, 1, ints(0, 1, 2, -1))
	if s := open(t, folder(t, map[string][]byte{labelsName: labels}), PairOptions{LabelsOnly: true}); s.Len() != 2 {
		t.Errorf("%d pairs, want 2: labels of the other half of the day are not looked at", s.Len())
	}
	checkFaults(t, folder(t, map[string][]byte{"day_23_labels_debug.npy": labels}),
		PairOptions{LabelsOnly: true, Variant: Debug},
		"day_23_labels_debug.npy: label of pair 2 is 2, want 0 or 1", "label of pair 3 is -1")
	checkFaults(t, folder(t, map[string][]byte{labelsName: matrix("<i4", 0, 1, nil)}),
		PairOptions{LabelsOnly: true}, "no pairs")
	checkFaults(t, folder(t, map[string][]byte{labelsName: matrix("<i4", 1, 2, ints(0, 1))}),
		PairOptions{LabelsOnly: true},
		"2 columns, want 1")
	checkFaults(t, folder(t, map[string][]byte{labelsName: labels, denseName: nil, sparseName: []byte("PK")}),
		PairOptions{},
		"day_23_dense.npy: NumPy file: it ends within its header", "day_23_sparse_multi_hot.npz: zip: not a valid zip file")
	checkFaults(t, folder(t, map[string][]byte{labelsName: labels[:len(labels)-1]}), PairOptions{LabelsOnly: true},
		"needs 16 bytes, and there are 15")
}

func TestFaultsOfOneHot(t *testing.T) {
	row := make([]int32, binaryColumns)
	row[0] = 7
	checkFaults(t, folder(t, map[string][]byte{binaryName: append(ints(row...), 1)}), PairOptions{Modulus: -1},
		"options: modulus -1", "161 bytes, want a multiple of 160", "day_fea_count.npz: ")
	for want, counts := range map[string][]byte{
		"zip":        []byte("x"),
		"counts.npy": archive(t, zip.Store, map[string][]byte{"x.npy": nil}),
		"counts of <i4 [1 26]": archive(t, zip.Store, map[string][]byte{
			"counts.npy": matrix("<i4", 1, 26, make([]byte, 104)),
		}),
		"count of table 0 is 0":  archive(t, zip.Deflate, map[string][]byte{"counts.npy": vector("<i4", make([]byte, 104))}),
		"counts: unexpected EOF": archive(t, zip.Deflate, map[string][]byte{"counts.npy": vector("<i4", make([]byte, 103))}),
		"NumPy file":             archive(t, zip.Store, map[string][]byte{"counts.npy": nil}),
	} {
		checkFaults(t, folder(t, map[string][]byte{binaryName: ints(row...), countsName: counts}), PairOptions{}, want)
	}
	checkFaults(t, folder(t, map[string][]byte{binaryName: ints(row...)}), PairOptions{LabelsOnly: true},
		"label of pair 0 is 7")
}

// vector is an array of 26 numbers as NumPy writes it.
func vector(dtype string, data []byte) []byte {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (26,), }\n", dtype)
	return append(append([]byte{0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, byte(len(text)), 0}, text...), data...)
}
