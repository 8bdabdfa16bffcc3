package coco2014

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

func write(t testing.TB, name string, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadCaptions(t *testing.T) {
	got, err := ReadCaptions(write(t, "captions.tsv",
		"id\timage_id\tcaption\n3\t5\tA dog's bone.\n4\t6\t\"a \"\"red\"\"\tcar\"\n\n5\t7\t  caf\u00e9 \n"))
	want := []CaptionRow{{3, "A dog's bone."}, {4, "a \"red\"\tcar"}, {5, "  caf\u00e9 "}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if got, err := ReadCaptions(write(t, "c.tsv", "caption\r\nNA\r\n")); err != nil || got[0] != (CaptionRow{0, "NA"}) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestReadCaptionsRefuses(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"", []string{"no row of names"}},
		{"id\tcaption\n", []string{"no captions"}},
		{"id,caption\n1,x\n", []string{"want one of the name caption"}},
		{"id\tcaption\nx\ta\n2\ta\tb\n3\t \n4\t\xff\n", []string{
			"4 faults", `line 2: id "x"`, "line 3: 3 fields, want 2", "line 4: an empty caption",
			"line 5: \"\\xff\" is not UTF-8",
		}},
		{"id\tcaption\n1\ta \"red\" car\n", []string{"line 2", "quotation mark within a caption is doubled"}},
		{"id\tcaption\n1\t\"a red car\n", []string{"quotation mark"}},
		{"id\tcaption\n1a '\"b\"\"\"\n", []string{"line 2", "quotation mark"}},
	}
	for _, tt := range tests {
		_, err := ReadCaptions(write(t, "captions.tsv", tt.text))
		checkError(t, tt.text, err, tt.want...)
	}
	_, err := ReadCaptions(filepath.Join(t.TempDir(), "none.tsv"))
	checkError(t, "none", err, "none.tsv")
}

func checkError(t *testing.T, what string, err error, want ...string) {
	t.Helper()
	if !errors.Is(err, ErrDataset) {
		t.Fatalf("%q: error %v, want ErrDataset", what, err)
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q: error %v, want %q", what, err, w)
		}
	}
}

// array is a file of NumPy's.
func array(dtype, shape string, numbers any) string {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", dtype, shape)
	data, err := binary.Append([]byte("\x93NUMPY\x01\x00"), binary.LittleEndian, uint16(len(header)))
	if err != nil {
		panic(err) // the numbers are none
	}
	data, err = binary.Append(append(data, header...), binary.LittleEndian, numbers)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func TestReadLatents(t *testing.T) {
	path := write(t, "latents.npy", array("<f4", "(1, 2, 1, 2)", []float32{1, -2, 3, 4}))
	want := &LatentNoise{[4]int{1, 2, 1, 2}, []float32{1, -2, 3, 4}}
	if got, err := ReadLatents(path); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

func TestReadLatentsRefuses(t *testing.T) {
	nan := float32(math.NaN())
	tests := []struct{ name, text, want string }{
		{"l.npy", array("<f4", "(2, 1, 1, 1)", []float32{1, 2}), "want one latent for all samples"},
		{"l.npy", array("<f4", "(1, 2)", []float32{1, 2}), "the shape [1 2]"},
		{"l.npy", array("<f4", "(1, 0, 1, 1)", []float32{}), "the shape [1 0 1 1]"},
		{"l.npy", array("<f4", "(1, 1, 1, 2)", []float32{1, nan}), "number 1 is NaN"},
		{"l.npy", array("<f8", "(1, 1, 1, 1)", []float64{1}), "want <f4"},
		{"l.npy", array("<f4", "(1, 1, 1, 2)", []float32{1}), "needs 8 bytes, and there are 4"},
		{"l.npy", array("<f4", "(1, 1, 1, 1)", []float32{1, 2}), "there are more"},
		{"l.npy", array("<f4", "(1, 4, 99999, 99999)", []float32{1}), "want at most"},
		{"l.npy", "x", "cut"},
		{"l.pt", "x", "not a file of torch.save"}, {"l.pt", "x", "latents.npy"},
	}
	for _, tt := range tests {
		_, err := ReadLatents(write(t, tt.name, tt.text))
		if !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), tt.want) && tt.want != "cut" {
			t.Errorf("%.60q: error %v, want %q", tt.text, err, tt.want)
		}
	}
}

