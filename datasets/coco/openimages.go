package coco

import "cmp"

// OpenImagesClasses is the number of categories of the retinanet benchmark.
const OpenImagesClasses = 264

// OpenImagesAnnotations is the path of OpenImages' annotation file, relative to the data set's folder.
const OpenImagesAnnotations = "annotations/openimages-mlperf.json"

// OpenImages reads and checks the validation set of OpenImages as [Open] does, in the layout that retinanet uses:
//
//	DIR/annotations/openimages-mlperf.json    in COCO's form; category ids 0, 1 ... in the order of the class list
//	DIR/name, or DIR/validation/data/name     the pictures
//
// If o.Classes is 0, OpenImagesClasses applies. Errors wrap ErrDataset and list every fault. Samples are in the order
// of the file.
func OpenImages(dir string, o ImageOptions) (*ImageSet, error) {
	o.Annotations, o.Folders = OpenImagesAnnotations, []string{".", "validation/data"}
	o.Classes = cmp.Or(o.Classes, OpenImagesClasses)
	return Open(dir, o)
}
