package kits19

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// volume is a NIfTI file of the shape given whose axes run as in the data set (IPL), or as x, y, z (RAS). Its voxels
// are of float32, or of uint8 for labels: 0, 1, 2, 0, 1 ... in the order of the file.
func volume(shape [3]int, labels bool, orientation string) []byte {
	h := make([]byte, 352)
	le := binary.LittleEndian
	put := func(at int, v float32) { le.PutUint32(h[at:], math.Float32bits(v)) }
	le.PutUint32(h, 348)
	le.PutUint16(h[40:], 3)
	for i, n := range shape {
		le.PutUint16(h[42+2*i:], uint16(n))
		put(80+4*i, float32(i+1))
	}
	put(108, 352)
	le.PutUint16(h[254:], 1) // sform
	for i := range 3 {
		if orientation == "IPL" {
			put(280+16*i+4*(2-i), -1)
		} else {
			put(280+16*i+4*i, 1)
		}
	}
	copy(h[344:], "n+1\x00")
	le.PutUint16(h[70:], 16)
	le.PutUint16(h[72:], 32)
	if labels {
		le.PutUint16(h[70:], 2)
		le.PutUint16(h[72:], 8)
	}
	for i := range shape[0] * shape[1] * shape[2] {
		if labels {
			h = append(h, byte(i%3))
		} else {
			h = le.AppendUint32(h, math.Float32bits(float32(i)/4))
		}
	}
	return h
}

// folder writes files into a new folder.
func folder(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestPublished(t *testing.T) {
	files := map[string][]byte{}
	for i, name := range CaseNames() {
		if name != duplicate {
			files["data/"+name+"/imaging.nii.gz"] = volume([3]int{1 + i%2, 2, 3}, false, "IPL")
			files["data/"+name+"/segmentation.nii.gz"] = volume([3]int{1 + i%2, 2, 3}, true, "IPL")
		}
	}
	s, err := Open(folder(t, files), CaseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Len() != 43 || s.Preprocessed() || s.Name(42) != "case_00400" || s.Shape(42) != s.Shape(35) ||
		s.Name(35) != "case_00185" {
		t.Errorf("%d cases, the last %s of shape %v", s.Len(), s.Name(42), s.Shape(42))
	}
	v, err := s.Image(0)
	if err != nil || v.Shape != [3]int{1, 2, 3} || v.Spacing != [3]float64{1, 2, 3} ||
		!slices.Equal(v.Values, []float32{0, 0.5, 1, 0.25, 0.75, 1.25}) {
		t.Errorf("image %+v, %v", v, err)
	}
	if labels, err := s.Labels(0); err != nil || !slices.Equal(labels, []uint8{0, 2, 1, 1, 0, 2}) {
		t.Errorf("labels %v, %v", labels, err)
	}
}

func TestChosenCases(t *testing.T) {
	files := map[string][]byte{}
	for _, name := range []string{"case_00001", "case_00002", "case_00003"} {
		files[name+"/imaging.nii.gz"] = volume([3]int{1, 1, 1}, false, "IPL")
		files[name+"/segmentation.nii.gz"] = volume([3]int{1, 1, 1}, true, "IPL")
	}
	s, err := Open(folder(t, files), CaseOptions{Cases: []string{"case_00003", "case_00001", "case_00099"}, Count: 2})
	if err != nil || s.Len() != 2 || s.Name(0) != "case_00003" || s.Name(1) != "case_00001" {
		t.Errorf("%+v, %v", s, err)
	}
}

const twoCases = `{"file_list": ["case_00009", "case_00002"], "cases": {
	"case_00002": {"image_shape": [1, 2, 3, 4]}, "case_00009": {"image_shape": [1, 1, 1, 3], "zoom_factor": [1, 2, 3]}}}`

func TestPreprocessed(t *testing.T) {
	dir := folder(t, map[string][]byte{
		"preprocessed_data/preprocessed_files.json":                     []byte(twoCases),
		"preprocessed_data/nifti/case_00002/segmentation.nii.gz":        volume([3]int{2, 3, 4}, true, "RAS"),
		"preprocessed_data/nifti/case_00009/segmentation.nii.gz":        volume([3]int{1, 1, 3}, true, "RAS"),
		"preprocessed_data/nifti/case_00009/imaging.nii.gz":             volume([3]int{1, 1, 3}, false, "RAS"),
		"preprocessed_data/" + "case_00002.pkl":                         casePickle([]int{1, 2, 3, 4}, "f4", 24),
		"preprocessed_data/nifti/case_00002/imaging_not_needed.unknown": nil,
	})
	s, err := Open(dir, CaseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !s.Preprocessed() || s.Len() != 2 || s.Name(0) != "case_00009" || s.Shape(1) != [3]int{2, 3, 4} {
		t.Errorf("set %+v", s)
	}
	if v, err := s.Image(0); err != nil || !slices.Equal(v.Values, []float32{0, 0.25, 0.5}) {
		t.Errorf("image of NIfTI %+v, %v", v, err)
	}
	if v, err := s.Image(1); err != nil || v.Shape != [3]int{2, 3, 4} || v.Values[23] != 23 {
		t.Errorf("image of a pickle %+v, %v", v, err)
	}
}

// casePickle is a pickle of [image, labels] whose n voxels are 0, 1 ... and 0.
func casePickle(shape []int, dtype string, n int) []byte {
	array := func(dtype string, data []byte) string {
		sizes := "("
		for _, s := range shape {
			sizes += "K" + string(rune(s))
		}
		return "cnumpy.core.multiarray\n_reconstruct\n)R(K\x01" + sizes + "tcnumpy\ndtype\nX\x02\x00\x00\x00" + dtype +
			"\x85R(K\x03X\x01\x00\x00\x00<tb\x89B" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(data)))) +
			string(data) + "tb"
	}
	var image []byte
	for i := range n {
		image = binary.LittleEndian.AppendUint32(image, math.Float32bits(float32(i)))
	}
	return []byte("\x80\x03](" + array(dtype, image) + array("u1", make([]byte, n)) + "e.")
}

