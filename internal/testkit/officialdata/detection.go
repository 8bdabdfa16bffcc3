package officialdata

import (
	"fmt"
	"image/color"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// DetectionMAP is the mAP of tinymodel's detectors on the pictures of COCO and OpenImages, in percent. They find 17 of
// the 18 objects of the first category (precision 1 at 95 of the 101 recalls) and all of the second.
const DetectionMAP = 100 * (95./101 + 1) / 2

// object is an entry of "annotations" in COCO's form.
type object struct {
	ID           int        `json:"id"`
	Image        int        `json:"image_id"`
	Category     int        `json:"category_id"`
	Box          [4]float64 `json:"bbox"`
	Area         float64    `json:"area"`
	Crowd        int        `json:"iscrowd"`
	Segmentation any        `json:"segmentation"`
}

// imageRecord is an entry of "images" in COCO's form.
type imageRecord struct {
	ID       int    `json:"id"`
	Name     string `json:"file_name"`
	Width    int    `json:"width"`
	Height   int    `json:"height"`
	Licence  int    `json:"license"`
	URL      string `json:"coco_url"`
	Captured string `json:"date_captured"`
}

type category struct {
	ID    int    `json:"id"`
	Name  string `json:"name"`
	Super string `json:"supercategory"`
}

// annotations is a file in COCO's form. It includes sections that the readers do not use.
type annotations struct {
	Info        map[string]any   `json:"info"`
	Licences    []map[string]any `json:"licenses"`
	Images      []imageRecord    `json:"images"`
	Annotations []object         `json:"annotations"`
	Categories  []category       `json:"categories"`
}

// picture is a picture of a detection data set.
type picture struct {
	width, height int
	colour        color.Color
}

// pictures returns 20 pictures. Three of them are black and contain no object.
func pictures() []picture {
	colours := []color.Color{red, green, color.Black, blue, red, color.White}
	pictures := make([]picture, 20)
	for i := range pictures {
		pictures[i] = picture{160 - 5*i, 50 + 7*i, colours[i%len(colours)]}
	}
	return pictures
}

// addObject adds the box of a category to picture i.
func (a *annotations) addObject(i, category int, b tinymodel.Box) *object {
	im := a.Images[i]
	w, h := float64(im.Width), float64(im.Height)
	box := [4]float64{b.XMin * w, b.YMin * h, (b.XMax - b.XMin) * w, (b.YMax - b.YMin) * h}
	a.Annotations = append(a.Annotations, object{
		ID: 900 + len(a.Annotations), Image: im.ID, Category: category, Box: box, Area: box[2] * box[3],
		Segmentation: [][]float64{{box[0], box[1], box[0] + box[2], box[1], box[0] + box[2], box[1] + box[3]}},
	})
	return &a.Annotations[len(a.Annotations)-1]
}

// annotate adds the objects that the detectors find, an object of the first category that they miss, and a crowd.
func (a *annotations) annotate(first, second int) {
	for i, p := range pictures() {
		if p.colour == color.Black {
			continue
		}
		a.addObject(i, second, tinymodel.SecondBox)
		a.addObject(i, first, tinymodel.FirstBox)
	}
	a.addObject(1, first, tinymodel.Box{XMin: 0.75, XMax: 1, YMax: 0.25})
	crowd := a.addObject(3, second, tinymodel.Box{XMin: 0.5, XMax: 1, YMax: 0.25})
	crowd.Crowd, crowd.Segmentation = 1, map[string]any{"counts": []int{0, 10}, "size": []int{71, 145}}
}

// writeDetection writes the annotations and the pictures. folder returns the folder of picture i.
func writeDetection(path string, a *annotations, folder func(i int) string) error {
	for i, p := range pictures() {
		file, err := encoded(p.colour, p.width, p.height)
		if err != nil {
			return err
		}
		if err := write(filepath.Join(folder(i), a.Images[i].Name), file); err != nil {
			return err
		}
	}
	a.Info, a.Licences = map[string]any{"year": 2017}, []map[string]any{
		{"id": 1, "name": "a licence", "url": "http://creativecommons.org/licenses/by-nc/2.0/"},
		{"id": 4, "name": "a safe one", "url": "http://creativecommons.org/licenses/by/2.0/"},
	}
	return writeJSON(path, a)
}

// The categories of the objects in COCO's pictures.
const (
	COCOFirst  = 1
	COCOSecond = 3
)

// COCO writes annotations/instances_val2017.json and val2017/. Ids of images and categories have gaps, and the ids of
// images do not ascend.
func COCO(dir string) error {
	a := cocoAnnotations(1)
	return writeDetection(cocoFile(dir), a, func(int) string { return filepath.Join(dir, "val2017") })
}

// COCOWithLicences is like COCO, with a safe licence for these pictures and three additional pictures of another
// licence, in which the detectors miss an object.
func COCOWithLicences(dir string) error {
	a := cocoAnnotations(4)
	for i := range 3 {
		name := fmt.Sprintf("%012d.jpg", 500+i)
		a.Images = append(a.Images, imageRecord{ID: 500 + i, Name: name, Width: 40, Height: 30, Licence: 1})
		a.addObject(len(a.Images)-1, COCOFirst, tinymodel.FirstBox)
		file, err := encoded(color.Black, 40, 30)
		if err != nil {
			return err
		}
		if err := write(filepath.Join(dir, "val2017", name), file); err != nil {
			return err
		}
	}
	return writeDetection(cocoFile(dir), a, func(int) string { return filepath.Join(dir, "val2017") })
}

func cocoFile(dir string) string { return filepath.Join(dir, "annotations", "instances_val2017.json") }

func cocoAnnotations(licence int) *annotations {
	a := &annotations{
		Categories: []category{{COCOFirst, "person", "person"}, {COCOSecond, "car", "vehicle"}, {90, "toothbrush", "indoor"}},
	}
	for i, p := range pictures() {
		id := 397133 - 1000*i
		a.Images = append(a.Images, imageRecord{
			ID: id, Name: fmt.Sprintf("%012d.jpg", id), Width: p.width, Height: p.height, Licence: licence,
		})
	}
	a.annotate(COCOFirst, COCOSecond)
	return a
}

// OpenImages writes annotations/openimages-mlperf.json, and pictures in the folder itself and in validation/data/.
func OpenImages(dir string) error {
	a := &annotations{}
	for id := range 264 {
		a.Categories = append(a.Categories, category{ID: id, Name: fmt.Sprintf("Class %d", id)})
	}
	for i, p := range pictures() {
		a.Images = append(a.Images, imageRecord{
			ID: i + 1, Name: fmt.Sprintf("%016x.jpg", 0x1eb*(i+1)), Width: p.width, Height: p.height,
		})
	}
	a.annotate(0, 1)
	folders := []string{dir, filepath.Join(dir, "validation", "data")}
	return writeDetection(filepath.Join(dir, "annotations", "openimages-mlperf.json"), a,
		func(i int) string { return folders[i%2] })
}
