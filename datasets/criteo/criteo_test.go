package criteo

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
)

func open(t *testing.T, dir string, o Options) *Set {
	t.Helper()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestFilesOfNumPy reads five pairs that NumPy 2.4 wrote: dense numbers i/8, indices i + table, in the order of the file.
func TestFilesOfNumPy(t *testing.T) {
	s := open(t, "testdata/multihot", Options{Variant: Debug})
	if s.Len() != 5 || !slices.Equal(s.Labels(), []uint8{0, 1, 1, 0, 1}) || len(s.Hotness()) != Tables || s.Hotness()[19] != 12 {
		t.Fatalf("%d pairs, labels %v, hotness %v", s.Len(), s.Labels(), s.Hotness())
	}
	numbers := make([]float32, 2*DenseFeatures)
	if err := s.Dense(numbers, 3, 5); err != nil {
		t.Fatal(err)
	}
	for i, v := range numbers {
		if v != float32(3*DenseFeatures+i)/8 {
			t.Errorf("number %d is %v", i, v)
		}
	}
	for table, hot := range s.Hotness() {
		indices := make([]int32, 2*hot)
		if err := s.Sparse(indices, table, 1, 3); err != nil {
			t.Fatal(err)
		}
		for i, v := range indices {
			if v != int32(hot+i+table) {
				t.Errorf("table %d: index %d is %d, want %d", table, i, v, hot+i+table)
			}
		}
	}
}

// TestOneHotOfNumPy reads five pairs of the older layout: numbers i, indices 1000 + i.
func TestOneHotOfNumPy(t *testing.T) {
	s := open(t, "testdata/onehot", Options{})
	if s.Len() != 5 || !slices.Equal(s.Labels(), []uint8{1, 0, 0, 1, 1}) || s.Rows()[0] != 1101 || s.Rows()[25] != 1126 || s.Hotness()[3] != 1 {
		t.Fatalf("%d pairs, labels %v, rows %v", s.Len(), s.Labels(), s.Rows())
	}
	numbers := make([]float32, DenseFeatures)
	if err := s.Dense(numbers, 1, 2); err != nil {
		t.Fatal(err)
	}
	if want := float32(math.Log(14)); numbers[0] != want {
		t.Errorf("number %v, want log(13 + 1) = %v", numbers[0], want)
	}
	indices := make([]int32, 2)
	if err := s.Sparse(indices, 4, 2, 4); err != nil || !slices.Equal(indices, []int32{1000 + 2*26 + 4, 1000 + 3*26 + 4}) {
		t.Errorf("indices %v, %v", indices, err)
	}
	small := open(t, "testdata/onehot", Options{Modulus: 100, Count: 3})
	if err := small.Sparse(indices[:1], 4, 2, 3); err != nil || indices[0] != 56 || small.Len() != 3 || small.Rows()[7] != 100 {
		t.Errorf("index %v of %d pairs and %v rows, %v", indices[0], small.Len(), small.Rows(), err)
	}
	err := s.Sparse(indices[:1], 0, 4, 5)
	if !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), "terabyte_processed_test.bin: table 0: 1 faults:\n  pair 4: index 0 is 1104, want 0 to 1100") {
		t.Errorf("an index beyond the table: %v", err)
	}
}

// matrix is an array as NumPy writes it.
func matrix(dtype string, rows, columns int, data []byte) []byte {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }\n", dtype, rows, columns)
	b := []byte{0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, byte(len(text)), 0}
	return append(append(b, text...), data...)
}

func ints(values ...int32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return b
}