func TestPickleThatIsWrong(t *testing.T) {
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"another shape", casePickle([]int{1, 1, 4, 3}, "f4", 12), "shape [1 1 4 3]"},
		{"another dtype", casePickle([]int{1, 1, 1, 3}, "f8", 3), "image of <f8"},
		{"too few voxels", casePickle([]int{1, 1, 1, 3}, "f4", 2), "8 bytes, want <f4"},
		{"no arrays", []byte("\x80\x03](K\x01e.              "), "a *pickle.List, want a list of the image's"},
		{"no pickle", []byte("some text that is long enough"), "operation"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "case.pkl")
			if err := os.WriteFile(path, tt.data, 0o666); err != nil {
				t.Fatal(err)
			}
			if _, err := readPickle(path, [3]int{1, 1, 3}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// checkFaults opens a data set and compares the lines of the error.
func checkFaults(t *testing.T, dir string, o CaseOptions, want []string) {
	t.Helper()
	_, err := Open(dir, o)
	var all *FaultError
	if !errors.As(err, &all) || !errors.Is(err, ErrDataset) {
		t.Fatalf("error %v, want a FaultError", err)
	}
	if len(all.Faults) != len(want) {
		t.Errorf("%d faults, want %d", len(all.Faults), len(want))
	}
	for i, f := range all.Faults {
		if i < len(want) && !strings.Contains(f.String(), want[i]) {
			t.Errorf("fault %v, want %s", f, want[i])
		}
	}
}

func TestEveryFaultOfPublished(t *testing.T) {
	good := volume([3]int{2, 2, 2}, false, "IPL")
	files := map[string][]byte{"case_00000/imaging.nii.gz": good,
		"case_00000/segmentation.nii.gz": volume([3]int{2, 2, 3}, true, "IPL"),
		"case_00003/imaging.nii.gz":      volume([3]int{2, 2, 2}, false, "RAS"),
		"case_00003/segmentation.nii.gz": volume([3]int{2, 2, 2}, true, "RAS"),
		"case_00005/imaging.nii.gz":      good[:100],
		"case_00005/segmentation.nii.gz": []byte("<html>not found</html>" + strings.Repeat(" ", 400)),
		"case_00006/segmentation.nii.gz": volume([3]int{2, 2, 2}, true, "IPL")}
	checkFaults(t, folder(t, files), CaseOptions{Count: 5}, []string{
		"case_00000: segmentation: shape [2 2 3], want [2 2 2] as the image has",
		"case_00003: image: its axes run towards RAS, want IPL",
		"case_00005: segmentation: ", "case_00005: image: ", "case_00006: image: ", "case_00012: segmentation: ",
		"case_00012: image: "})
}

func TestEveryFaultOfPreprocessed(t *testing.T) {
	checkFaults(t, folder(t, map[string][]byte{
		"preprocessed_files.json":                []byte(twoCases),
		"nifti/case_00002/segmentation.nii.gz":   volume([3]int{2, 3, 5}, true, "IPL"),
		"case_00002.pkl":                         nil,
		"nifti/case_00009/imaging.nii.gz/folder": nil,
	}), CaseOptions{}, []string{"case_00009: segmentation: ", "case_00009: image: ",
		"case_00002: segmentation: shape [2 3 5], want [2 3 4]",
		"case_00002: ", /* truncated */
	})
	checkFaults(t, folder(t, map[string][]byte{"preprocessed_files.json": []byte(`{"file_list": ["a", "b", "../c"],
		"cases": {"a": {"image_shape": [2, 1, 1, 1]}, "../c": {"image_shape": [1, 1, 1, 1]}}}`)}), CaseOptions{},
		[]string{"a: image_shape [2 1 1 1]", "b: image_shape []", "../c: image_shape"})
	checkFaults(t, folder(t, map[string][]byte{"preprocessed_files.json": []byte(`{}`)}), CaseOptions{},
		[]string{"it lists no case"})
}

func TestOtherErrors(t *testing.T) {
	tests := []struct {
		name  string
		files map[string][]byte
		want  string
	}{
		{"nothing there", nil, "neither preprocessed_files.pkl nor folders case_00000"},
		{"index is not JSON", map[string][]byte{"preprocessed_files.json": []byte("{")}, "want file_list and cases"},
		{"index is no pickle", map[string][]byte{"preprocessed_files.pkl": []byte("{")}, "preprocessed_files.pkl: pickle"},
		{"index is another pickle", map[string][]byte{"preprocessed_files.pkl": []byte("K\x01.")}, "file_list is a <nil>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Open(folder(t, tt.files), CaseOptions{}); !errors.Is(err, ErrDataset) ||
				!strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := Open(filepath.Join(t.TempDir(), "x"), CaseOptions{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v, want ErrNotExist", err)
	}
}

func TestReadErrorsNameTheCase(t *testing.T) {
	dir := folder(t, map[string][]byte{"case_00000/imaging.nii.gz": volume([3]int{2, 2, 2}, false, "IPL")[:360],
		"case_00000/segmentation.nii.gz": append(volume([3]int{2, 2, 2}, true, "IPL")[:352], 0, 1, 2, 3, 0, 0, 0, 0)})
	s, err := Open(dir, CaseOptions{Count: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Image(0); !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), "case_00000") ||
		!strings.Contains(err.Error(), "truncated") {
		t.Errorf("Image: %v", err)
	}
	if _, err := s.Labels(0); !errors.Is(err, ErrDataset) ||
		!strings.Contains(err.Error(), fmt.Sprintf("voxel (%d, %d, %d) is 3", 1, 1, 0)) {
		t.Errorf("Labels: %v", err)
	}
}
