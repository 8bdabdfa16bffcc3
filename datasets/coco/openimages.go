// Package openimages reads the validation set of OpenImages as the retinanet benchmark uses it:
//
//	DIR/annotations/openimages-mlperf.json    in COCO's form; category ids 0, 1 ... in the order of the class list
//	DIR/name, or DIR/validation/data/name     the pictures
//
// In: finding and checking pictures, categories and boxes.
// Out: decoding pictures; scoring.
package openimages

import (
	"cmp"

	"github.com/plumbline-ml/plumbline/datasets/coco"
)

// Classes is the number of categories of the benchmark.
const Classes = 264

// Annotations is the path of the annotation file below the data set's folder.
const Annotations = "annotations/openimages-mlperf.json"

// Open reads and checks a data set as [coco.Open] does. The layout is OpenImages', and so is the number of categories
// where o has none. Errors are coco.ErrDataset and list every fault. Samples are in the order of the file.
func Open(dir string, o coco.Options) (*coco.Set, error) {
	o.Annotations, o.Folders = Annotations, []string{".", "validation/data"}
	o.Classes = cmp.Or(o.Classes, Classes)
	return coco.Open(dir, o)
}