func floats(values ...float32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// archive is a npz file.
func archive(t testing.TB, method uint16, members map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, data := range members {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// day is a small whole day of pairs with one index for each table.
func day(t *testing.T, pairs int, variant Variant) map[string][]byte {
	t.Helper()
	labels, indices := make([]int32, pairs), make([]int32, pairs)
	for i := range labels {
		labels[i], indices[i] = int32(i%2), int32(i)
	}
	members := map[string][]byte{}
	for k := range Tables {
		members[fmt.Sprintf("%d.npy", k)] = matrix("<i4", pairs, 1, ints(indices...))
	}
	o := Options{Variant: variant}
	return map[string][]byte{
		o.name(denseName):  matrix("<f4", pairs, DenseFeatures, make([]byte, 4*DenseFeatures*pairs)),
		o.name(sparseName): archive(t, zip.Store, members),
		o.name(labelsName): matrix("<i4", pairs, 1, ints(labels...)),
	}
}

func folder(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestHalfOfTheDay(t *testing.T) {
	tests := []struct {
		variant Variant
		pairs   int
		count   int
		want    int
	}{{Full, 7, 0, 4}, {Full, 8, 0, 4}, {Full, 8, 3, 3}, {Full, 1, 0, 1}, {Sample, 7, 0, 7}, {Debug, 7, 0, 7}, {Debug, 7, 100, 7}}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			s := open(t, folder(t, day(t, tt.pairs, tt.variant)), Options{Variant: tt.variant, Count: tt.count})
			if s.Len() != tt.want {
				t.Errorf("%d pairs, want %d", s.Len(), tt.want)
			}
			if err := s.Dense(make([]float32, DenseFeatures), s.Len(), s.Len()+1); !errors.Is(err, ErrDataset) {
				t.Errorf("pairs beyond the last: %v", err)
			}
		})
	}
}

func TestLabelsOnly(t *testing.T) {
	files := day(t, 3, Full)
	s := open(t, folder(t, map[string][]byte{labelsName: files[labelsName]}), Options{LabelsOnly: true})
	if !slices.Equal(s.Labels(), []uint8{0, 1}) {
		t.Errorf("labels %v", s.Labels())
	}
	if err := s.Dense(make([]float32, DenseFeatures), 0, 1); !errors.Is(err, ErrDataset) {
		t.Errorf("numbers of a set of labels: %v", err)
	}
	if err := s.Sparse(nil, 0, 0, 1); !errors.Is(err, ErrDataset) {
		t.Errorf("indices of a set of labels: %v", err)
	}
}

func TestBadPairs(t *testing.T) {
	files := day(t, 4, Sample)
	numbers := make([]float32, 4*DenseFeatures)
	numbers[15], numbers[40] = float32(math.NaN()), float32(math.Inf(1))
	files["day_23_dense_sample.npy"] = matrix("<f4", 4, DenseFeatures, floats(numbers...))
	rows := make([]int, Tables)
	for k := range rows {
		rows[k] = 2
	}
	s := open(t, folder(t, files), Options{Variant: Sample, Rows: rows})
	err := s.Dense(make([]float32, 4*DenseFeatures), 0, 4)
	if !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), "day_23_dense_sample.npy: 2 faults:\n  pair 1: number 2 is NaN") ||
		!strings.Contains(err.Error(), "pair 3: number 1 is +Inf") {
		t.Errorf("numbers: %v", err)
	}
	err = s.Sparse(make([]int32, 3), 9, 1, 4)
	if !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), "multi_hot_sample.npz: 9.npy: 2 faults:\n  pair 2: index 0 is 2, want 0 to 1") {
		t.Errorf("indices: %v", err)
	}
	if err := s.Sparse(make([]int32, 1), 26, 0, 1); !errors.Is(err, ErrDataset) {
		t.Errorf("no such table: %v", err)
	}
	if err := s.Sparse(make([]int32, 2), 0, 0, 1); !errors.Is(err, ErrDataset) {
		t.Errorf("too much room: %v", err)
	}
}

// checkFaults opens a data set and compares the lines of the error.
func checkFaults(t *testing.T, dir string, o Options, want ...string) {
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
	checkFaults(t, dir, Options{Rows: []int{1}},
		"options: rows of 1 tables, want 26", "day_23_dense.npy: 12 columns, want 13", "0.npy: an array of <i8 [2 1], want one of [<i4]",
		"2.npy: an array of <i4 [4 2] needs 32 bytes, and there are 12", "3.npy: NumPy file", "4.npy: the file has no such member",
		"1.npy: 3 pairs, want 4")
	missing := []string{"day_23_labels.npy: ", "day_23_dense.npy: "}
	for k := range Tables {
		if k != 4 {
			missing = append(missing, fmt.Sprintf("%d.npy: the member is compressed (method 8), want it stored", k))
		} else {
			missing = append(missing, "4.npy: the file has no such member")
		}
	}
	checkFaults(t, folder(t, map[string][]byte{sparseName: archive(t, zip.Deflate, members)}), Options{}, missing...)
}

