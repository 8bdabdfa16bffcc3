package coco

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
)

func encodePNG(t testing.TB, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
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

const (
	annotationFile = "annotations/instances_val2017.json"
	good           = `{
		"info": {"year": 2017, "nested": [1, {"images": 2}]},
		"annotations": [
			{"id": 7, "image_id": 30, "category_id": 3, "bbox": [1, 2, 3.5, 4], "area": 9.5, "iscrowd": 1,
			 "segmentation": {"counts": [1, 2], "size": [8, 6]}},
			{"id": 8, "image_id": 10, "category_id": 1, "bbox": [0, 0, 6, 8], "area": 40, "iscrowd": 0,
			"segmentation": [[1, 2]]}],
		"images": [
			{"id": 30, "file_name": "c.png", "width": 6, "height": 8, "coco_url": "http://x/c.png"},
			{"id": 20, "file_name": "b.png", "width": 4, "height": 4},
			{"id": 10, "file_name": "sub/a.png", "width": 6, "height": 8}],
		"categories": [{"id": 3, "name": "cat", "supercategory": null}, {"id": 1, "name": "dog"}]
	}`
)

func goodFolder(t *testing.T) string {
	return folder(t, map[string][]byte{annotationFile: []byte(good),
		"val2017/c.png": encodePNG(t, 6, 8), "b.png": encodePNG(t, 4, 4), "val2017/sub/a.png": encodePNG(t, 8, 6)})
}

func TestOpen(t *testing.T) {
	dir := goodFolder(t)
	s, err := Open(dir, ImageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f := s.File()
	if s.Len() != 3 || len(f.Categories) != 2 || f.Categories[0] != (Category{3, "cat"}) ||
		s.Image(0) != (ImageEntry{30, "c.png", 6, 8}) {
		t.Errorf("set %+v of %+v", s.Images(), f)
	}
	if want := (BoxAnnotation{7, 30, 3, [4]float64{1, 2, 3.5, 4}, 9.5, true}); len(f.Annotations) != 2 ||
		f.Annotations[0] != want {
		t.Errorf("annotations %+v, want %+v first", f.Annotations, want)
	}
	if s.Path(0) != filepath.Join(dir, "val2017", "c.png") || s.Path(1) != filepath.Join(dir, "b.png") {
		t.Errorf("paths %s, %s", s.Path(0), s.Path(1))
	}
	if data, err := s.Read(1); err != nil || !bytes.Equal(data, encodePNG(t, 4, 4)) {
		t.Errorf("Read(1): %d bytes, %v", len(data), err)
	}
}

func TestOptions(t *testing.T) {
	dir := goodFolder(t)
	tests := []struct {
		name    string
		options ImageOptions
		want    []int64
	}{
		{"first two", ImageOptions{Count: 2}, []int64{30, 20}},
		{"only annotated", ImageOptions{OnlyAnnotated: true}, []int64{30, 10}},
		{"first annotated", ImageOptions{OnlyAnnotated: true, Count: 1}, []int64{30}},
		{"more than there are", ImageOptions{Count: 9}, []int64{30, 20, 10}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Open(dir, tt.options)
			if err != nil {
				t.Fatal(err)
			}
			var ids []int64
			for _, im := range s.Images() {
				ids = append(ids, im.ID)
			}
			if fmt.Sprint(ids) != fmt.Sprint(tt.want) || len(s.File().Images) != 3 {
				t.Errorf("samples %v, want %v", ids, tt.want)
			}
		})
	}
}

func TestOpenOfLabelsOnly(t *testing.T) {
	dir := folder(t, map[string][]byte{annotationFile: []byte(good)})
	s, err := Open(dir, ImageOptions{LabelsOnly: true})
	if err != nil || s.Len() != 3 {
		t.Fatalf("Open: %v, %v", s, err)
	}
	if _, err := s.Read(0); !errors.Is(err, ErrDataset) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read of a missing picture: %v", err)
	}
}

// faultsOf opens a data set and returns the faults.
func faultsOf(t *testing.T, dir string, o ImageOptions) []fault.Fault {
	t.Helper()
	_, err := Open(dir, o)
	var all *FaultError
	if !errors.As(err, &all) || !errors.Is(err, ErrDataset) {
		t.Fatalf("error %v, want a FaultError", err)
	}
	return all.Faults
}

func checkFaults(t *testing.T, got []fault.Fault, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d faults, want %d", len(got), len(want))
	}
	for i, f := range got {
		if i < len(want) && !strings.Contains(f.String(), want[i]) {
			t.Errorf("fault %v, want %s", f, want[i])
		}
	}
}

