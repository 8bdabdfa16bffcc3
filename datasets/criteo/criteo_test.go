package criteo

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
)

func open(t *testing.T, dir string, o PairOptions) *PairSet {
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

// TestFilesOfNumPy reads five pairs that NumPy 2.4 wrote: dense numbers i/8, indices i + table,
// in the order of the file.
func TestFilesOfNumPy(t *testing.T) {
	s := open(t, "testdata/multihot", PairOptions{Variant: Debug})
	if s.Len() != 5 || !slices.Equal(s.Labels(), []uint8{0, 1, 1, 0, 1}) || len(s.Hotness()) != Tables ||
		s.Hotness()[19] != 12 {
		t.Fatalf("%d pairs, labels %v, hotness %v", s.Len(), s.Labels(), s.Hotness())
	}
	numbers := make([]float32, 2*DenseFeatures)
	if err := s.ReadDense(numbers, 3, 5); err != nil {
		t.Fatal(err)
	}
	for i, v := range numbers {
		if v != float32(3*DenseFeatures+i)/8 {
			t.Errorf("number %d is %v", i, v)
		}
	}
	for table, hot := range s.Hotness() {
		indices := make([]int32, 2*hot)
		if err := s.ReadSparse(indices, table, 1, 3); err != nil {
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
	s := open(t, "testdata/onehot", PairOptions{})
	if s.Len() != 5 || !slices.Equal(s.Labels(), []uint8{1, 0, 0, 1, 1}) ||
		s.TableRows()[0] != 1101 ||
		s.TableRows()[25] != 1126 ||
		s.Hotness()[3] != 1 {
		t.Fatalf("%d pairs, labels %v, rows %v", s.Len(), s.Labels(), s.TableRows())
	}
	numbers := make([]float32, DenseFeatures)
	if err := s.ReadDense(numbers, 1, 2); err != nil {
		t.Fatal(err)
	}
	if want := float32(math.Log(14)); numbers[0] != want {
		t.Errorf("number %v, want log(13 + 1) = %v", numbers[0], want)
	}
	indices := make([]int32, 2)
	if err := s.ReadSparse(indices, 4, 2, 4); err != nil || !slices.Equal(indices, []int32{1000 + 2*26 + 4, 1000 + 3*26 +
		4}) {
		t.Errorf("indices %v, %v", indices, err)
	}
	small := open(t, "testdata/onehot", PairOptions{Modulus: 100, Count: 3})
	if err := small.ReadSparse(indices[:1], 4, 2, 3); err != nil || indices[0] != 56 || small.Len() != 3 ||
		small.TableRows()[7] != 100 {
		t.Errorf("index %v of %d pairs and %v rows, %v", indices[0], small.Len(), small.TableRows(), err)
	}
	err := s.ReadSparse(indices[:1], 0, 4, 5)
	if !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(),
		"terabyte_processed_test.bin: table 0: 1 fault:\n  pair 4: index 0 is 1104, want 0 to 1100") {
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
func day(t *testing.T, pairs int, variant SizeVariant) map[string][]byte {
	t.Helper()
	labels, indices := make([]int32, pairs), make([]int32, pairs)
	for i := range labels {
		labels[i], indices[i] = int32(i%2), int32(i)
	}
	members := map[string][]byte{}
	for k := range Tables {
		members[fmt.Sprintf("%d.npy", k)] = matrix("<i4", pairs, 1, ints(indices...))
	}
	o := PairOptions{Variant: variant}
	return map[string][]byte{
		o.variantName(denseName):  matrix("<f4", pairs, DenseFeatures, make([]byte, 4*DenseFeatures*pairs)),
		o.variantName(sparseName): archive(t, zip.Store, members),
		o.variantName(labelsName): matrix("<i4", pairs, 1, ints(labels...)),
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
		variant SizeVariant
		pairs   int
		count   int
		want    int
	}{{Full, 7, 0, 4}, {Full, 8, 0, 4}, {Full, 8, 3, 3}, {Full, 1, 0, 1}, {Sample, 7, 0, 7},
		{Debug, 7, 0, 7}, {Debug, 7, 100, 7}}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			s := open(t, folder(t, day(t, tt.pairs, tt.variant)), PairOptions{Variant: tt.variant, Count: tt.count})
			if s.Len() != tt.want {
				t.Errorf("%d pairs, want %d", s.Len(), tt.want)
			}
			if err := s.ReadDense(make([]float32, DenseFeatures), s.Len(), s.Len()+1); !errors.Is(err, ErrDataset) {
				t.Errorf("pairs beyond the last: %v", err)
			}
		})
	}
}

// TestAnotherVariant: the error names another variant exactly if the folder contains that variant's files.
func TestAnotherVariant(t *testing.T) {
	names := map[SizeVariant]string{Full: "variant=full", Sample: "variant=sample", Debug: "variant=debug"}
	for there := range names {
		dir := folder(t, day(t, 3, there))
		for asked := range names {
			s, err := Open(dir, PairOptions{Variant: asked})
			if there == asked {
				if err != nil {
					t.Errorf("%q: %v", asked, err)
				} else if err := s.Close(); err != nil {
					t.Error(err)
				}
				continue
			}
			if !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), "but files of "+names[there]+", which") {
				t.Errorf("%q in a folder of %q: %v", asked, there, err)
			}
		}
	}
	if _, err := Open(t.TempDir(), PairOptions{}); err == nil || strings.Contains(err.Error(), "variant=") {
		t.Errorf("an empty folder: %v", err)
	}
	both := day(t, 3, Sample)
	maps.Copy(both, day(t, 3, Debug))
	if _, err := Open(folder(t, both), PairOptions{}); err == nil ||
		!strings.Contains(err.Error(), "variant=sample and variant=debug") {
		t.Errorf("two others: %v", err)
	}
}

