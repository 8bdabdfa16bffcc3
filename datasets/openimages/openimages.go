// Package openimages reads the validation set of OpenImages as the retinanet benchmark uses it:
//
//	DIR/annotations/openimages-mlperf.json    in COCO's form; category ids 0, 1 ... in the order of the class list
//	DIR/name, or DIR/validation/data/name     the pictures
//
// In: finding and checking pictures, categories and boxes.
// Out: decoding pictures; scoring.
package openimages

import "github.com/plumbline-ml/plumbline/datasets/coco"

// Classes is the number of categories of the benchmark.
const Classes = 264

// Annotations is the path of the annotation file below the data set's folder.
const Annotations = "annotations/openimages-mlperf.json"

// Folders returns where pictures are looked for, below the data set's folder, in turn.
func Folders() []string { return []string{".", "validation/data"} }

// Options say what to expect of a data set. The zero value is right for the benchmark's.
type Options struct {
	Classes   int // number of categories: ids are 0 to Classes-1; 0: 264
	Count     int // use only the first Count images; 0: all
	MaxPixels int // largest width times height of a picture; 0: any
	// LabelsOnly leaves the pictures unchecked: to score a finished run, the annotations are enough.
	LabelsOnly bool
}

// Open reads and checks a data set as [coco.Open] does. Errors are coco.ErrDataset and list every fault. Samples are in
// the order of the file.
func Open(dir string, o Options) (*coco.Set, error) {
	if o.Classes == 0 {
		o.Classes = Classes
	}
	return coco.Open(dir, coco.Options{
		Annotations: Annotations,
		Folders:     Folders(),
		Classes:     o.Classes,
		Count:       o.Count,
		MaxPixels:   o.MaxPixels,
		LabelsOnly:  o.LabelsOnly,
	})
}