func TestOtherFaultsOfFiles(t *testing.T) {
	labels := matrix("<i4", 4, 1, ints(0, 1, 2, -1))
	if s := open(t, folder(t, map[string][]byte{labelsName: labels}), Options{LabelsOnly: true}); s.Len() != 2 {
		t.Errorf("%d pairs, want 2: labels of the other half of the day are not looked at", s.Len())
	}
	checkFaults(t, folder(t, map[string][]byte{"day_23_labels_debug.npy": labels}), Options{LabelsOnly: true, Variant: Debug},
		"day_23_labels_debug.npy: label of pair 2 is 2, want 0 or 1", "label of pair 3 is -1")
	checkFaults(t, folder(t, map[string][]byte{labelsName: matrix("<i4", 0, 1, nil)}), Options{LabelsOnly: true}, "no pairs")
	checkFaults(t, folder(t, map[string][]byte{labelsName: matrix("<i4", 1, 2, ints(0, 1))}), Options{LabelsOnly: true}, "2 columns, want 1")
	checkFaults(t, folder(t, map[string][]byte{labelsName: labels, denseName: nil, sparseName: []byte("PK")}), Options{},
		"day_23_dense.npy: NumPy file: it ends within its header", "day_23_sparse_multi_hot.npz: zip: not a valid zip file")
	checkFaults(t, folder(t, map[string][]byte{labelsName: labels[:len(labels)-1]}), Options{LabelsOnly: true},
		"needs 16 bytes, and there are 15")
}

func TestFaultsOfOneHot(t *testing.T) {
	row := make([]int32, columns)
	row[0] = 7
	checkFaults(t, folder(t, map[string][]byte{binaryName: append(ints(row...), 1)}), Options{Modulus: -1},
		"options: modulus -1", "161 bytes, want a multiple of 160", "day_fea_count.npz: ")
	for want, counts := range map[string][]byte{
		"zip":                    []byte("x"),
		"counts.npy":             archive(t, zip.Store, map[string][]byte{"x.npy": nil}),
		"counts of <i4 [1 26]":   archive(t, zip.Store, map[string][]byte{"counts.npy": matrix("<i4", 1, 26, make([]byte, 104))}),
		"count of table 0 is 0":  archive(t, zip.Deflate, map[string][]byte{"counts.npy": vector("<i4", make([]byte, 104))}),
		"counts: unexpected EOF": archive(t, zip.Deflate, map[string][]byte{"counts.npy": vector("<i4", make([]byte, 103))}),
		"NumPy file":             archive(t, zip.Store, map[string][]byte{"counts.npy": nil}),
	} {
		checkFaults(t, folder(t, map[string][]byte{binaryName: ints(row...), countsName: counts}), Options{}, want)
	}
	checkFaults(t, folder(t, map[string][]byte{binaryName: ints(row...)}), Options{LabelsOnly: true}, "label of pair 0 is 7")
}

// vector is an array of 26 numbers as NumPy writes it.
func vector(dtype string, data []byte) []byte {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (26,), }\n", dtype)
	return append(append([]byte{0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, byte(len(text)), 0}, text...), data...)
}

func TestNothingThere(t *testing.T) {
	_, err := Open(t.TempDir(), Options{Variant: Sample})
	if !errors.Is(err, ErrDataset) || !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "day_23_dense_sample.npy") {
		t.Errorf("error %v, want the layout", err)
	}
}

// TestEveryDTypeOfLabels reads labels 0, 1 in all the types that they may have.
func TestEveryDTypeOfLabels(t *testing.T) {
	le := binary.LittleEndian
	for dtype, data := range map[string][]byte{
		"<i4": ints(0, 1), "<f4": floats(0, 1), "|u1": {0, 1}, "|i1": {0, 1}, "|b1": {0, 1},
		"<i8": le.AppendUint64(make([]byte, 8), 1), "<f8": le.AppendUint64(make([]byte, 8), math.Float64bits(1)),
	} {
		s := open(t, folder(t, map[string][]byte{"day_23_labels_debug.npy": matrix(dtype, 2, 1, data)}), Options{Variant: Debug, LabelsOnly: true})
		if !slices.Equal(s.Labels(), []uint8{0, 1}) {
			t.Errorf("%s: labels %v", dtype, s.Labels())
		}
	}
}

func TestTrace(t *testing.T) {
	want := []Range{{0, 70}, {70, 148}, {148, 149}}
	var b bytes.Buffer
	if err := WriteTrace(&b, want); err != nil || b.String() != "0, 70, 70\n70, 148, 78\n148, 149, 1\n" {
		t.Errorf("written %q, %v", b.String(), err)
	}
	if got, err := ReadTrace(&b); err != nil || !slices.Equal(got, want) {
		t.Errorf("read %v, %v", got, err)
	}
}