func TestFindLatents(t *testing.T) {
	dir := t.TempDir()
	base := func() string { return filepath.Base(FindLatents(dir)) }
	if err := os.Mkdir(filepath.Join(dir, "latents"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := base(); got != "latents.npy" {
		t.Errorf("in an empty folder %s", got)
	}
	for _, name := range []string{"latents.pt", "latents.npy"} {
		if err := os.WriteFile(filepath.Join(dir, "latents", name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if got := base(); got != name {
			t.Errorf("%s, want %s", got, name)
		}
	}
}

// archive is a file of NumPy's arrays by name.
func archive(t *testing.T, arrays map[string]string) string {
	t.Helper()
	var b strings.Builder
	z := zip.NewWriter(&b)
	for name, text := range arrays {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return write(t, "statistics.npz", b.String())
}

func TestReadStatistics(t *testing.T) {
	mu, sigma := array("<f8", "(2,)", []float64{1, 2}), array("<f4", "(2, 2)", []float32{3, 4, 5, 6})
	want := &FeatureStatistics{[]float64{1, 2}, []float64{3, 4, 5, 6}}
	got, err := ReadStatistics(archive(t, map[string]string{"mu.npy": mu, "sigma.npy": sigma}))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	for want, arrays := range map[string]map[string]string{
		"sigma.npy":               {"mu.npy": mu},
		"mu of the shape [2 2]":   {"mu.npy": sigma, "sigma.npy": sigma},
		"sigma of [2], want":      {"mu.npy": mu, "sigma.npy": mu},
		"want floats in C order":  {"mu.npy": array("<i8", "(1,)", []int64{1}), "sigma.npy": sigma},
		"want at most 8192":       {"mu.npy": array("<f4", "(8193,)", []float32{}), "sigma.npy": sigma},
		"sigma.npy: NumPy file: ": {"mu.npy": mu, "sigma.npy": "x"},
	} {
		_, err := ReadStatistics(archive(t, arrays))
		checkError(t, want, err, want)
	}
	_, err = ReadStatistics(write(t, "x.npz", "x"))
	checkError(t, "x", err, "no archive")
}

// TestGoldenCaptions compares with what pandas read.
func TestGoldenCaptions(t *testing.T) {
	golden.Each(t, "text_to_image/captions/expected.json", func(t *testing.T, path string) {
		var want struct {
			Captions []string
			ID       []int64
		}
		golden.ReadJSON(t, path, &want)
		got, err := ReadCaptions(filepath.Join(filepath.Dir(path), "captions.tsv"))
		if err != nil || len(got) != len(want.Captions) {
			t.Fatalf("%d captions, %v; want %d", len(got), err, len(want.Captions))
		}
		for i, c := range got {
			if c.Text != want.Captions[i] || c.ID != want.ID[i] {
				t.Errorf("row %d: %+v, want %d, %q", i, c, want.ID[i], want.Captions[i])
			}
		}
	})
}

// TestGoldenDataset reads a whole data set, its latents from either file.
func TestGoldenDataset(t *testing.T) {
	golden.Each(t, "text_to_image/e2e/expected.json", func(t *testing.T, path string) {
		var want struct{ Samples int }
		golden.ReadJSON(t, path, &want)
		dir := filepath.Join(filepath.Dir(path), "data")
		if got, err := ReadCaptions(filepath.Join(dir, CaptionsFile)); err != nil || len(got) != want.Samples {
			t.Errorf("%d captions, %v; want %d", len(got), err, want.Samples)
		}
		one, err := ReadLatents(FindLatents(dir))
		two, err2 := ReadLatents(filepath.Join(dir, "latents", "latents.pt"))
		if err != nil || err2 != nil || !reflect.DeepEqual(one, two) || one.Shape[1] != 4 {
			t.Errorf("%+v, %v; and %+v, %v", one, err, two, err2)
		}
		if _, err := ReadStatistics(filepath.Join(dir, "..", "scorer", "statistics.npz")); err != nil {
			t.Error(err)
		}
	})
}

// TestOfficialLatents reads the files of the official repository, which PLUMBLINE_INFERENCE names.
func TestOfficialLatents(t *testing.T) {
	dir := os.Getenv("PLUMBLINE_INFERENCE")
	if dir == "" {
		t.Skip("PLUMBLINE_INFERENCE names no checkout of the official repository")
	}
	for _, name := range []string{"latents.npy", "latents.pt"} {
		l, err := ReadLatents(filepath.Join(dir, "text_to_image", "tools", name))
		if err != nil {
			t.Fatal(err)
		}
		data, err := binary.Append(nil, binary.LittleEndian, l.Values)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		const want = "ea2c5d770d8921c79b43fade2dcecab9c95baae0500f5a2bc860ceb45faeccb1"
		if got := hex.EncodeToString(sum[:]); got != want || l.Shape != [4]int{1, 4, 128, 128} {
			t.Errorf("%s: %v, sha256 %s, want %s", name, l.Shape, got, want)
		}
	}
	captions, err := ReadCaptions(filepath.Join(dir, "text_to_image", "coco2014", "captions", "captions_source.tsv"))
	if err != nil || len(captions) != 5000 {
		t.Errorf("%d captions, %v", len(captions), err)
	}
}

func FuzzCaptions(f *testing.F) {
	f.Add([]byte("id\tcaption\n1\t\"a \"\"b\"\"\"\n"))
	f.Add([]byte("id\tcaption\n1a '\"b\"\"\"\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var faults fault.FaultList
		if captions := parseCaptions(data, &faults); faults.Len() == 0 && len(captions) == 0 {
			t.Error("neither captions nor faults")
		}
	})
}
