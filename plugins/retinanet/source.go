package retinanet

import (
	"errors"
	"fmt"
	"strconv"

	truth "github.com/plumbline-ml/plumbline/accuracy/coco"
	"github.com/plumbline-ml/plumbline/datasets/coco"
	"github.com/plumbline-ml/plumbline/datasets/openimages"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/scenes"
	"github.com/plumbline-ml/plumbline/preprocess/image"
	"github.com/plumbline-ml/plumbline/sdk"
)

// pictures is a data set, drawn or read. Its methods may be called concurrently.
type pictures interface {
	Len() int
	Name(i int) string
	// Read returns the bytes of picture i's file, which the caller owns.
	Read(i int) ([]byte, error)
}

// source is which data set is meant, and how it is read.
type source struct {
	path          string // empty: the drawn scenes
	count         int    // of the first samples; 0: all
	openImages    bool   // the layout of OpenImages instead of COCO's
	classes       int    // of a data set in the layout of OpenImages; 0: any
	onlyAnnotated bool
}

// parseSource reads the parameters that say how a data set is read.
func parseSource(v map[string]string, path string, count int) (source, error) {
	s := source{path: path, count: count}
	var faults [4]error
	s.openImages, faults[0] = parseChoice("dataset", v["dataset"], "coco", "openimages")
	s.onlyAnnotated, faults[1] = parseChoice("samples", v["samples"], "all", "annotated")
	s.classes, faults[2] = parseClasses(v["classes"])
	if count < 0 {
		faults[3] = fmt.Errorf("count = %d, want 0 (all) or more", count)
	}
	return s, sdk.Usage(errors.Join(faults[:]...))
}

// parseChoice is whether the parameter is the second of two words.
func parseChoice(name, value, first, second string) (bool, error) {
	if value != first && value != second {
		return false, fmt.Errorf("parameter %s = %q, want %s or %s", name, value, first, second)
	}
	return value == second, nil
}

func parseClasses(text string) (int, error) {
	classes, err := strconv.ParseUint(text, 10, 20)
	if err != nil {
		return 0, fmt.Errorf("parameter classes = %q, want the number of categories, or 0 for any", text)
	}
	return int(classes), nil
}

// pictures opens the samples. A data set is checked as a whole: the error names every missing or unreadable picture and
// every bad annotation.
func (s source) pictures() (pictures, error) {
	if s.path == "" {
		set, err := s.drawn()
		return drawn{set}, err
	}
	set, err := s.read(false)
	if err != nil {
		return nil, err
	}
	return files{set}, nil
}

// truth returns the true boxes, with the images of the samples in their order, and does not look at the pictures.
// allImages lists the others too.
func (s source) truth(allImages bool) (g truth.GroundTruth, samples int, err error) {
	if s.path == "" {
		set, err := s.drawn()
		return truthOfScenes(set), set.Len(), err
	}
	set, err := s.read(true)
	if err != nil {
		return g, 0, err
	}
	images := set.Images()
	if allImages {
		images = set.File().Images
	}
	return truthOfFile(set.File(), images), set.Len(), nil
}

func (s source) drawn() (scenes.Set, error) {
	set := scenes.Eval()
	if s.count > 0 {
		if err := checkEnough(s.count, set.Len()); err != nil {
			return set, err
		}
		set.N = s.count
	}
	return set, nil
}

func (s source) read(labelsOnly bool) (*coco.Set, error) {
	o := coco.Options{
		Count: s.count, MaxPixels: image.DefaultMaxPixels, Classes: s.classes,
		OnlyAnnotated: s.onlyAnnotated, LabelsOnly: labelsOnly,
	}
	open := openimages.Open
	if !s.openImages {
		open, o.Classes = coco.Open, 0 // COCO's categories have ids of their own
	}
	set, err := open(s.path, o)
	if err != nil {
		return nil, sdk.Data(err)
	}
	return set, checkEnough(s.count, set.Len())
}

func checkEnough(count, size int) error {
	if count > size {
		return sdk.Usage(fmt.Errorf("count = %d, want at most the %d pictures of the data set", count, size))
	}
	return nil
}

// drawn are the embedded scenes.
type drawn struct{ scenes.Set }

func (d drawn) Read(i int) ([]byte, error) { return d.PNG(i), nil }

// files are the pictures of a folder.
type files struct{ *coco.Set }

func (f files) Name(i int) string { return f.Image(i).Name }

func truthOfFile(f *coco.File, images []coco.Image) truth.GroundTruth {
	var g truth.GroundTruth
	for _, im := range images {
		g.Images = append(g.Images, truth.Image{ID: im.ID, Width: im.Width, Height: im.Height})
	}
	for _, c := range f.Categories {
		g.Categories = append(g.Categories, truth.Category{ID: c.ID, Name: c.Name})
	}
	g.Annotations = make([]truth.Annotation, len(f.Annotations))
	for i, a := range f.Annotations {
		g.Annotations[i] = truth.Annotation{ID: a.ID, Image: a.Image, Category: a.Category, Box: a.Box, Area: a.Area, Crowd: a.Crowd}
	}
	return g
}

// truthOfScenes counts images and boxes from 1, as the exported data set does: a box's id 0 would mean none.
func truthOfScenes(set scenes.Set) truth.GroundTruth {
	var g truth.GroundTruth
	for c := range scenes.Classes {
		g.Categories = append(g.Categories, truth.Category{ID: int64(c), Name: scenes.ClassName(c)})
	}
	for i := range set.Len() {
		p, id := set.Picture(i), int64(i+1)
		g.Images = append(g.Images, truth.Image{ID: id, Width: p.Width, Height: p.Height})
		for _, o := range p.Objects {
			g.Annotations = append(g.Annotations, truth.Annotation{
				ID: int64(len(g.Annotations) + 1), Image: id, Category: int64(o.Class), Box: o.Box, Area: o.Area, Crowd: o.Crowd,
			})
		}
	}
	return g
}
