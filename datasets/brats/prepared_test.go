package brats

import (
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/nifti"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// TestGoldenPreprocessedCases opens what the reference's preprocessing wrote, as a scorer does.
func TestGoldenPreprocessedCases(t *testing.T) {
	golden.Each(t, "vision/brats/logs/*/expected.json", func(t *testing.T, path string) {
		var want struct {
			Cases []struct {
				Name string
				Raw  [3]int
				Box  [3][2]int `json:"crop_bbox"`
				Size [3]int    `json:"size_after_cropping"`
			}
			Padded [3]int `json:"padded_shape"`
		}
		golden.ReadJSON(t, path, &want)
		for _, dir := range []string{filepath.Dir(path), filepath.Join(filepath.Dir(path), "preprocessed_data")} {
			s, err := Open(dir, CaseOptions{LabelsOnly: true, Padded: want.Padded})
			if err != nil {
				t.Fatal(err)
			}
			if s.Len() != len(want.Cases) || !s.Preprocessed() {
				t.Fatalf("%d cases, want %d", s.Len(), len(want.Cases))
			}
			for i, c := range want.Cases {
				placed := HeadPlacement{c.Raw, [3]int{c.Box[0][0], c.Box[1][0], c.Box[2][0]}, c.Size}
				if s.Name(i) != c.Name || s.Placement(i) != placed || s.Shape(i) != c.Raw {
					t.Errorf("case %d: %s at %+v, want %s at %+v", i, s.Name(i), s.Placement(i), c.Name, placed)
				}
				if labels, err := s.Labels(i); err != nil || len(labels) != c.Raw[0]*c.Raw[1]*c.Raw[2] {
					t.Errorf("%s: %d labels, %v", c.Name, len(labels), err)
				}
			}
		}
	})
}

// TestGoldenPickle reads a whole case that the reference wrote.
func TestGoldenPickle(t *testing.T) {
	golden.Each(t, "vision/brats/preprocess/*/CASE.pkl.gz", func(t *testing.T, path string) {
		dir := t.TempDir()
		unpack(t, path, filepath.Join(dir, "HGG__CASE.pkl"))
		list(t, dir, "HGG__CASE")
		writeLabels(t, dir, "HGG__CASE", [3]int{20, 26, 22})
		s, err := Open(dir, CaseOptions{Padded: [3]int{24, 24, 24}})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := s.Placement(0), (HeadPlacement{[3]int{20, 26, 22}, [3]int{3, 5, 3}, [3]int{14, 17,
			14}}); got != want {
			t.Errorf("placement %+v, want %+v", got, want)
		}
		image, err := s.Prepared(0)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(filepath.Dir(path), "expected.npy"))
		if err != nil {
			t.Fatal(err)
		}
		data = data[10+binary.LittleEndian.Uint16(data[8:]):]
		n := len(data) / 16
		at := func(i int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:])) }
		for i := range n {
			if got := float64(image[int(at(i))]); got != at(n+i) {
				t.Fatalf("value %v is %v, want %v", at(i), got, at(n+i))
			}
		}
		if _, err := Open(dir, CaseOptions{Padded: [3]int{32, 24, 24}}); !errors.Is(err, ErrDataset) ||
			!strings.Contains(err.Error(), "shape [4 24 24 24]") ||
			!strings.Contains(err.Error(), "preprocessed for another model?") {
			t.Errorf("another model's shape: %v", err)
		}
		if _, err := Open(dir, CaseOptions{Padded: [3]int{24, 16, 24}, LabelsOnly: true}); !errors.Is(err, ErrDataset) ||
			!strings.Contains(err.Error(), "size_after_cropping [14 17 14], want at most [24 16 24]") {
			t.Errorf("a head larger than the input: %v", err)
		}
	})
}