func TestEveryFaultOfATrace(t *testing.T) {
	_, err := ReadTrace(strings.NewReader("0, 5, 5\n\n6, 8, 2\n8, 9\n8, x, 1\n8, 9, 2\n9, 9, 0\n9, 12, 3\n"))
	var all *FaultError
	if !errors.As(err, &all) || !errors.Is(err, ErrDataset) || len(all.Faults) != 5 {
		t.Fatalf("error %v, want 5 faults", err)
	}
	for i, want := range []string{"line 3: \"6, 8, 2\": start 6, want 5", "line 4: \"8, 9\": 2 fields", "line 5: \"8, x, 1\": \" x\"",
		"line 6: \"8, 9, 2\": end 9 and count 2", "line 7"} {
		if !strings.Contains(all.Faults[i].String(), want) {
			t.Errorf("fault %v, want %s", all.Faults[i], want)
		}
	}
	if _, err := ReadTrace(strings.NewReader("")); !errors.Is(err, ErrDataset) {
		t.Errorf("an empty trace: %v", err)
	}
	if _, err := ReadTrace(io.MultiReader(strings.NewReader("0, 1, 1\n"), failing{})); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a trace that cannot be read: %v", err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, fs.ErrClosed }

// FuzzReadTrace checks that a trace that is accepted covers pairs from 0 without a gap, and comes back when it is written.
func FuzzReadTrace(f *testing.F) {
	f.Add("0, 70, 70\n70, 148, 78\n")
	f.Add("0,1,1\r\n\r\n1 , 2 , 1")
	f.Add("-1, 0, 1\n0, 99999999999999999999, 1")
	f.Fuzz(func(t *testing.T, text string) {
		samples, err := ReadTrace(strings.NewReader(text))
		if err != nil {
			return
		}
		at := 0
		for _, r := range samples {
			if r.Start != at || r.End <= at {
				t.Fatalf("%v passed", samples)
			}
			at = r.End
		}
		var b bytes.Buffer
		if err := WriteTrace(&b, samples); err != nil {
			t.Fatal(err)
		}
		if again, err := ReadTrace(&b); err != nil || !slices.Equal(again, samples) {
			t.Errorf("%v, %v; want %v", again, err, samples)
		}
	})
}

// FuzzOpenTables checks that no npz file crashes the reader.
func FuzzOpenTables(f *testing.F) {
	f.Add(archive(f, zip.Store, map[string][]byte{"0.npy": matrix("<i4", 2, 1, ints(1, 2))}))
	f.Add(archive(f, zip.Deflate, map[string][]byte{"0.npy": matrix("<i4", 2, 1, ints(1, 2))}))
	f.Fuzz(func(t *testing.T, data []byte) {
		m := &multiHot{names: [2]string{denseName, sparseName}, hot: make([]int, Tables)}
		var faults fault.List
		m.openTables(bytes.NewReader(data), int64(len(data)), &faults)
		for k, a := range m.tables {
			if a != nil && a.rows > 0 {
				if err := a.ints(make([]int32, a.columns), a.rows-1, a.rows); err != nil && !errors.Is(err, io.EOF) {
					t.Errorf("last row of table %d: %v", k, err)
				}
			}
		}
	})
}

// BenchmarkPairs reads samples of 270 pairs with the hotness of the benchmark, 214 indices per pair, from a file in the cache.
func BenchmarkPairs(b *testing.B) {
	hotness := []int{3, 2, 1, 2, 6, 1, 1, 1, 1, 7, 3, 8, 1, 6, 9, 5, 1, 1, 1, 12, 100, 27, 10, 3, 1, 1}
	const pairs, each = 27_000, 270
	members := map[string][]byte{}
	for k, hot := range hotness {
		members[fmt.Sprintf("%d.npy", k)] = matrix("<i4", pairs, hot, make([]byte, 4*hot*pairs))
	}
	dir := b.TempDir()
	for name, data := range map[string][]byte{
		sparseName: archive(b, zip.Store, members),
		denseName:  matrix("<f4", pairs, DenseFeatures, make([]byte, 4*DenseFeatures*pairs)),
		labelsName: matrix("<i4", pairs, 1, make([]byte, 4*pairs)),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			b.Fatal(err)
		}
	}
	s, err := Open(dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	numbers, indices := make([]float32, each*DenseFeatures), make([]int32, each*100)
	b.ReportAllocs()
	start := 0
	for b.Loop() {
		if err := s.Dense(numbers, start, start+each); err != nil {
			b.Fatal(err)
		}
		for k, hot := range hotness {
			if err := s.Sparse(indices[:each*hot], k, start, start+each); err != nil {
				b.Fatal(err)
			}
		}
		start = (start + each) % (s.Len() - each)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/each, "ns/pair")
}
