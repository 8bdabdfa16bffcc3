package coco

import (
	"cmp"
	"math"
	"slices"

	"github.com/plumbline-ml/plumbline/accuracy"
)

// Image is a picture of the data set.
type Image struct {
	ID            int64
	Width, Height int // in pixels; detections are shares of them
}

// Category is a class of objects.
type Category struct {
	ID   int64
	Name string
}

// Annotation is a true box, with the fields of the annotation file.
type Annotation struct {
	ID       int64 // the COCO evaluation takes ID 0 for "no match", so the box can never be found
	Image    int64 // Image.ID
	Category int64 // Category.ID
	Box      [4]float64
	Area     float64 // in pixels; determines whether the object is small, medium or large; may differ from width * height
	Crowd    bool    // a region of many objects: several detections may match it, and it need not be found
}

// GroundTruth is the content of the annotation file, in the order of the file. Boxes contain x, y, width and height in
// pixels. Annotations of unlisted images or categories have no effect.
type GroundTruth struct {
	Images      []Image
	Categories  []Category
	Annotations []Annotation
}

// trueBox is an annotation in the form that the evaluation uses.
type trueBox struct {
	x, y, w, h float64
	area       float64
	rank       int32 // rank of its image by ID: the evaluation visits images in this order
	category   int32 // rank of its category by ID
	crowd      bool
	zeroID     bool
}

// rankIndex maps IDs to ranks. The evaluation visits images and categories by ascending ID; this order breaks ties.
type rankIndex map[int64]int32

func newIndex(ids []int64) rankIndex {
	slices.Sort(ids)
	x := make(rankIndex, len(ids))
	for rank, id := range ids {
		x[id] = int32(rank)
	}
	return x
}

// checkTruth returns an error that lists all faults that prevent an evaluation.
func checkTruth(g *GroundTruth) error {
	var f accuracy.FaultList
	if len(g.Images) == 0 || len(g.Categories) == 0 {
		f.Addf("%d images and %d categories, want at least one of each", len(g.Images), len(g.Categories))
	}
	findRepeated(&f, "image", len(g.Images), func(i int) int64 { return g.Images[i].ID })
	findRepeated(&f, "category", len(g.Categories), func(i int) int64 { return g.Categories[i].ID })
	findRepeated(&f, "annotation", len(g.Annotations), func(i int) int64 { return g.Annotations[i].ID })
	for i, im := range g.Images {
		if im.Width <= 0 || im.Height <= 0 {
			f.Addf("image %d (id %d): %d x %d pixels, want at least 1 x 1", i, im.ID, im.Width, im.Height)
		}
	}
	for i := range g.Annotations {
		a := &g.Annotations[i]
		if !allFinite(a.Box[0], a.Box[1], a.Box[2], a.Box[3], a.Area) {
			f.Addf("annotation %d (id %d): box %v, area %v, want finite numbers", i, a.ID, a.Box, a.Area)
		}
	}
	return f.Err(ErrTruth)
}

func findRepeated(f *accuracy.FaultList, what string, n int, id func(int) int64) {
	first := make(map[int64]int, n)
	for i := range n {
		if earlier, ok := first[id(i)]; ok {
			f.Addf("%s %d: id %d is that of %s %d already, want one of its own", what, i, id(i), what, earlier)
			continue
		}
		first[id(i)] = i
	}
}

func allFinite(values ...float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// sortTruths returns the annotations by category, image and position in the file, and the index of each category's
// first annotation.
func sortTruths(annotations []Annotation, images, categories rankIndex) (sorted []trueBox, starts []int) {
	sorted = make([]trueBox, 0, len(annotations))
	for i := range annotations {
		a := &annotations[i]
		rank, known := images[a.Image]
		category, wanted := categories[a.Category]
		if known && wanted {
			sorted = append(sorted, trueBox{a.Box[0], a.Box[1], a.Box[2], a.Box[3], a.Area, rank, category, a.Crowd, a.ID == 0})
		}
	}
	slices.SortStableFunc(sorted, func(a, b trueBox) int {
		return cmp.Or(cmp.Compare(a.category, b.category), cmp.Compare(a.rank, b.rank))
	})
	starts = make([]int, len(categories)+1)
	for _, t := range sorted {
		starts[t.category+1]++
	}
	for k := 1; k < len(starts); k++ {
		starts[k] += starts[k-1]
	}
	return sorted, starts
}