func TestEveryFaultOfRecords(t *testing.T) {
	text := `{"images": [{"id": 1, "file_name": "a", "width": 10, "height": 10}, {"id": true}, {"width": 5}, 7,
			{"id": 1, "file_name": "a", "width": 0, "height": -1}, {"id": 4, "file_name": "../x", "width": 1, "height": 1}],
		"categories": [{"id": 1}, {"name": "cat"}, {"id": 1, "name": "dog"}],
		"annotations": [
			{"id": 1, "image_id": 1, "category_id": 1, "bbox": [-1, 0, 12, 11], "area": 1, "iscrowd": 0},
			{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1], "area": 1, "iscrowd": 0},
			{"id": 2, "image_id": 99, "category_id": 1, "bbox": [0, 0, 1, 1], "area": 1, "iscrowd": 0},
			{"id": 3, "image_id": 1, "category_id": 99, "bbox": [0, 0, 1, 1], "area": 1, "iscrowd": 0},
			{"id": 4, "image_id": 1, "category_id": 1, "bbox": [5, 5, -2, 1], "area": 1, "iscrowd": 0},
			{"id": 5, "image_id": 1, "category_id": 1, "bbox": [5, 5, 2, 6.5], "area": 1, "iscrowd": 0},
			{"id": 6, "image_id": 1, "category_id": 1, "bbox": [5, 5, 2, 1], "area": -1, "iscrowd": 0},
			{"id": 7, "image_id": 1, "category_id": 1, "bbox": [5, 5, 2], "area": 1, "iscrowd": 0},
			{"id": 8, "image_id": 1, "category_id": 1, "bbox": [5, 5, 2, 2], "area": 1, "iscrowd": 2},
			{"id": 9, "image_id": 1, "category_id": 1, "iscrowd": 0},
			{"id": 10, "image_id": 1, "category_id": 1, "bbox": ["x", 5, 2, 2], "area": 1, "iscrowd": 0},
			{"id": 11, "image_id": 1, "category_id": 1, "bbox": [-2, 5, 2, 2], "area": 1, "iscrowd": 0}]}`
	dir := folder(t, map[string][]byte{annotationFile: []byte(text)})
	checkFaults(t, faultsOf(t, dir, ImageOptions{LabelsOnly: true}), []string{
		`images[1]: "id" is a bool, want a whole number or a text`, `images[2]: it has no "id"`,
		`images[2]: it has no "file_name"`,
		`images[2]: it has no "height"`,
		`images[3]: it is a number, want an object`, `categories[1]: it has no "id"`,
		`annotations[7]: id 7: bbox of 3 numbers`, `annotations[8]: "iscrowd" is a number 2, want 0, 1, false or true`,
		`annotations[9]: it has no "bbox"`,
		`annotations[9]: it has no "area"`, `annotations[10]: "bbox" is a string`,
		`image 1 ("a"): id 1 is that of an earlier one`, `image 1 ("a"): the name is that of an earlier one`,
		`image 1 ("a"): 0 x -1 pixels`,
		`image 2 ("../x"): the name is no path`, `category 1 ("dog"): id 1 is that`,
		`annotation 1 (id 1): the id is that of an earlier one`, `annotation 2 (id 2): image_id 99`,
		`annotation 3 (id 3): category_id 99`,
		`annotation 4 (id 4): bbox [5 5 -2 1] is inverted`,
		`annotation 5 (id 5): bbox [5 5 2 6.5] reaches out of its picture of 10 x 10`,
		`annotation 6 (id 6): area -1`, `annotation 7 (id 11): bbox [-2 5 2 2] reaches out`,
	})
}

func TestEveryFaultOfPictures(t *testing.T) {
	dir := folder(t, map[string][]byte{annotationFile: []byte(good),
		"val2017/c.png": encodePNG(t, 5, 8), "val2017/b.png": encodePNG(t, 4, 4)[:20]})
	checkFaults(t, faultsOf(t, dir, ImageOptions{}), []string{
		`picture 0 ("c.png", id 30): a picture of 5 x 8 pixels, want 6 x 8`,
		`picture 1 ("b.png", id 20): the file ends within its header`,
		`picture 2 ("sub/a.png", id 10): there is no such file`,
	})
	if s, err := Open(goodFolder(t), ImageOptions{MaxPixels: 20}); err == nil {
		t.Errorf("no error for pictures of 48 pixels, want at most 20: %v", s)
	}
}