func unpack(t *testing.T, from, to string) {
	t.Helper()
	f, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// list writes an index of cases.
func list(t *testing.T, dir string, names ...string) {
	t.Helper()
	text := "\x80\x02]("
	for _, name := range names {
		text += "X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(name)))) + name
	}
	if err := os.WriteFile(filepath.Join(dir, indexPickle), []byte(text+"e."), 0o600); err != nil {
		t.Fatal(err)
	}
}

func writeLabels(t *testing.T, dir, name string, shape [3]int) {
	t.Helper()
	path := filepath.Join(dir, "labelsTr", name+".nii.gz")
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	labels := make([]uint8, shape[0]*shape[1]*shape[2])
	if err := nifti.WriteVolume(path, nifti.SimpleITKOrder, shape, [3]float64{1, 1, 1}, labels); err != nil {
		t.Fatal(err)
	}
}

// TestBadPickles: lists and cases that are not what the reference writes.
func TestBadPickles(t *testing.T) {
	str := func(text string) string {
		return "X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(text)))) + text
	}
	array := "cnumpy.core.multiarray\n_reconstruct\n)R(K\x01(K\x04K\x01K\x01K\x01tcnumpy\ndtype\n" + str("f4") +
		"\x85R(K\x03" + str("<") + "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89C\x10" + strings.Repeat("\x00", 16) + "tb"
	numbers := func(key string, values ...byte) string {
		text := str(key) + "("
		for _, v := range values {
			text += "K" + string([]byte{v})
		}
		return text + "t"
	}
	facts := func(raw, size, box string) string { return "}(" + raw + size + box + "u" }
	raw, size := numbers("original_size_of_raw_data", 9, 9, 9), numbers("size_after_cropping", 4, 4, 4)
	box := numbers("crop_bbox", 5, 9, 5, 9, 5, 9)
	for _, c := range []struct{ name, pickle, want string }{
		{"", "]" + "(" + array + facts(raw, size, box) + "e.", ""},
		{"a program", "cos\nsystem\n.", `it names "os.system"`},
		{"a list of one", "](" + array + "e.", "want a list of the image and a dict: preprocessed for another model?"},
		{"no dict", "](" + array + "Ne.", "want the image's array and a dict"},
		{"no box", "](" + array + facts(raw, size, "") + "e.", "crop_bbox is a <nil>"},
		{"two sides", "](" + array + facts(raw, numbers("size_after_cropping", 4, 4), box) + "e.", "want 3 whole numbers"},
		{"a box beyond the volume", "](" + array + facts(raw, numbers("size_after_cropping", 4, 4, 5), box) + "e.",
			"a head of [4 4 5] voxels from [5 5 5] on in a volume of [9 9 9]"},
		{"too large a head", "](" + array + facts(numbers("original_size_of_raw_data", 99, 9, 9),
			numbers("size_after_cropping", 90, 4, 4), box) + "e.", "size_after_cropping [90 4 4], want at most [8 8 8]"},
	} {
		dir := t.TempDir()
		list(t, dir, "HGG__a")
		writeLabels(t, dir, "HGG__a", [3]int{9, 9, 9})
		if err := os.WriteFile(filepath.Join(dir, "HGG__a.pkl"), []byte("\x80\x02"+c.pickle), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(dir, CaseOptions{Padded: [3]int{8, 8, 8}, LabelsOnly: true})
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, ErrDataset) ||
			!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "HGG__a")) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	for want, write := range map[string]func(dir string){
		"it lists no case":     func(dir string) { list(t, dir) },
		"each once":            func(dir string) { list(t, dir, "HGG__a", "HGG__a") },
		"want HGG__CASE":       func(dir string) { list(t, dir, "../x") },
		"HGG__b.pkl":           func(dir string) { list(t, dir, "HGG__b") },
		"labels: open":         func(dir string) { list(t, dir, "HGG__b") },
		"want a list of names": func(dir string) { _ = os.WriteFile(filepath.Join(dir, indexPickle), []byte("}."), 0o600) },
	} {
		dir := t.TempDir()
		write(dir)
		if _, err := Open(dir, CaseOptions{}); !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// FuzzCase opens pickles of cases: where one is taken, the head lies within its volume and fits the model.
func FuzzCase(f *testing.F) {
	f.Add([]byte("\x80\x02](N}e."))
	f.Add([]byte("\x80\x04]\x94(N}\x94(\x8c\x09crop_bbox\x94K\x01K\x02\x86ue."))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "HGG__a.pkl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		c := caseFiles{name: "HGG__a", pickle: path}
		if err := c.readPlacement(CaseOptions{Padded: [3]int{8, 8, 8}, LabelsOnly: true}); err != nil {
			return
		}
		for k, n := range c.placement.Size {
			if n < 1 || n > 8 || c.placement.Low[k] < 0 || c.placement.Low[k]+n > c.placement.Raw[k] {
				t.Errorf("placement %+v", c.placement)
			}
		}
	})
}
