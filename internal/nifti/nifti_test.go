package nifti

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// expected is what nibabel 5.4 reads from a file that it wrote itself: axes without length 1, float32
// of get_fdata in C order.
type expected struct {
	Shape       [3]int
	Spacing     [3]float64
	Affine      [4][4]float64
	Orientation string
	Values      []float32
}

func readExpected(t testing.TB) map[string]expected {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]expected
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	return want
}

func TestReadsAsNibabel(t *testing.T) {
	for name, want := range readExpected(t) {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", name)
			h, values, err := ReadFloats(path, NibabelOrder)
			if err != nil {
				t.Fatal(err)
			}
			if h.Shape != want.Shape || h.Spacing != want.Spacing || h.Orientation() != want.Orientation {
				t.Errorf("shape %v, spacing %v, %s; want %v, %v, %s", h.Shape, h.Spacing, h.Orientation(), want.Shape,
					want.Spacing, want.Orientation)
			}
			if !slices.Equal(values, want.Values) {
				t.Errorf("values %v, want %v", values, want.Values)
			}
			checkAffine(t, h.Affine, want.Affine)
			if again, err := ReadHeader(path); err != nil || *again != *h {
				t.Errorf("header alone %+v, %v; want %+v", again, err, h)
			}
		})
	}
}

func checkAffine(t *testing.T, got, want [4][4]float64) {
	t.Helper()
	for i := range got {
		for j := range got[i] {
			if math.Abs(got[i][j]-want[i][j]) > 1e-6 {
				t.Errorf("affine %v, want %v", got, want)
				return
			}
		}
	}
}

func TestReadClasses(t *testing.T) {
	want := readExpected(t)["uint8.nii"].Values
	_, classes, err := ReadClasses(filepath.Join("testdata", "uint8.nii"), NibabelOrder, 99)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range classes {
		if float32(c) != want[i] {
			t.Errorf("voxel %d: %d, want %v", i, c, want[i])
		}
	}
	for name, what := range map[string]string{
		"uint8.nii": "a class too high", "int8.nii": "negative", "float32.nii": "a fraction",
	} {
		if _, _, err := ReadClasses(filepath.Join("testdata", name), NibabelOrder, 2); !errors.Is(err, ErrFormat) ||
			!strings.Contains(err.Error(), "want a class") {
			t.Errorf("%s: error %v, want one", what, err)
		}
	}
}

// volume is a file of 2 x 2 x 2 bytes, 1 to 8, after edits of its header.
func volume(edit func(h []byte)) []byte {
	h := make([]byte, 352)
	le := binary.LittleEndian
	le.PutUint32(h, headerSize)
	for i, d := range []uint16{3, 2, 2, 2, 1, 1, 1, 1} {
		le.PutUint16(h[40+2*i:], d)
	}
	le.PutUint16(h[70:], uint16(Uint8))
	le.PutUint16(h[72:], 8)
	for i := range 4 {
		le.PutUint32(h[76+4*i:], math.Float32bits(1))
	}
	le.PutUint32(h[108:], math.Float32bits(352))
	copy(h[344:], "n+1\x00")
	if edit != nil {
		edit(h)
	}
	return append(h, 1, 2, 3, 4, 5, 6, 7, 8)
}

func readBytes(data []byte) (*VolumeHeader, []float32, error) {
	f, err := newReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, nil, err
	}
	values, err := readVoxels(f.header, f, f.maxBytes-f.header.offset,
		convertVoxels(NibabelOrder, func(v float64) (float32, bool) { return float32(v), true }))
	return f.header, values, err
}

func TestOrderOfVoxels(t *testing.T) {
	_, values, err := readBytes(volume(nil))
	if want := []float32{1, 5, 3, 7, 2, 6, 4, 8}; err != nil || !slices.Equal(values, want) {
		t.Errorf("values %v, %v; want %v", values, err, want)
	}
}