func TestClasses(t *testing.T) {
	checkFaults(t, faultsOf(t, goodFolder(t), ImageOptions{Classes: 3}), []string{
		"2 categories, want 3", `category 0 ("cat"): id 3, want 0`})
}

func TestFilesThatAreNoAnnotations(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "", "it is truncated"},
		{"a mark and nothing", "\xef\xbb\xbf", "it is truncated"},
		{"a list", "[]", "[, want {"},
		{"truncated", good[:len(good)/2], "it is truncated"},
		{"no list", `{"images": {}}`, "images: {, want ["},
		{"two objects", good + "{}", "more text after"},
		{"no JSON", `{"images": [}`, "invalid character"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Open(folder(t, map[string][]byte{annotationFile: []byte(tt.text)}), ImageOptions{})
			if !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), tt.want) ||
				!strings.Contains(err.Error(), annotationFile) {
				t.Errorf("error %v, want %q and the file", err, tt.want)
			}
		})
	}
}

func TestSections(t *testing.T) {
	dir := folder(t, map[string][]byte{annotationFile: []byte(`{"images": [], "images": [], "info": 1}`)})
	checkFaults(t, faultsOf(t, dir, ImageOptions{}), []string{`it has "images" twice`, `it has no "categories"`,
		`it has no "annotations"`})
	dir = folder(t, map[string][]byte{annotationFile: []byte(`{"images": [], "categories": [], "annotations": []}`)})
	checkFaults(t, faultsOf(t, dir, ImageOptions{}), []string{"it lists no image"})
}

func TestMissingFile(t *testing.T) {
	_, err := Open(t.TempDir(), ImageOptions{})
	if !errors.Is(err, ErrDataset) || !errors.Is(err, fs.ErrNotExist) ||
		!strings.Contains(err.Error(), "the pictures in val2017") {
		t.Errorf("error %v, want the layout", err)
	}
}

// FuzzParse checks what holds of every text: no crash, and records that are reported or whole.
func FuzzParse(f *testing.F) {
	f.Add(good)
	f.Add(good[:300])
	f.Add(`{"images": [{"id": null}], "annotations": [{"bbox": [1e999]}]}`)
	f.Add(`{"categories": [[], 1, "x", null, {}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var faults fault.FaultList
		file, err := parseFile(strings.NewReader(text), &faults)
		if err != nil {
			if file != nil || errors.Is(err, io.EOF) {
				t.Fatalf("%v with %v", file, err)
			}
			return
		}
		file.checkRecords(ImageOptions{}, &faults)
		if faults.Len() > 0 {
			return
		}
		if len(file.Images) == 0 {
			t.Error("no images and no fault")
		}
		for _, a := range file.Annotations {
			if a.Box[2] < 0 || a.Box[3] < 0 || a.Area < 0 {
				t.Errorf("annotation %+v passed", a)
			}
		}
	})
}

// BenchmarkParse reads an annotation file of the size of OpenImages' validation set.
func BenchmarkParse(b *testing.B) {
	var text strings.Builder
	text.WriteString(`{"categories": [{"id": 0, "name": "x"}], "images": [{"id": 0, "file_name": "0.jpg", "width": 1024,` +
		` "height": 768}`)
	for i := 1; i < 24781; i++ {
		fmt.Fprintf(&text,
			`, {"id": %d, "file_name": "%d.jpg", "width": 1024, "height": 768, "coco_url": null, "license": null}`, i, i)
	}
	text.WriteString(`], "annotations": [{"id": 0, "image_id": 0, "category_id": 0, "bbox": [1, 2, 3, 4], "area": 12, ` +
		`"iscrowd": 0}`)
	for i := 1; i < 158642; i++ {
		fmt.Fprintf(&text,
			`, {"id": %d, "image_id": %d, "category_id": 0, "bbox": [169.52630134058413, 2.9302111923437124, `+
				`405.40011624174167, `+
				`269.81866746815166], "area": 109384.51915578052, "iscrowd": 0, "IsOccluded": 1, "IsInside": 0, "IsDepiction": 0}`,
			i, i%24781)
	}
	text.WriteString("]}")
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		var faults fault.FaultList
		file, err := parseFile(strings.NewReader(text.String()), &faults)
		if err != nil {
			b.Fatal(err)
		}
		if file.checkRecords(ImageOptions{}, &faults); faults.Len() > 0 {
			b.Fatal(faults.Err(ErrDataset, ""))
		}
	}
}
