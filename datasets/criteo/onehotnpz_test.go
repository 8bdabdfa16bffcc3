package criteo

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"testing"
)

// TestReorderedFilesOfNumPy reads the first half of five pairs that NumPy 2.4 wrote, compressed and stored: labels i%2,
// numbers 13*i + j, indices 26*i + k.
func TestReorderedFilesOfNumPy(t *testing.T) {
	for _, dir := range []string{"testdata/reordered", "testdata/reordered_stored"} {
		s := open(t, dir, PairOptions{Modulus: 50})
		if s.Len() != 3 || !slices.Equal(s.Labels(), []uint8{0, 1, 0}) || s.TableRows()[25] != 50 || s.Hotness()[19] != 1 {
			t.Fatalf("%s: %d pairs, labels %v, rows %v, hotness %v", dir, s.Len(), s.Labels(), s.TableRows(), s.Hotness())
		}
		numbers := make([]float32, 2*DenseFeatures)
		if err := s.ReadDense(numbers, 1, 3); err != nil {
			t.Fatal(err)
		}
		for i, v := range numbers {
			if want := float32(math.Log(float64(13 + i + 1))); v != want {
				t.Errorf("%s: number %d is %v, want %v", dir, i, v, want)
			}
		}
		for k := range Tables {
			var indices [2]int32
			if err := s.ReadSparse(indices[:], k, 1, 3); err != nil {
				t.Fatal(err)
			}
			if want := [2]int32{int32(26+k) % 50, int32(52+k) % 50}; indices != want {
				t.Errorf("%s: table %d: %v, want %v", dir, k, indices, want)
			}
		}
		if labels := open(t, dir, PairOptions{LabelsOnly: true, Count: 2}); labels.Len() != 2 ||
			labels.ReadDense(make([]float32, 13), 0, 1) == nil {
			t.Errorf("%s: %d pairs, want 2 without numbers", dir, labels.Len())
		}
	}
}

func TestEveryFaultOfReorderedFiles(t *testing.T) {
	counts := archive(t, zip.Store, map[string][]byte{"counts.npy": matrix("<i4", Tables, 1, make([]byte, 4*Tables))})
	dir := folder(t, map[string][]byte{
		reorderedName: archive(t, zip.Deflate, map[string][]byte{
			"X_int.npy": matrix("<i4", 4, 12, make([]byte, 4*4*12)), "y.npy": matrix("<U1", 4, 1, make([]byte, 16)),
		}),
		countsName: counts,
	})
	checkFaults(t, dir, PairOptions{}, "y.npy: an array of <U1", "X_int.npy: 12 columns, want 13",
		"X_cat.npy: the file has no such member", countsName)
	dir = folder(t, map[string][]byte{reorderedName: archive(t, zip.Store, map[string][]byte{
		"X_int.npy": matrix("<i4", 2, 13, make([]byte, 2*4*13)), "X_cat.npy": matrix("<i4", 6, 26, make([]byte, 6*4*26)),
		"y.npy": matrix("<i4", 2, 1, ints(5, 0)),
	})})
	rows := slices.Repeat([]int{9}, Tables)
	checkFaults(t, dir, PairOptions{Rows: rows}, "3 and 1 pairs in its arrays")
	checkFaults(t, dir, PairOptions{LabelsOnly: true}, "label of pair 0 is 5")
	checkFaults(t, folder(t, map[string][]byte{reorderedName: []byte("no archive")}), PairOptions{}, "it is no npz file")
}

func FuzzReorderedMember(f *testing.F) {
	f.Add(archive(f, zip.Store, map[string][]byte{"y.npy": matrix("<i8", 2, 1, make([]byte, 16))}))
	f.Add(archive(f, zip.Deflate, map[string][]byte{"y.npy": matrix("<i4", 3, 1, ints(1, 2, 3))}))
	f.Fuzz(func(t *testing.T, data []byte) {
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		a, problem := PairOptions{}.openRows(z, bytes.NewReader(data), int64(len(data)), "y.npy")
		if (a == nil) == (problem == "") {
			t.Fatalf("array %v, problem %q", a, problem)
		}
		if a == nil || a.rows == 0 {
			return
		}
		if _, err := a.readFloats(a.rows-1, a.rows); err != nil && !errors.Is(err, io.EOF) {
			t.Errorf("last row of %d: %v", a.rows, err)
		}
	})
}