func TestRefuses(t *testing.T) {
	le := binary.LittleEndian
	put16 := func(at int, v uint16) func([]byte) { return func(h []byte) { le.PutUint16(h[at:], v) } }
	putFloat := func(at int, v float32) func([]byte) {
		return func(h []byte) { le.PutUint32(h[at:], math.Float32bits(v)) }
	}
	tests := []struct {
		name string
		data []byte
		want []string
	}{
		{"empty", nil, []string{"ends within its header"}},
		{"text", bytes.Repeat([]byte("no volume "), 50), []string{`starts with "no v"`}},
		{"cut header", volume(nil)[:200], []string{"ends within its header"}},
		{"cut extension", volume(nil)[:350], []string{"extensions"}},
		{"cut voxels", volume(nil)[:358], []string{"needs 8 bytes, and it holds at most 6"}},
		{"pair of files", volume(func(h []byte) { copy(h[344:], "ni1\x00") }), []string{`magic "ni1\x00"`}},
		{"two dimensions", volume(put16(40, 2)), []string{"2 dimensions"}},
		{"no voxels", volume(put16(42, 0)), []string{"dimensions [0 2 2"}},
		{"negative", volume(put16(42, 0x8000)), []string{"dimensions [-32768"}},
		{"a series", volume(func(h []byte) { put16(40, 4)(h); put16(48, 2)(h) }), []string{"4 dimensions [2 2 2 2"}},
		{"colours", volume(func(h []byte) { put16(70, 128)(h); put16(72, 24)(h) }),
			[]string{"datatype Type(128) of 24 bits, want one of float32"}},
		{"wrong bits", volume(put16(72, 16)), []string{"datatype uint8 of 16 bits"}},
		{"early voxels", volume(putFloat(108, 0)), []string{"voxels at byte 0"}},
		{"huge", volume(func(h []byte) { put16(42, 32767)(h); put16(44, 32767)(h); put16(46, 32767)(h) }),
			[]string{"truncated"}},
		{"all at once", volume(func(h []byte) {
			put16(40, 9)(h)
			putFloat(80, -1)(h)
			putFloat(84, float32(math.NaN()))(h)
			h[345] = 'x'
		}),
			[]string{"magic", "9 dimensions", "spacing [-1 NaN 1]"}},
		{"no transform", volume(func(h []byte) { put16(254, 1)(h); putFloat(280, float32(math.Inf(1)))(h) }),
			[]string{"affine [[+Inf"}},
		{"cut gzip", packed(volume(nil))[:40], []string{"truncated"}},
		{"broken gzip", append([]byte{0x1f, 0x8b}, make([]byte, 30)...), []string{"gzip"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := readBytes(tt.data)
			if !errors.Is(err, ErrFormat) {
				t.Fatalf("error %v, want ErrFormat", err)
			}
			for _, w := range tt.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error %v, want it to say %q", err, w)
				}
			}
		})
	}
}

func packed(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func TestMissingFile(t *testing.T) {
	if _, err := ReadHeader(filepath.Join(t.TempDir(), "x.nii")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if _, _, err := ReadFloats(".", NibabelOrder); err == nil {
		t.Error("no error for a folder")
	}
}

// FuzzRead checks that no file crashes the reader or makes it reserve more than the file can hold, and that what it
// reads has the right length.
func FuzzRead(f *testing.F) {
	f.Add(volume(nil))
	f.Add(packed(volume(nil)))
	f.Add(volume(func(h []byte) { binary.LittleEndian.PutUint16(h[42:], 32767) }))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, values, err := readBytes(data)
		if err != nil {
			if errors.Is(err, io.EOF) {
				t.Errorf("bare end of file: %v", err)
			}
			return
		}
		if len(values) != h.VoxelCount() || len(h.Orientation()) != 3 {
			t.Errorf("%d values of shape %v", len(values), h.Shape)
		}
	})
}

// BenchmarkReadFloats reads a CT of 64 slices, packed.
func BenchmarkReadFloats(b *testing.B) {
	header := volume(func(h []byte) {
		for i, d := range []uint16{64, 512, 512} {
			binary.LittleEndian.PutUint16(h[42+2*i:], d)
		}
		binary.LittleEndian.PutUint16(h[70:], uint16(Int16))
		binary.LittleEndian.PutUint16(h[72:], 16)
	})[:352]
	raw := make([]byte, 2*64*512*512)
	for i := range raw {
		raw[i] = byte(i * i >> 7)
	}
	path := filepath.Join(b.TempDir(), "ct.nii.gz")
	if err := os.WriteFile(path, packed(append(header, raw...)), 0o666); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := ReadFloats(path, NibabelOrder); err != nil {
			b.Fatal(err)
		}
	}
}