func TestLabelsOnly(t *testing.T) {
	files := day(t, 3, Full)
	s := open(t, folder(t, map[string][]byte{labelsName: files[labelsName]}), PairOptions{LabelsOnly: true})
	if !slices.Equal(s.Labels(), []uint8{0, 1}) {
		t.Errorf("labels %v", s.Labels())
	}
	if err := s.ReadDense(make([]float32, DenseFeatures), 0, 1); !errors.Is(err, ErrDataset) {
		t.Errorf("numbers of a set of labels: %v", err)
	}
	if err := s.ReadSparse(nil, 0, 0, 1); !errors.Is(err, ErrDataset) {
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
	s := open(t, folder(t, files), PairOptions{Variant: Sample, Rows: rows})
	err := s.ReadDense(make([]float32, 4*DenseFeatures), 0, 4)
	if !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(),
		"day_23_dense_sample.npy: 2 faults:\n  pair 1: number 2 is NaN") ||
		!strings.Contains(err.Error(), "pair 3: number 1 is +Inf") {
		t.Errorf("numbers: %v", err)
	}
	err = s.ReadSparse(make([]int32, 3), 9, 1, 4)
	if !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(),
		"multi_hot_sample.npz: 9.npy: 2 faults:\n  pair 2: index 0 is 2, want 0 to 1") {
		t.Errorf("indices: %v", err)
	}
	if err := s.ReadSparse(make([]int32, 1), 26, 0, 1); !errors.Is(err, ErrDataset) {
		t.Errorf("no such table: %v", err)
	}
	if err := s.ReadSparse(make([]int32, 2), 0, 0, 1); !errors.Is(err, ErrDataset) {
		t.Errorf("too much room: %v", err)
	}
}

func TestNothingThere(t *testing.T) {
	_, err := Open(t.TempDir(), PairOptions{Variant: Sample})
	if !errors.Is(err, ErrDataset) || !errors.Is(err, fs.ErrNotExist) ||
		!strings.Contains(err.Error(), "day_23_dense_sample.npy") {
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
		s := open(t, folder(t, map[string][]byte{"day_23_labels_debug.npy": matrix(dtype, 2, 1, data)}),
			PairOptions{Variant: Debug, LabelsOnly: true})
		if !slices.Equal(s.Labels(), []uint8{0, 1}) {
			t.Errorf("%s: labels %v", dtype, s.Labels())
		}
	}
}

// FuzzOpenTables checks that no npz file crashes the reader.
func FuzzOpenTables(f *testing.F) {
	f.Add(archive(f, zip.Store, map[string][]byte{"0.npy": matrix("<i4", 2, 1, ints(1, 2))}))
	f.Add(archive(f, zip.Deflate, map[string][]byte{"0.npy": matrix("<i4", 2, 1, ints(1, 2))}))
	f.Fuzz(func(t *testing.T, data []byte) {
		m := &multiHot{names: [2]string{denseName, sparseName}, tableHotness: make([]int, Tables)}
		var faults fault.FaultList
		file := bytes.NewReader(data)
		archive, err := zip.NewReader(file, file.Size())
		if err != nil {
			return
		}
		m.openTables(archive, file, file.Size(), &faults)
		for k, a := range m.tables {
			if a != nil && a.rows > 0 {
				if err := a.decodeRows(make([]int32, a.columns), a.rows-1, a.rows); err != nil && !errors.Is(err, io.EOF) {
					t.Errorf("last row of table %d: %v", k, err)
				}
			}
		}
	})
}

// BenchmarkPairs reads samples of 270 pairs with the hotness of the benchmark, 214 indices per pair,
// from a file in the cache.
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
	s, err := Open(dir, PairOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	numbers, indices := make([]float32, each*DenseFeatures), make([]int32, each*100)
	b.ReportAllocs()
	start := 0
	for b.Loop() {
		if err := s.ReadDense(numbers, start, start+each); err != nil {
			b.Fatal(err)
		}
		for k, hot := range hotness {
			if err := s.ReadSparse(indices[:each*hot], k, start, start+each); err != nil {
				b.Fatal(err)
			}
		}
		start = (start + each) % (s.Len() - each)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/each, "ns/pair")
}
